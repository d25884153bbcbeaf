"""Prompts that begin alike are computed once: keys and values of whole blocks of tokens, found by a hash of all before them.

Blocks are copied out of the KV cache's rows and into them; keys carry their absolute position, so a block fits any row.
Knows nothing of text or of who asks: a block can only be found by someone whose prompt holds all of its tokens.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import torch
from torch import Tensor

from services.generator.models.kv_cache import KVCache

BLOCK = 64  # tokens


@dataclass(frozen=True, slots=True)
class Block:
    kv: Tensor  # [layers, 2, kv_heads, BLOCK, head_dim]
    features: Tensor | None  # [BLOCK, h or 3h]: what an EAGLE head wants of these tokens, when one is in use

    @property
    def bytes(self) -> int:
        return self.kv.nbytes + (0 if self.features is None else self.features.nbytes)


class PrefixCache:
    """Holds at most `limit` bytes; what was used longest ago goes first."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.bytes = 0
        self._blocks: OrderedDict[bytes, Block] = OrderedDict()

    def load(self, tokens: Seq[int], cache: KVCache, slot: int, features: bool) -> tuple[int, Tensor | None]:
        """Fills the row with the longest known prefix of `tokens`: its length, and its features when they are asked for."""
        found: list[Block] = []
        hashes = _hashes(tokens)
        for name in hashes:
            block = self._blocks.get(name)
            if block is None or (features and block.features is None):
                break
            found.append(block)
        for name in reversed(hashes[: len(found)]):  # the first block, which all the others need, is the last to go
            self._blocks.move_to_end(name)
        for index, block in enumerate(found):
            cache.write_block(slot, index * BLOCK, block.kv)
        joined = torch.cat([block.features for block in found if block.features is not None]) if features and found else None
        return len(found) * BLOCK, joined

    def store(self, tokens: Seq[int], cache: KVCache, slot: int, features: Tensor | None) -> None:
        """Keeps the whole blocks of a row whose first len(tokens) positions are verified. `features` [len(tokens), ...]."""
        hashes = _hashes(tokens)
        for index, name in enumerate(hashes):
            start, end = index * BLOCK, (index + 1) * BLOCK
            known = self._blocks.get(name)
            if known is None or (known.features is None and features is not None):
                block = Block(cache.read_block(slot, start, end), None if features is None else features[start:end].clone())
                self.bytes += block.bytes - (known.bytes if known else 0)
                self._blocks[name] = block
        for name in reversed(hashes):
            self._blocks.move_to_end(name)
        while self.bytes > self.limit:
            self.bytes -= self._blocks.popitem(last=False)[1].bytes


def _hashes(tokens: Seq[int]) -> list[bytes]:
    """One per whole block; each covers every token from the first on."""
    array = np.asarray(tokens, dtype=np.int32)
    names, running = [], blake2b(digest_size=16)
    for start in range(0, len(array) - BLOCK + 1, BLOCK):
        running.update(array[start : start + BLOCK].tobytes())
        names.append(running.digest())
    return names
