"""Our engine's ways of decoding, side by side on one loaded model. Each has an engine, and so a cache and a memory, of its own."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from services.contract.templates import Piece, render
from services.generator.bench.prompts import Job
from services.generator.bench.timing import Run
from services.generator.drafters import Drafter, DrafterContext
from services.generator.drafters.registry import open_drafters
from services.generator.engine.engine import Engine, EngineOptions, Request
from services.generator.models.llama import LlamaTarget
from services.generator.models.loading import CACHE
from services.generator.planner.draft_costs import draft_costs
from services.generator.planner.planner import Costs
from services.generator.speculation.eagle_tree import TreeShape
from services.generator.text.answer_text import AnswerText
from services.generator.text.codec import Codec
from services.generator.text.prompt import Turn, build_prompt
from services.generator.text.provenance import SpanTracker
from services.generator.types import Prompt, SamplingParams, Sequence

NODES = 60  # of a tree that is verified whole, the root included: EAGLE-2's and -3's published size
_names = itertools.count()


@dataclass(frozen=True, slots=True)
class Bench:
    """What every engine shares. `context`: the longest prompt and answer."""

    target: LlamaTarget
    codec: Codec
    costs: Costs
    head: Path | None
    template: str
    max_tokens: int
    context: int
    clock: Callable[[], float] = time.perf_counter

    def prompt(self, job: Job) -> Prompt:
        if not job.passages:
            return build_prompt(self.codec, [Turn("user", (Piece(job.question),))], (), "bench")
        rendered = render(self.template, job.question, job.passages)
        return build_prompt(self.codec, [Turn("user", rendered.pieces)], job.passages, rendered.version)

    def engine(self, drafters: dict[str, Drafter], costs: Costs | None) -> Engine:
        """Make an engine that keeps no prefixes: every run computes its whole prompt."""
        options = EngineOptions(rows=1, context=self.context, nodes=NODES, prefix_bytes=0)
        drafts = draft_costs(drafters, self.target, CACHE / "costs") if costs else {}
        return Engine(self.target, drafters, options, costs, drafts, self.clock)

    def drafters(self, *names: str, eagle: TreeShape | None = None) -> dict[str, Drafter]:
        """Open these; without `eagle` its trees have the usual shape for this device."""
        return open_drafters(names, DrafterContext(self.target, self.head), {"eagle": eagle})

    def sampling(self) -> SamplingParams:
        return SamplingParams(max_tokens=self.max_tokens)


@dataclass(slots=True)
class Answering:
    """One way of answer mode: drafters, verified whole or cut to what the costs say pays."""

    bench: Bench
    engine: Engine

    def run(self, job: Job) -> Run:
        prompt = self.bench.prompt(job)
        sampling = self.bench.sampling()
        sequence = Sequence(f"bench-{next(_names)}", prompt, sampling)
        text = AnswerText(self.bench.codec, (), SpanTracker(job.passages))
        return timed(self.engine, Request(sequence, text, drafters=tuple(self.engine.drafters)), self.bench.clock)


def timed(engine: Engine, request: Request, clock: Callable[[], float]) -> Run:
    began = clock()
    engine.add(request)
    first, opening = 0.0, 0
    while engine.busy:
        outputs = engine.step()
        if outputs and not opening:
            first, opening = clock() - began, len(outputs[0].tokens)
    stats, tokens = request.sequence.stats, tuple(request.sequence.token_ids)
    seconds = clock() - began
    sources, lengths = stats.accepted_by_source, stats.accepted_lengths
    return Run(tokens, opening, first, seconds, stats.steps, stats.drafted, sources, lengths, cached=stats.cached_tokens)


def answer_methods(bench: Bench) -> Iterator[tuple[str, Callable[[Job], Run]]]:
    """Yield plain decoding, each published method verified whole, and what the cost model makes of them.

    The last are `auto`, also without either of the two.
    """

    def way(*names: str, costs: Costs | None = None) -> Callable[[Job], Run]:
        published = None if costs else TreeShape()
        return Answering(bench, bench.engine(bench.drafters(*names, eagle=published), costs)).run

    yield "plain", way()
    yield "prompt lookup", way("prompt-lookup")
    yield "CASD", way("copy")
    yield "auto without EAGLE", way("copy", costs=bench.costs)
    if bench.head is not None:
        yield "EAGLE", way("eagle")
        yield "EAGLE + CASD", way("copy", "eagle")
        yield "auto without CASD", way("eagle", costs=bench.costs)
        yield "auto", way("copy", "eagle", costs=bench.costs)


def verbatim_methods(bench: Bench) -> Iterator[tuple[str, Callable[[Job], Run]]]:
    """Yield constrained decoding a token at a time, and with its own drafts. Needs pydantic, as the request is the service's."""
    engine = bench.engine({}, bench.costs)
    yield "plain", partial(_verbatim, bench, engine, drafting=False)
    yield "auto", partial(_verbatim, bench, engine, drafting=True)


def _verbatim(bench: Bench, engine: Engine, job: Job, *, drafting: bool) -> Run:
    from services.contract.templates import VERBATIM_TEMPLATE
    from services.contract.wire import ChatRequest
    from services.generator.verbatim.text import VerbatimText
    from services.generator.verbatim.trie import prepare

    documents = [{"id": passage.id, "title": passage.title, "text": passage.text} for passage in job.passages]
    asked = {"model": "bench", "messages": [{"role": "user", "content": job.question}], "documents": documents}
    ask = ChatRequest.model_validate(asked | {"bedside": {"mode": "verbatim"}})
    rendered = render(VERBATIM_TEMPLATE, job.question, job.passages)
    prompt = build_prompt(bench.codec, [Turn("user", rendered.pieces)], job.passages, rendered.version)
    preparation = prepare(ask, bench.codec, job.passages)
    text = VerbatimText(bench.codec, (), preparation, job.passages)
    sequence = Sequence(f"bench-{next(_names)}", prompt, bench.sampling())
    run = timed(engine, Request(sequence, text, drafting=drafting, preparation=preparation), bench.clock)
    return replace(run, opening=0, decoding=sequence.stats.decode_seconds)
