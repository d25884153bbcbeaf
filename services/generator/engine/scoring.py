"""Likelihoods that a model gives continuations of prompts: exact log-probabilities, computed in the
engine's steps beside those who decode.

A prompt's tokens are computed once: what the prefix cache knows of it is taken from there, and what
others may ask again is put there. Continuations of several tokens are one draft tree below its last
token, so that all of them cost one more step. Nothing is sampled. Knows nothing of text or HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Seq
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from services.generator.engine.pieces import PromptPiece, chains, in_turn
from services.generator.engine.prefix_cache import BLOCK, PrefixCache
from services.generator.errors import BadRequest
from services.generator.models import StepInput, StepOutput
from services.generator.models.decoder.adapters import Active, mark_of, of_rows
from services.generator.models.kv_cache import KVCache
from services.generator.speculation import tree
from services.generator.types import DraftTree

FEW = 8  # tokens: an end is kept where as many would be computed again without it


@dataclass(frozen=True, slots=True)
class Scoring:
    """Tokens of a prompt and of each of its continuations; none of them is empty. `ends` of the
    prompt's pieces: where others may part from it."""

    prompt: tuple[int, ...]
    continuations: tuple[tuple[int, ...], ...]
    active: Active | None = None  # an adapter that works on prompt and continuations
    ends: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class PromptReading:
    """A Scoring on its way. Whoever asked may cancel `future`."""

    scoring: Scoring
    future: Future[list[float]]
    came: int  # tokens that the engine had computed by then
    known: int  # of the prompt that the prefix cache has
    draft: DraftTree = field(init=False)  # tokens behind which something is told, below the prompt's last
    paths: list[list[int]] = field(init=False)  # of each continuation, the nodes at which its tokens are told
    slot: int = -1
    length: int = 0  # of the prompt that are in the KV cache

    def __post_init__(self) -> None:
        self.draft, self.paths = _tree(self.scoring)

    @property
    def chain(self) -> int:
        """Tokens of the prompt that are computed in its order; the last one is a tree's root where
        there is one."""
        return len(self.scoring.prompt) - (len(self.draft) > 1)

    @property
    def missing(self) -> int:
        """Tokens to be computed until the next of its steps is done."""
        return self.chain - self.length or len(self.draft)


