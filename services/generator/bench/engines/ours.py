"""Our engine's ways of decoding, side by side on one loaded model. Each has an engine, and so a
cache and a memory, of its own."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from services.contract.templates import TemplatePiece, render
from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.timing import Stopwatch, TimedRun
from services.generator.datastore.dense import DenseDatastore
from services.generator.datastore.store import Datastore
from services.generator.drafters import Drafter, DrafterContext
from services.generator.drafters.copies.respec import RespecOptions
from services.generator.drafters.registry import DRAFTERS, open_drafters, parse
from services.generator.drafters.small_model import SmallModelOptions
from services.generator.engine.engine import Engine, EngineOptions, Request
from services.generator.engine.prefix_cache import PrefixCache
from services.generator.models.llama import LlamaTarget
from services.generator.models.loading import CACHE
from services.generator.planner.draft_costs import draft_costs
from services.generator.planner.planner import CostModel
from services.generator.planner.policies import policy_of
from services.generator.speculation.acceptance import EXACT, Acceptance
from services.generator.speculation.eagle_tree import TreeShape
from services.generator.speculation.relaxed import Relaxed
from services.generator.text.answer_text import AnswerText
from services.generator.text.codec import Codec
from services.generator.text.kinds import token_kinds
from services.generator.text.prompt import Turn, build_prompt
from services.generator.text.provenance import SpanTracker
from services.generator.types import Prompt, SamplingParams, Sequence

NODES = 60  # of a tree that is verified whole, the root included: EAGLE-2's and -3's published size
BESIDE = {"reader": 40}  # nodes that a method appends to the tree of another
# nodes of a step that a CPU computes to the very bits of plain decoding; a larger one is torch's,
# rounded otherwise
IN_C = 64
_names = itertools.count()


@dataclass(frozen=True, slots=True)
class Bench:
    """What every engine shares. `context`: the longest prompt and answer."""

    target: LlamaTarget
    codec: Codec
    costs: CostModel
    head: Path | None
    template: str
    max_tokens: int
    context: int
    clock: Callable[[], float] = time.perf_counter
    prefixes: PrefixCache | None = None  # of prompts, shared by all engines
    datastore: Datastore | None = None
    dense: DenseDatastore | None = None
    small: LlamaTarget | None = None  # a smaller model with the same tokenizer

    def prompt(self, job: PromptJob) -> Prompt:
        if not job.passages:
            return build_prompt(self.codec, [Turn("user", (TemplatePiece(job.question),))], (), "bench")
        rendered = render(self.template, job.question, job.passages)
        return build_prompt(self.codec, [Turn("user", rendered.pieces)], job.passages, rendered.version)

    def engine(self, drafters: dict[str, Drafter], costs: CostModel | None, policy: str = "merge") -> Engine:
        """Make an engine. Without shared prefixes it keeps none: every run computes its whole
        prompt."""
        nodes = NODES + sum(BESIDE.get(name, 0) for name in drafters)
        if self.target.device.type == "cpu":
            nodes = min(nodes, IN_C)
        options = EngineOptions(rows=1, context=self.context, nodes=nodes, prefix_bytes=0)
        drafts = draft_costs(drafters, self.target, CACHE / "costs") if costs else {}
        engine = Engine(self.target, drafters, options, costs, drafts, self.clock, policy_of(policy))
        engine.prefixes = self.prefixes or engine.prefixes
        return engine

    @property
    def context_of_drafters(self) -> DrafterContext:
        return DrafterContext(
            self.target, self.head, self.small, self.dense, self.datastore, token_kinds(self.codec.full)
        )

    def drafters(
        self, *names: str, eagle: TreeShape | None = None, options: Mapping[str, object] | None = None
    ) -> dict[str, Drafter]:
        """Open these; without `eagle` its trees have the usual shape for this device."""
        return open_drafters(names, self.context_of_drafters, {"eagle": eagle, **(options or {})})

    def sampling(self) -> SamplingParams:
        return SamplingParams(max_tokens=self.max_tokens)


@dataclass(slots=True)
class Answering:
    """One way of answer mode: drafters, verified whole or cut to what the costs say pays."""

    bench: Bench
    engine: Engine
    acceptance: Acceptance = EXACT

    def run(self, job: PromptJob) -> TimedRun:
        prompt = self.bench.prompt(job)
        sampling = self.bench.sampling()
        sequence = Sequence(f"bench-{next(_names)}", prompt, sampling)
        text = AnswerText(self.bench.codec, (), SpanTracker(job.passages))
        request = Request(sequence, text, drafters=tuple(self.engine.drafters), acceptance=self.acceptance)
        return timed(self.engine, request, self.bench.clock)


def timed(engine: Engine, request: Request, clock: Callable[[], float]) -> TimedRun:
    watch = Stopwatch(clock)
    engine.add(request)
    while engine.busy:
        outputs = engine.step()
        if outputs:
            watch.came(len(outputs[0].tokens))
    stats, tokens = request.sequence.stats, tuple(request.sequence.token_ids)
    sources, lengths = stats.accepted_by_source, stats.accepted_lengths
    return replace(
        watch.run(tokens, stats.steps),
        drafted=stats.drafted,
        by_source=sources,
        lengths=lengths,
        cached=stats.cached_tokens,
    )


def keep_prompts(bench: Bench, jobs: Iterable[PromptJob]) -> None:
    """Compute prompts once, before anything is measured, so that all go on from the same bits:
    whoever computes one rounds differently."""
    if bench.prefixes is None:
        return
    brief = replace(bench, max_tokens=1)
    # which wants features of the prompt
    head = ("eagle",) if DRAFTERS["eagle"].lacks(bench.context_of_drafters) is None else ()
    way = Answering(brief, brief.engine(brief.drafters(*head), None))
    for job in jobs:
        way.run(job)


@dataclass(frozen=True, slots=True)
class Way:
    """Drafters, and whether their trees are cut to what pays or verified whole at their published
    sizes."""

    drafters: tuple[str, ...] = ()
    planned: bool = False
    policy: str = "merge"
    acceptance: Acceptance = EXACT
    options: Mapping[str, object] = field(default_factory=dict)  # of its drafters, by name


WAYS = {
    "plain": Way(),
    "prompt lookup": Way(("prompt-lookup",)),
    "CASD": Way(("copy",)),
    "auto without EAGLE": Way(("copy",), planned=True),
    "EAGLE": Way(("eagle",)),
    "EAGLE + CASD": Way(("copy", "eagle")),
    "auto without CASD": Way(("eagle",), planned=True),
    "auto": Way(("copy", "eagle"), planned=True),
    "planner": Way(("blend", "eagle"), planned=True),
}
"""The last are what the cost model makes of the published methods, and of all look-ups at once:
what the engine does by itself."""

RETRIEVED = Relaxed(frozenset({"respec"}))
PAPERS = {
    "SAM-Decoding": Way(("automaton", "eagle"), policy="sam"),
    "TensorRT-LLM's rule": Way(("automaton", "eagle"), policy="override"),
    "llama.cpp's order": Way(("prompt-lookup", "eagle"), policy="in-order"),
    "ReSpec": Way(("respec", "eagle"), policy="in-order"),
    "ReSpec, credit by prefix": Way(
        ("respec", "eagle"), policy="in-order", options={"respec": RespecOptions(credit="prefix")}
    ),
    "ReSpec, relaxed": Way(("respec", "eagle"), policy="in-order", acceptance=RETRIEVED),
    "READER": Way(("eagle", "reader")),
    # SGLang's where no head drafts: both in one tree
    "trie and automaton": Way(("suffix", "automaton")),
    # the model's ten first choices, as many as its tree has there, say which copies are verified
    "RASD": Way(("suffix", "small-model"), policy="agreed", options={"small-model": SmallModelOptions(firsts=10)}),
}
"""Others' methods as they are published: who drafts is their rule; relaxed is not lossless."""


