"""A model that writes ahead: next tokens of several contexts, the likeliest or as they are drawn,
with keys and values of its own.

What a context shares with what was read of it before is not read again, so tokens that were written
ahead and then rejected are simply overwritten. Knows nothing of trees, drafters or text.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from services.generator.models import StepInput, Target
from services.generator.models.kv_cache import KVCache

CHUNK = 512  # tokens read at a time
# logits [R, V], the contexts' places, step -> tokens, chances [R]
Choose = Callable[[Tensor, Seq[int], int], tuple[Tensor, Tensor]]


@dataclass(frozen=True, slots=True)
class Ahead:
    """What was written, and the probability that the model gave each token."""

    token_ids: tuple[int, ...]
    probabilities: tuple[float, ...]


@dataclass(slots=True)
class AheadRow:
    slot: int
    # tokens whose keys are in the cache
    known: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))


class WriteAhead:
    """`context`: tokens of one row at most, what is written included; the model's own limit where
    it is less."""

    def __init__(self, model: Target, context: int | None = None, rows: int = 4) -> None:
        self.model = model
        self.context = min(context or model.config.max_positions, model.config.max_positions)
        self._first = rows
        self._cache: KVCache | None = None  # taken when somebody writes
        self._rows: dict[str, AheadRow] = {}

    def start(self, name: str) -> None:
        """Take a row; nothing is read yet."""
        taken = {row.slot for row in self._rows.values()}
        slot = next(number for number in range(len(taken) + 1) if number not in taken)
        if self._cache is None:
            self._cache = self.model.new_cache(self._first, self.context)
        if slot == self._cache.rows:
            self._cache = _doubled(self.model, self._cache, self.context)
        self._rows[name] = AheadRow(slot)

    def finish(self, name: str) -> None:
        self._rows.pop(name, None)

    @torch.inference_mode()
    def write(
        self, contexts: Seq[tuple[str, NDArray[np.int32]]], count: int, choose: Choose | None = None
    ) -> list[Ahead]:
        """Continue each context (by its name) by `count` tokens; by none where that would be more
        than `context`.

        `choose` says which tokens; absent: the likeliest."""
        fits = [place for place, (_, tokens) in enumerate(contexts) if len(tokens) + count <= self.context]
        written = [Ahead((), ())] * len(contexts)
        if not fits or count < 1:
            return written
        rows = [self._rows[contexts[place][0]] for place in fits]
        logits = self._read(rows, [contexts[place][1] for place in fits])
        chosen: list[Tensor] = []
        chances: list[Tensor] = []
        for step in range(count):
            tokens_of, chances_of = (choose or likeliest)(logits, fits, step)
            chosen.append(tokens_of)
            chances.append(chances_of)
            if step + 1 < count:
                logits = self._step(rows, tokens_of, [len(contexts[place][1]) + step for place in fits])
        tokens, values = torch.stack(chosen, 1).tolist(), torch.stack(chances, 1).tolist()  # one download
        for place, row, own, own_values in zip(fits, rows, tokens, values, strict=True):
            row.known = np.concatenate([contexts[place][1], np.array(own[:-1], np.int32)])
            written[place] = Ahead(tuple(own), tuple(own_values))
        return written

    def _read(self, rows: Seq[AheadRow], contexts: Seq[NDArray[np.int32]]) -> Tensor:
        """Read what is new of each context -> logits fp32 [R, V] after its last token."""
        done = [min(_shared(row.known, tokens), len(tokens) - 1) for row, tokens in zip(rows, contexts, strict=True)]
        last: list[Tensor | None] = [None] * len(rows)
        while todo := [place for place, tokens in enumerate(contexts) if done[place] < len(tokens)]:
            counts = [min(CHUNK, len(contexts[place]) - done[place]) for place in todo]
            tokens = torch.zeros(len(todo), max(counts), dtype=torch.int64)
            positions = torch.zeros_like(tokens)
            for at, (place, count) in enumerate(zip(todo, counts, strict=True)):
                tokens[at, :count] = torch.from_numpy(
                    contexts[place][done[place] : done[place] + count].astype(np.int64)
                )
                positions[at, :count] = torch.arange(done[place], done[place] + count)
            slots, lengths = tuple(rows[place].slot for place in todo), tuple(done[place] for place in todo)
            step = StepInput(tokens, positions, slots, lengths, tuple(counts), tree_mask=None, logits_from=-1)
            logits = self.model.forward(step, self._kept).logits
            for at, (place, count) in enumerate(zip(todo, counts, strict=True)):
                done[place] += count
                last[place] = logits[at, 0]
        return torch.stack([each for each in last if each is not None])

    def _step(self, rows: Seq[AheadRow], tokens: Tensor, lengths: Seq[int]) -> Tensor:
        """Read one more token of each row -> logits fp32 [R, V]."""
        positions = torch.tensor(lengths, dtype=torch.int64)[:, None]
        slots = tuple(row.slot for row in rows)
        step = StepInput(tokens[:, None].cpu(), positions, slots, tuple(lengths), (1,) * len(rows), tree_mask=None)
        return self.model.forward(step, self._kept).logits[:, 0]

    @property
    def _kept(self) -> KVCache:
        assert self._cache is not None, "a row is taken before it is written to"
        return self._cache


def likeliest(logits: Tensor, _: Seq[int], __: int) -> tuple[Tensor, Tensor]:
    """Choose each context's likeliest token, with its probability."""
    best = logits.log_softmax(-1).max(-1)
    return best.indices, best.values.exp()


def _shared(known: NDArray[np.int32], tokens: NDArray[np.int32]) -> int:
    """Return how many tokens both begin with."""
    length = min(len(known), len(tokens))
    differ = np.flatnonzero(known[:length] != tokens[:length])
    return int(differ[0]) if len(differ) else length


def _doubled(model: Target, cache: KVCache, context: int) -> KVCache:
    """Return a cache of twice the rows that holds what `cache` does."""
    grown = model.new_cache(2 * cache.rows, context)
    grown.reserve(cache.length)
    grown.kv[:, :, : cache.rows, :, : cache.length].copy_(cache.kv)
    return grown
