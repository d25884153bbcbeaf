"""Keys and values of every row, in one static tensor. Knows nothing of tokens, trees or how long a
row is: the engine does.

Layout [layers, 2, rows, kv_heads, length, head_dim]: K is [:, 0], V is [:, 1]. A step writes its
nodes behind a row's verified tokens; what was rejected is simply overwritten by the next step.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch


class KVCache:
    """`limit` positions can be asked for; memory for fewer is taken at first and doubled when a
    step needs more."""

    def __init__(
        self,
        layers: int,
        rows: int,
        kv_heads: int,
        head_dim: int,
        limit: int,
        *,
        dtype: torch.dtype,
        device: torch.device,
        initial: int = 1024,
    ) -> None:
        self.rows = rows
        self.limit = limit
        self.kv = torch.zeros(layers, 2, rows, kv_heads, min(limit, initial), head_dim, dtype=dtype, device=device)

    @property
    def length(self) -> int:
        """Positions there is memory for now."""
        return self.kv.shape[4]

    @property
    def bytes_per_token(self) -> int:
        return self.kv.nbytes // (self.rows * self.length)

    @torch.inference_mode()
    def reserve(self, length: int) -> None:
        """Make positions [0, length) of every row exist; what is there stays."""
        if length <= self.length:
            return
        assert length <= self.limit, f"{length} positions asked of a cache of {self.limit}"
        self._grow(4, min(self.limit, max(length, 2 * self.length)))

    @torch.inference_mode()
    def widen(self, rows: int) -> None:
        """Make so many rows exist; what is there stays."""
        if rows > self.rows:
            self._grow(2, rows)
            self.rows = rows

    def _grow(self, dim: int, size: int) -> None:
        shape = list(self.kv.shape)
        before, shape[dim] = shape[dim], size
        grown = torch.zeros(shape, dtype=self.kv.dtype, device=self.kv.device)
        grown.narrow(dim, 0, before).copy_(self.kv)
        self.kv = grown

    @torch.inference_mode()
    def keep(self, row: int, start: int, path: Sequence[int]) -> None:
        """Move the accepted nodes `path` (ascending, the root's 0 first) of a step that began at
        `start` to the front.

        After it the row holds start + len(path) verified positions. Costs nothing when the path is
        already 0, 1, 2, ...
        """
        first = next((i for i, node in enumerate(path) if node != i), len(path))
        if first == len(path):
            return
        # by numpy, as torch shares even this among threads, which then spin in the way of the next
        # step
        if not self.kv.is_cuda:
            bits = self.kv.view(torch.int16 if self.kv.itemsize == 2 else torch.int32).numpy()[:, :, row]
            bits[:, :, :, start + first : start + len(path)] = bits[:, :, :, [start + node for node in path[first:]]]
            return
        index = torch.tensor(path[first:], device=self.kv.device).add_(start)
        moved = self.kv[:, :, row].index_select(3, index)  # a copy: source and destination may overlap
        self.kv[:, :, row, :, start + first : start + len(path)].copy_(moved)

    @torch.inference_mode()
    def read_block(self, row: int, start: int, end: int) -> torch.Tensor:
        """Return a copy of positions [start, end): [layers, 2, kv_heads, end - start, head_dim]."""
        return self.kv[:, :, row, :, start:end].clone()

    @torch.inference_mode()
    def write_block(self, row: int, start: int, block: torch.Tensor) -> None:
        """Put what `read_block` returned at the same positions of any row (keys carry their
        absolute position)."""
        end = start + block.shape[3]
        self.reserve(end)
        self.kv[:, :, row, :, start:end].copy_(block)
