"""tau of a drafter on held-out answers, without decoding: the target has said what it says, and its
features are there.

An answer that the target gave greedily is what it would accept of any tree (engine/replay.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass

from services.generator.drafters import Drafter
from services.generator.engine.drafting import Drafting
from services.generator.engine.replay import Recorded, replay
from services.generator.train.corpus import CorpusAnswer


@dataclass(frozen=True, slots=True)
class AcceptanceFigures:
    """tau counts the bonus token; `accepted` says how many steps accepted how many drafted
    tokens."""

    tau: float
    nodes_per_step: float
    answers: int
    tokens: int
    accepted: dict[int, int]


def measure(drafters: Seq[Drafter], answers: Iterable[CorpusAnswer], nodes: int) -> AcceptanceFigures:
    """Replay answers with these drafters, merged. An answer's first token comes from the prompt's
    own forward and is not counted."""
    drafting = Drafting({drafter.name: drafter for drafter in drafters}, nodes)
    lengths: Counter[int] = Counter()
    count = tokens = drafted = 0
    for number, answer in enumerate(answers):
        if len(answer.answer) < 2:
            continue
        count += 1
        for step in replay(drafting, _recorded(answer, f"{number}")):
            lengths[len(step.path) - 1] += 1
            drafted += len(step.tree) - 1
        tokens += len(answer.answer) - 1
    steps = sum(lengths.values())
    return AcceptanceFigures(
        tokens / max(steps, 1), drafted / max(steps, 1), count, tokens, dict(sorted(lengths.items()))
    )


def _recorded(answer: CorpusAnswer, name: str) -> Recorded:
    prompt = tuple(answer.tokens[: answer.prompt_length].tolist())
    return Recorded(
        name, prompt, tuple(answer.answer), given=1, features={"hidden": answer.hidden, "streams": answer.streams}
    )
