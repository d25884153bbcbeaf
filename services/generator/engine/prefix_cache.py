"""Prompts that begin alike are computed once: keys and values of whole blocks of tokens, found by a
hash of all before them.

Blocks are copied out of the KV cache's rows and into them; keys carry their absolute position, so a
block fits any row. Knows nothing of text: a block can only be found by someone whose prompt holds
all of its tokens, and who is of the same scope: what others asked shows neither in the time that an
answer takes nor in its counts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import torch
from torch import Tensor

from services.generator.models import FeatureKind
from services.generator.models.kv_cache import KVCache

BLOCK = 64  # tokens

# an adapter, and the first token that it worked on: blocks that end before are the base model's,
# and everybody's
Adapted = tuple[str, int]


@dataclass(frozen=True, slots=True)
class CacheBlock:
    kv: Tensor  # [layers, 2, kv_heads, BLOCK, head_dim]
    features: Mapping[FeatureKind, Tensor]  # [BLOCK, h or 3h]: what heads want of these tokens, when they are in use

    @property
    def bytes(self) -> int:
        return self.kv.nbytes + sum(features.nbytes for features in self.features.values())


class PrefixCache:
    """Holds at most `limit` bytes; what was used longest ago goes first."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.bytes = 0
        self.blocks: OrderedDict[bytes, CacheBlock] = OrderedDict()  # by the names of the prefixes they end

    def load(
        self,
        tokens: Seq[int],
        cache: KVCache,
        slot: int,
        kinds: frozenset[FeatureKind] = frozenset(),
        scope: str = "",
        adapted: Adapted | None = None,
    ) -> tuple[int, dict[FeatureKind, Tensor]]:
        """Fill the row with the longest known prefix of `tokens` that has features of these kinds:
        its length, and the features."""
        known: list[CacheBlock] = []
        hashes = _hashes(tokens, scope, adapted)
        for name in hashes:
            block = self.blocks.get(name)
            if block is None or not kinds <= block.features.keys():
                break
            known.append(block)
        for name in reversed(hashes[: len(known)]):  # the first block, which all the others need, is the last to go
            self.blocks.move_to_end(name)
        for index, block in enumerate(known):
            cache.write_block(slot, index * BLOCK, block.kv)
        joined = {kind: torch.cat([block.features[kind] for block in known]) for kind in kinds} if known else {}
        return len(known) * BLOCK, joined

    def store(
        self,
        tokens: Seq[int],
        cache: KVCache,
        slot: int,
        features: Mapping[FeatureKind, Tensor],
        scope: str = "",
        adapted: Adapted | None = None,
    ) -> None:
        """Keep the whole blocks of a row whose first len(tokens) positions are verified. `features`
        [len(tokens), ...] by kind."""
        hashes = _hashes(tokens, scope, adapted)
        for index, name in enumerate(hashes):
            start, end = index * BLOCK, (index + 1) * BLOCK
            known = self.blocks.get(name)
            if known is None or not features.keys() <= known.features.keys():
                fresh = {kind: all_of[start:end].clone() for kind, all_of in features.items()}
                block = CacheBlock(cache.read_block(slot, start, end), {**(known.features if known else {}), **fresh})
                self.bytes += block.bytes - (known.bytes if known else 0)
                self.blocks[name] = block
        for name in reversed(hashes):
            self.blocks.move_to_end(name)
        while self.bytes > self.limit:
            self.bytes -= self.blocks.popitem(last=False)[1].bytes


def _hashes(tokens: Seq[int], scope: str, adapted: Adapted | None = None) -> list[bytes]:
    """Return one per whole block; each covers the scope, every token from the first on, and the
    adapter that worked on one of them."""
    array = np.asarray(tokens, dtype=np.int32)
    names, running = [], blake2b(digest_size=16, key=scope.encode()[:64])
    for start in range(0, len(array) - BLOCK + 1, BLOCK):
        running.update(array[start : start + BLOCK].tobytes())
        if adapted is not None and start <= adapted[1] < start + BLOCK:
            running.update(f"{adapted[0]} {adapted[1]}".encode())
        names.append(running.digest())
    return names
