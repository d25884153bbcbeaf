"""An EAGLE head's keys and values: one layer's, one row per sequence. Knows nothing of trees; who
sees whom is the caller's business."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from services.generator.models.heads.eagle import Attend, DraftHead


@dataclass(slots=True)
class HeadCache:
    """Keys and values of verified features, one row per sequence, each with its own length; drafted
    nodes live behind it for one step.

    `origins[row]` is the position of the first cached token: not 0 when a cached prefix of the
    prompt brought no features.
    """

    kv: Tensor  # [2, rows, kv_heads, capacity, d]: keys and values
    lengths: list[int]
    origins: list[int]

    @classmethod
    def empty(cls, head: DraftHead, rows: int, capacity: int) -> HeadCache:
        shape = (2, rows, head.config.kv_heads, capacity, head.config.head_dim)
        return cls(torch.zeros(shape, dtype=head.dtype, device=head.device), [0] * rows, [0] * rows)

    def reserve(self, row: int, length: int) -> None:
        """Make room for `length` keys in `row`; grows by doubling, never shrinks."""
        _, rows, kv_heads, capacity, width = self.kv.shape
        grown_rows = rows if row < rows else max(row + 1, 2 * rows)
        grown = capacity if length <= capacity else max(length, 2 * capacity)
        if (grown_rows, grown) == (rows, capacity):
            return
        new = self.kv.new_zeros((2, grown_rows, kv_heads, grown, width))
        new[:, :rows, :, :capacity] = self.kv
        self.kv = new
        self.lengths += [0] * (grown_rows - rows)
        self.origins += [0] * (grown_rows - rows)

    def attend(self, rows: list[int], starts: list[int], visible: Tensor) -> Attend:
        """Write N keys per row from `starts` on, then attend by `visible`, bool [R, M, up to], over
        the cache.

        Query heads of one KV head are laid side by side as queries, so that nothing is repeated.
        """
        up_to, device = visible.shape[-1], self.kv.device
        all_keys, all_values = self.kv.unbind(0)
        contiguous = rows == list(range(rows[0], rows[0] + len(rows)))
        chosen = slice(rows[0], rows[0] + len(rows)) if contiguous else torch.tensor(rows, device=device)

        def write(k: Tensor, v: Tensor) -> None:
            """Write k, v [R, kv_heads, N, d]"""
            if len(rows) == 1:
                all_keys[rows[0], :, starts[0] : starts[0] + k.shape[2]] = k[0]
                all_values[rows[0], :, starts[0] : starts[0] + k.shape[2]] = v[0]
                return
            index = torch.tensor(rows, device=device)[:, None]
            places = torch.tensor(starts, device=device)[:, None] + torch.arange(k.shape[2], device=device)  # [R, N]
            all_keys[index, :, places] = k.transpose(1, 2)
            all_values[index, :, places] = v.transpose(1, 2)

        def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            write(k, v)
            keys, values = all_keys[:, :, :up_to][chosen], all_values[:, :, :up_to][chosen]
            group = q.shape[1] // keys.shape[1]
            packed = q.reshape(len(rows), keys.shape[1], group * q.shape[2], q.shape[3])
            mask = visible[:, None].repeat(1, 1, group, 1)  # [R, 1, group * M, up to]
            return F.scaled_dot_product_attention(packed, keys, values, attn_mask=mask).reshape(q.shape)

        return run