def way_of(name: str) -> Way:
    """Return the way of this name.

    "blend+eagle" are drafters verified whole, "plan:blend+eagle" cut to what pays,
    "sam:automaton+eagle" chosen among by a policy.
    """
    if (known := (WAYS | PAPERS).get(name)) is not None:
        return known
    how, _, drafters = name.rpartition(":")
    policy = how if how not in ("", "plan") else "merge"
    policy_of(policy)
    return Way(parse(drafters, DRAFTERS), how == "plan", policy)


def drafters_of(bench: Bench, way: Way) -> dict[str, Drafter]:
    """Open a way's drafters: EAGLE's tree of what pays on this device, or of its published size."""
    return bench.drafters(*way.drafters, eagle=None if way.planned else TreeShape(), options=way.options)


def answer_methods(bench: Bench, names: Iterable[str] = ()) -> Iterator[tuple[str, Callable[[PromptJob], TimedRun]]]:
    """Yield these ways, or all of WAYS that this model has what they need for. Raises BadRequest on
    a drafter that is not known."""
    lacking = {name for name, spec in DRAFTERS.items() if spec.lacks(bench.context_of_drafters) is not None}
    for name in names or [name for name, way in WAYS.items() if not lacking & set(way.drafters)]:
        way = way_of(name)
        drafters = drafters_of(bench, way)
        yield (
            name,
            Answering(
                bench, bench.engine(drafters, bench.costs if way.planned else None, way.policy), way.acceptance
            ).run,
        )


def verbatim_methods(bench: Bench) -> Iterator[tuple[str, Callable[[PromptJob], TimedRun]]]:
    """Yield constrained decoding a token at a time, and with its own drafts. Needs pydantic, as the
    request is the service's."""
    engine = bench.engine({}, bench.costs)
    yield "plain", partial(_verbatim, bench, engine, drafting=False)
    yield "auto", partial(_verbatim, bench, engine, drafting=True)


def _verbatim(bench: Bench, engine: Engine, job: PromptJob, *, drafting: bool) -> TimedRun:
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
