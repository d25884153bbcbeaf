"""The engine: requests in, text and spans out, a step at a time. Runs in one thread; knows nothing
of HTTP.

A step reads as its list: schedule -> draft -> forward -> verify -> accept -> emit. One forward
takes trees of those who decode, pieces of prompts, and readings (scoring.py): none of them waits
for another's end. Requests join and leave between steps, each with its own tree and length. What is
emitted is the target's own choice at every position (acceptance.Exact), so a drafter, a batch or a
prefix that was cached changes nothing but the time; a request whose rule is another says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Seq
from concurrent.futures import Future
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

from services.generator.drafters import Drafter
from services.generator.engine import stats
from services.generator.engine.drafting import Drafting
from services.generator.engine.energy import counter_of, share
from services.generator.engine.pieces import PromptPiece, chains, shared
from services.generator.engine.prefix_cache import PrefixCache
from services.generator.engine.request import EngineOptions, Output, Request
from services.generator.engine.scheduler import Scheduler
from services.generator.engine.scoring import PromptReading, Readings, Scoring
from services.generator.errors import BadRequest, ContextTooLong
from services.generator.models import StepInput, StepOutput, Target
from services.generator.models.decoder.adapters import mark_of, of_rows
from services.generator.planner.planner import CostModel
from services.generator.planner.policies import Policy
from services.generator.speculation import tree
from services.generator.speculation.verify import verify
from services.generator.types import Accepted, DraftTree, FinishReason, Origin

__all__ = ["Engine", "EngineOptions", "Output", "Request"]


class Engine:
    """Raises QueueFull and BadRequest from `add`; an exception from `step` leaves it usable after
    `fail`."""

    def __init__(
        self,
        target: Target,
        drafters: Mapping[str, Drafter],
        options: EngineOptions | None = None,
        costs: CostModel | None = None,
        drafts: Mapping[str, float] | None = None,
        clock: Callable[[], float] = time.perf_counter,
        policy: Policy | None = None,
    ) -> None:
        """Verify every draft whole where there are no `costs`; `drafts`: seconds of a draft by
        drafter, where they were measured.

        `clock` is that of the requests' statistics and of what the planner learns; `policy` says
        who drafts (absent: all, merged).
        """
        self.options = options or EngineOptions()
        self.target = target
        self.context = min(self.options.context, target.config.max_positions)
        self.scheduler = Scheduler(self.options.rows, self.options.queue)
        self.cache = target.new_cache(self.options.rows, self.context)
        self.prefixes = PrefixCache(self.options.prefix_bytes)
        self.readings = Readings(self.cache, self.prefixes, self.options.readings)
        self.computed = 0  # tokens of prompts and readings, since the start
        self.drafting = Drafting(drafters, self.options.nodes, costs, drafts, clock, policy)
        self.energy = counter_of(target.device)
        self.clock = clock
        self._requests: dict[str, Request] = {}
        self.stop_tokens = frozenset(target.config.eos_token_ids)

    def add(self, request: Request) -> None:
        sequence, prompt = request.sequence, request.sequence.prompt.token_ids
        if not prompt:
            raise BadRequest("the prompt is empty")
        if len(prompt) >= self.context:
            raise ContextTooLong(
                f"the prompt has {len(prompt)} tokens; the context is {self.context}, the answer included"
            )
        unknown = [name for name in request.drafters if name not in self.drafters]
        if unknown:
            raise BadRequest(f"no drafter {unknown[0]!r}; there are: none, {', '.join(self.drafters)}")
        if request.preparation is not None and not request.acceptance.lossless:
            raise BadRequest("a constrained answer is verified exactly: another rule could leave what is allowed")
        self.scheduler.add(sequence)
        room = min(sequence.sampling.max_tokens, self.context - len(prompt))
        request.context = np.zeros(len(prompt) + room, np.int32)
        request.context[: len(prompt)] = prompt
        request.tokens = len(prompt)
        sequence.stats.prompt_tokens, sequence.stats.lossless = len(prompt), request.acceptance.lossless
        self._requests[sequence.id] = request

    def read(self, scoring: Scoring, future: Future[list[float]]) -> None:
        """Have `future` hold log p(continuation | prompt) in nats, for each continuation. Raises
        BadRequest."""
        self.readings.add(scoring, future, self.computed, self.context)

    def cancel(self, sequence_id: str) -> None:
        """End a request, so that its slot is free before the next step; unknown and finished ids
        are fine."""
        request = self._requests.get(sequence_id)
        if request is not None:
            self._end(request, FinishReason.CANCELLED)

    def fail(self, error: Exception) -> list[Output]:
        """End every running request after a step that raised."""
        self.readings.fail(error)
        failed = [self._requests[name] for name in list(self.scheduler.running)]
        for request in failed:
            self._end(request, FinishReason.ERROR)
        return [Output(request.sequence, "", (), finish=FinishReason.ERROR, error=error) for request in failed]

    @property
    def drafters(self) -> Mapping[str, Drafter]:
        return self.drafting.drafters

    @property
    def busy(self) -> bool:
        return bool(self._requests or self.readings.waiting or self.readings.running)

    def run(self) -> Iterator[Output]:
        """Decode until nobody is left, waiting or running."""
        while self.busy:
            yield from self.step()

    @torch.inference_mode()
    def step(self) -> list[Output]:
        self._schedule()
        with self._metered():
            self._prepare()
            ready, pieces = self._ready(), self._pieces()
            if pieces and (not ready or any(isinstance(one, Request) and one.missing == n for one, n in pieces)):
                self._forward([], pieces)  # whose prompt ends here decodes with the others at once
                ready, pieces = self._ready(), []
            if not ready:
                return []
            trees = self._draft(ready)
            began = self.clock()
            (output,) = self._forward([self._trees(ready, trees)], pieces)
            accepted = self._verify(ready, trees, output.logits)
            self._accept(ready, trees, accepted, output)
            self._learn(ready, trees, accepted, None if pieces else self.clock() - began)
            return self._emit(ready, trees, accepted)

    @contextmanager
    def _metered(self) -> Iterator[None]:
        """Share what the step uses among its requests by the tokens that it computed for them."""
        before, running, read = self.energy.read(), self._running(), self.readings.computed
        lengths = [request.length for request in running]
        yield
        after = None if before is None else self.energy.read()
        if before is not None and after is not None:
            computed = [max(1, request.length - length) for request, length in zip(running, lengths, strict=True)]
            shares = share(after - before, [*computed, self.readings.computed - read])
            for request, joules in zip(running, shares[:-1], strict=True):
                request.sequence.stats.joules = (request.sequence.stats.joules or 0.0) + joules

    def _running(self) -> list[Request]:
        return [self._requests[name] for name in self.scheduler.running]

    def _schedule(self) -> None:
        self.readings.admit(self.computed)
        for sequence in self.scheduler.admit():
            request = self._requests[sequence.id]
            request.started, request.came = self.clock(), self.computed
            request.plan, request.features = self.drafting.start(sequence, request.drafters)
            request.drafters = tuple(request.plan.gates)
            prompt, kinds = sequence.prompt.token_ids[:-1], request.features.kinds
            request.length, features = self.prefixes.load(
                prompt, self.cache, sequence.slot, kinds, request.scope, mark_of(request.active)
            )
            sequence.stats.cached_tokens = request.length
            for kind, known in features.items():
                request.features.add(kind, known)

    def _prepare(self) -> None:
        for request in self._running():
            if request.preparation is not None:
                request.constraint = request.preparation.advance(self.target)
                if request.constraint is not None:
                    request.preparation = None

    def _ready(self) -> list[Request]:
        """Return those who decode now."""
        ready = [request for request in self._running() if request.prefilled]
        for request in ready:
            if not request.sequence.stats.prefill_seconds:
                self._begin_decoding(request)
        return ready

    def _pieces(self) -> list[tuple[Request | PromptReading, int]]:
        """Share one chunk among the prompts that are not in the cache yet and the readings."""
        asked: list[Request | PromptReading] = [request for request in self._running() if request.missing]
        asked += self.readings.running
        waited = [self.computed - one.came for one in asked]
        given = shared(self.options.prefill_chunk, [one.missing for one in asked], waited)
        self.computed += sum(given)
        return [(one, count) for one, count in zip(asked, given, strict=True) if count]

    def _forward(self, steps: list[StepInput], pieces: Seq[tuple[Request | PromptReading, int]]) -> list[StepOutput]:
        """Compute these steps and the pieces beside them; what came of the pieces is taken in."""
        prompts = [(one, count) for one, count in pieces if isinstance(one, Request)]
        readings = [(one, count) for one, count in pieces if isinstance(one, PromptReading)]
        beside = [self._prompts(prompts)] if prompts else []
        together = [*steps, *beside, *self.readings.steps(readings)]
        alone = len(together) == 1
        forward = self.target.forward
        outputs = [forward(together[0], self.cache)] if alone else self.target.forward_all(together, self.cache)
        if prompts:
            self._took(prompts, outputs[len(steps)])
        self.readings.take(readings, iter(outputs[len(steps) + len(beside) :]))
        return outputs[: len(steps)]

    def _prompts(self, pieces: Seq[tuple[Request, int]]) -> StepInput:
        own = [
            PromptPiece(
                request.context[request.length : request.length + count],
                request.sequence.slot,
                request.length,
                request.active,
            )
            for request, count in pieces
        ]
        return chains(own, features=any(request.features.kinds for request, _ in pieces))

    def _took(self, pieces: Seq[tuple[Request, int]], output: StepOutput) -> None:
        for row, (request, count) in enumerate(pieces):
            request.length += count
            for kind in request.features.kinds:
                if (features := getattr(output, kind)) is not None:
                    request.features.add(kind, features[row, :count])

    def _begin_decoding(self, request: Request) -> None:
        sequence = request.sequence
        now = self.clock()
        sequence.stats.prefill_seconds = max(now - request.started, 1e-9)
        request.started = now
        self._store_prefix(request)

    def _draft(self, ready: list[Request]) -> list[DraftTree]:
        """Return one tree per row: of everyone who drafts for it, merged, or of its constraint; cut
        to what pays."""
        # a last step may draft more than it emits
        budgets = [min(self.options.nodes, self.context - request.length) for request in ready]
        trees = self.drafting.propose(ready, budgets)
        for row, (request, budget) in enumerate(zip(ready, budgets, strict=True)):
            if request.constraint is not None and request.drafting:
                own = request.constraint.draft(int(request.decided[-1]), budget)
                trees[row] = tree.merge([own, request.constraint.allowed(trees[row])], budget)
        return self.drafting.cut(ready, trees)

    def _trees(self, ready: list[Request], trees: list[DraftTree]) -> StepInput:
        lengths = tuple(request.length for request in ready)
        packed = tree.pack(trees, lengths)
        return StepInput(
            torch.from_numpy(packed.token_ids),
            torch.from_numpy(packed.positions),
            slots=tuple(request.sequence.slot for request in ready),
            lengths=lengths,
            counts=packed.counts,
            tree_mask=None if packed.mask is None else torch.from_numpy(packed.mask),
            features=any(request.features.kinds for request in ready),
            adapters=of_rows([request.active for request in ready]),
        )

    def _verify(self, ready: list[Request], trees: list[DraftTree], logits: Tensor) -> list[Accepted]:
        """Verify constrained rows by the same rule, on the logits that their constraint leaves."""
        allowed = logits
        if any(request.constraint is not None for request in ready):
            allowed = logits.clone()
            for row, (request, draft) in enumerate(zip(ready, trees, strict=True)):
                if request.constraint is not None:
                    request.constraint.apply(allowed[row, : len(draft)], draft, request.sequence.sampling)
        samplings, rules = [request.sequence.sampling for request in ready], [request.acceptance for request in ready]
        entropies = [self.drafting.wants_entropy(request.drafters) for request in ready]
        return verify(trees, allowed, samplings, [request.length for request in ready], logits, rules, entropies)

    def _accept(
        self, ready: list[Request], trees: list[DraftTree], accepted: list[Accepted], output: StepOutput
    ) -> None:
        for row, (request, draft, taken) in enumerate(zip(ready, trees, accepted, strict=True)):
            self.cache.keep(request.sequence.slot, request.length, taken.path)
            request.length += len(taken.path)
            self.drafting.feedback(request, draft, taken)
            for kind in request.features.kinds:
                if (features := getattr(output, kind)) is not None:
                    request.features.add(
                        kind, features[row].index_select(0, torch.tensor(taken.path, device=features.device))
                    )

    def _learn(
        self, ready: list[Request], trees: list[DraftTree], accepted: list[Accepted], seconds: float | None
    ) -> None:
        lengths = [request.length - len(taken.path) for request, taken in zip(ready, accepted, strict=True)]
        self.drafting.learn(ready, trees, accepted, lengths, seconds)

    def _emit(self, ready: list[Request], trees: list[DraftTree], accepted: list[Accepted]) -> list[Output]:
        return [self._emit_row(*row) for row in zip(ready, trees, accepted, strict=True)]

    def _emit_row(self, request: Request, draft: DraftTree, accepted: Accepted) -> Output:
        sequence, reason, taken = request.sequence, None, 0
        for token, node in zip(accepted.token_ids, (*accepted.path[1:], None), strict=True):
            taken += 1
            positions = self.copied_positions(request, draft, node)
            sequence.token_ids.append(token)
            sequence.copied_from.append(positions[0] if positions else -1)
            request.context[request.tokens] = token
            request.tokens += 1
            if request.constraint is not None:
                request.constraint.advance(token)
            if token in self.stop_tokens or request.answer.add(token, self._origins(request, positions)):
                reason = FinishReason.STOP
            elif request.tokens == len(request.context):
                reason = FinishReason.LENGTH
            if reason is not None:
                break
        stats.count(sequence.stats, draft, accepted, taken)
        sequence.stats.decode_seconds = self.clock() - request.started
        delta = request.answer.take() if reason is None else request.answer.finish()
        if reason is not None:
            self._store_prefix(request)
            self._end(request, reason)
        logprobs, alternatives = accepted.logprobs[:taken], accepted.alternatives[:taken]
        return Output(
            sequence, delta.text, delta.spans, accepted.token_ids[:taken], logprobs, alternatives, finish=reason
        )

    def copied_positions(self, request: Request, draft: DraftTree, node: int | None) -> list[int]:
        """Return prompt positions the node was copied from; a copy of a copy is traced back."""
        if node is None:
            return []
        positions, prompt = [], len(request.sequence.prompt.token_ids)
        for origin in draft.origins[node]:
            if origin.position >= 0:
                position = (
                    origin.position
                    if origin.position < prompt
                    else request.sequence.copied_from[origin.position - prompt]
                )
                positions += [position] if position >= 0 else []
        return positions

    def _origins(self, request: Request, positions: Seq[int]) -> list[Origin]:
        origins = request.sequence.prompt.origins
        return [origin for position in positions if (origin := origins[position]) is not None]

    def _end(self, request: Request, reason: FinishReason) -> None:
        sequence = request.sequence
        sequence.finish_reason = reason
        if sequence.id in self.scheduler.running:
            self.drafting.finish(request)
        self.scheduler.remove(sequence)
        del self._requests[sequence.id]

    def _store_prefix(self, request: Request) -> None:
        verified = request.context[: min(request.length, request.tokens)]
        self.prefixes.store(
            verified.tolist(),
            self.cache,
            request.sequence.slot,
            request.features.all(),
            request.scope,
            mark_of(request.active),
        )
