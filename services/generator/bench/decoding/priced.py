"""Every method on the answers that the model itself gave, none of its steps computed again: what a
method accepts is exact, what a step takes is read from a table of measured costs, what a draft
takes is measured. So many prompts can be compared, on a machine that has other work too. Of
lossless methods only, which all write these answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Seq
from pathlib import Path

import torch

from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.recorded import BadRecords
from services.generator.bench.common.timing import MeasuredRun, TimedRun
from services.generator.bench.decoding.dense import own_answers
from services.generator.bench.engines.ours import Bench, drafters_of, way_of
from services.generator.engine import stats
from services.generator.engine.drafting import Drafting
from services.generator.engine.replay import Recorded, replay
from services.generator.models import FeatureKind, StepInput
from services.generator.planner import costs
from services.generator.planner.planner import CostModel
from services.generator.speculation.sampling import entropies_at
from services.generator.types import Accepted, SequenceStats


def read_costs(file: Path) -> costs.Costs:
    """Read a table of seconds: {nodes, contexts, seconds by context and nodes}. Raises
    BadRecords."""
    try:
        table = json.loads(file.read_text())
        return costs.Costs(tuple(table["nodes"]), tuple(table["contexts"]), tuple(map(tuple, table["seconds"])))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecords(f"{file}: not a table of step costs ({type(error).__name__}: {error})") from error


def priced(bench: Bench, jobs: Seq[PromptJob], names: Iterable[str]) -> list[MeasuredRun]:
    """Let these methods draft the model's answers; relaxed ones are left out."""
    answers = [_heard(bench, job.id, *said) for job, said in zip(jobs, own_answers(bench, jobs), strict=True)]
    return [each for name in names if way_of(name).acceptance.lossless for each in _method(bench, name, answers)]


@torch.inference_mode()
def _heard(bench: Bench, name: str, prompt: tuple[int, ...], answer: tuple[int, ...]) -> Recorded:
    """Return an answer with what heads and drafters hear of the target, computed in one forward."""
    tokens = torch.tensor([(*prompt, *answer)[:-1]])
    count, first = tokens.shape[1], len(prompt) - 1
    step = StepInput(tokens, torch.arange(count)[None], (0,), (0,), (count,), None, first, features=True)
    output = bench.target.forward(step, bench.target.new_cache(1, count))
    said = entropies_at(output.logits[0], range(count - first))
    assert output.hidden is not None
    assert output.streams is not None
    features: dict[FeatureKind, torch.Tensor] = {"hidden": output.hidden[0], "streams": output.streams[0]}
    return Recorded(name, prompt, answer, features=features, entropies=tuple(said))


def _method(bench: Bench, name: str, answers: Iterable[Recorded]) -> Iterator[MeasuredRun]:
    """Draft all answers by one method, which learns from each."""
    way = way_of(name)
    drafting = bench.engine(drafters_of(bench, way), bench.costs if way.planned else None, way.policy).drafting
    for answer in answers:
        yield MeasuredRun(name, answer.name, 1, _run(bench.costs, drafting, answer))


def _run(price: CostModel, drafting: Drafting, answer: Recorded) -> TimedRun:
    """Replay one answer. As with a model, what the first step gives and takes is left out of the
    speed: heads read the prompt then."""
    said, seconds, first, opening = SequenceStats(), 0.0, 0.0, 0
    for step in replay(drafting, answer):
        seconds += step.seconds + price.verify(len(step.tree), len(answer.prompt) + said.tokens)
        stats.count(said, step.tree, Accepted(step.path, ()), len(step.path))
        if not opening:
            first, opening = seconds, len(step.path)
    return TimedRun(
        answer.answer, opening, first, seconds, said.steps, said.drafted, said.accepted_by_source, said.accepted_lengths
    )