class Readings:
    """Those that wait and those that have a row of the cache, behind the rows of those who
    decode."""

    def __init__(self, cache: KVCache, prefixes: PrefixCache, rows: int) -> None:
        self.waiting: list[PromptReading] = []
        self.running: list[PromptReading] = []
        self._cache, self._prefixes = cache, prefixes
        self._free = list(range(cache.rows + rows - 1, cache.rows - 1, -1))
        self._rows = cache.rows + rows
        self.computed = 0  # tokens

    def add(self, scoring: Scoring, future: Future[list[float]], computed: int, context: int) -> None:
        """Raises BadRequest for what does not fit."""
        size = len(scoring.prompt) + sum(map(len, scoring.continuations))
        if size > context:
            raise BadRequest(f"a prompt and its continuations have {size} tokens; the context is {context}")
        if not scoring.prompt or not all(scoring.continuations):
            raise BadRequest("a prompt or a continuation is empty")
        known = self._prefixes.known(scoring.prompt[:-1], adapted=mark_of(scoring.active))
        self.waiting.append(PromptReading(scoring, future, computed, known))

    def admit(self, computed: int) -> None:
        """Give free rows to whose turn it is; whom nobody waits for any more is forgotten."""
        self.waiting = [one for one in self.waiting if not one.future.cancelled()]
        for one in [one for one in self.running if one.future.cancelled()]:
            self._leave(one)
        order = in_turn(
            [len(one.scoring.prompt) - one.known for one in self.waiting],
            [computed - one.came for one in self.waiting],
        )
        admitted = [self.waiting[place] for place in order[: len(self._free)]]
        if admitted:
            self._cache.widen(self._rows)
        for one in admitted:
            one.slot, prompt = self._free.pop(), one.scoring.prompt[:-1]
            one.length, _ = self._prefixes.load(prompt, self._cache, one.slot, adapted=mark_of(one.scoring.active))
            one.known = one.length
            self.waiting.remove(one)
            self.running.append(one)

    def fail(self, error: Exception) -> None:
        """Tell those that run that nothing comes of it."""
        for one in list(self.running):
            self._leave(one)
            if one.future.set_running_or_notify_cancel():
                one.future.set_exception(error)

    def steps(self, given: Seq[tuple[PromptReading, int]]) -> list[StepInput]:
        """Return what computes so many tokens of each: prompts' parts, prompts' ends, trees."""
        parts, ends, trees = _kinds(given)
        found = [chains([_piece(*each) for each in part], logits) for part, logits in ((parts, 0), (ends, 1)) if part]
        return [*found, _trees([one for one, _ in trees])] if trees else found

    def take(self, given: Seq[tuple[PromptReading, int]], outputs: Iterator[StepOutput]) -> None:
        """Take in what came of `steps`, in its order, and tell what is known by it."""
        parts, ends, trees = _kinds(given)
        self.computed += sum(count for _, count in given)
        for part in (parts, ends, trees):
            logits = next(outputs).logits if part else None
            for row, (one, count) in enumerate(part):
                if part is not trees:
                    one.length += count
                    if one.length == one.chain:
                        self._store(one)
                if part is not parts:
                    assert logits is not None
                    self._tell(one, logits[row, : len(one.draft)].log_softmax(-1))

    def _store(self, one: PromptReading) -> None:
        """Ends that another prompt would hardly gain by are left out."""
        ends = [min(end, one.length) for end in one.scoring.ends]
        kept = [end for end in ends if end - max(one.known, end - end % BLOCK) >= FEW]
        prompt = one.scoring.prompt[: one.length]
        self._prefixes.store(prompt, self._cache, one.slot, {}, adapted=mark_of(one.scoring.active), ends=kept)

    def _tell(self, one: PromptReading, log_p: Tensor) -> None:
        """log_p: log-probabilities [nodes, V]."""
        self._leave(one)
        if one.future.set_running_or_notify_cancel():
            paths = zip(one.paths, one.scoring.continuations, strict=True)
            one.future.set_result([float(log_p[path, tokens].sum()) for path, tokens in paths])

    def _leave(self, one: PromptReading) -> None:
        self.running.remove(one)
        self._free.append(one.slot)


Given = list[tuple[PromptReading, int]]


def _kinds(given: Seq[tuple[PromptReading, int]]) -> tuple[Given, Given, Given]:
    """Return those whose tokens end before the prompt does, those of its end, those that are
    trees."""
    parts: Given = []
    ends: Given = []
    trees: Given = []
    for one, count in given:
        end = one.length + count == len(one.scoring.prompt)
        (trees if one.length == one.chain else ends if end else parts).append((one, count))
    return parts, ends, trees


def _piece(one: PromptReading, count: int) -> PromptPiece:
    tokens = np.array(one.scoring.prompt[one.length : one.length + count], np.int32)
    return PromptPiece(tokens, one.slot, one.length, one.scoring.active)


def _trees(readings: Seq[PromptReading]) -> StepInput:
    lengths = tuple(one.length for one in readings)
    packed = tree.pack([one.draft for one in readings], lengths)
    return StepInput(
        torch.from_numpy(packed.token_ids),
        torch.from_numpy(packed.positions),
        slots=tuple(one.slot for one in readings),
        lengths=lengths,
        counts=packed.counts,
        tree_mask=None if packed.mask is None else torch.from_numpy(packed.mask),
        adapters=of_rows([one.scoring.active for one in readings]),
    )


def _tree(scoring: Scoring) -> tuple[DraftTree, list[list[int]]]:
    """Return the continuations as a tree below the prompt's last token, without what nothing
    follows, and of each the nodes at which its tokens are told."""
    builder, paths = tree.TreeBuilder(scoring.prompt[-1]), []
    for tokens in scoring.continuations:
        path = [0]
        for token in tokens[:-1]:
            path.append(builder.add(path[-1], token, 1.0, ()))
        paths.append(path)
    return DraftTree(
        tuple(builder.token_ids), tuple(builder.parents), tuple(builder.scores), tuple(builder.origins)
    ), paths
