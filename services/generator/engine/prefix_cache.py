"""Prompts that begin alike are computed once: keys and values of whole blocks of tokens, and of
ends of blocks where prompts are known to part, found by a hash of all before them.

Blocks are copied out of the KV cache's rows and into them; keys carry their absolute position, so a
block fits any row. Knows nothing of text: a block can only be found by someone whose prompt holds
all of its tokens, and who is of the same scope: what others asked shows neither in the time that an
answer takes nor in its counts.
"""

from __future__ import annotations

import itertools
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
KEPT = 128 * 384  # tokens: passages of a hospital's more common questions
SHARE = 8  # of the memory, one byte in so many at most

# an adapter, and the first token that it worked on: blocks that end before are the base model's,
# and everybody's
Adapted = tuple[str, int]


def usual_limit(bytes_per_token: int, memory: int) -> int:
    """Return the bytes of a cache where nobody says."""
    return min(KEPT * bytes_per_token, memory // SHARE)


@dataclass(frozen=True, slots=True)
class CacheBlock:
    kv: Tensor  # [layers, 2, kv_heads, n, head_dim]; n: BLOCK, or fewer of an end
    features: Mapping[FeatureKind, Tensor]  # [n, h or 3h]: what heads want of these tokens, when they are in use

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
        known = self._names(tokens, kinds, scope, adapted)
        blocks, length = [self.blocks[name] for name in known], 0
        self._touch(known)
        for block in blocks:
            cache.write_block(slot, length, block.kv)
            length += block.kv.shape[3]
        joined = {kind: torch.cat([block.features[kind] for block in blocks]) for kind in kinds} if blocks else {}
        return length, joined

    def known(
        self,
        tokens: Seq[int],
        kinds: frozenset[FeatureKind] = frozenset(),
        scope: str = "",
        adapted: Adapted | None = None,
    ) -> int:
        """Return how many tokens `load` would find."""
        return sum(self.blocks[name].kv.shape[3] for name in self._names(tokens, kinds, scope, adapted))

    def store(
        self,
        tokens: Seq[int],
        cache: KVCache,
        slot: int,
        features: Mapping[FeatureKind, Tensor],
        scope: str = "",
        adapted: Adapted | None = None,
        ends: Seq[int] = (),
    ) -> None:
        """Keep the whole blocks of a row whose first len(tokens) positions are verified, and what
        lies before each of `ends`, where other prompts will part. `features` [len(tokens), ...] by
        kind."""
        names = _PrefixNames(tokens, scope, adapted)
        places = [(index * BLOCK, index * BLOCK + BLOCK, name) for index, name in enumerate(names.blocks)]
        places += [(end - end % BLOCK, end, names.end(end)) for end in sorted(ends) if end % BLOCK]
        for start, end, name in places:
            known = self.blocks.get(name)
            if known is None or not features.keys() <= known.features.keys():
                fresh = {kind: all_of[start:end].clone() for kind, all_of in features.items()}
                block = CacheBlock(cache.read_block(slot, start, end), {**(known.features if known else {}), **fresh})
                self.bytes += block.bytes - (known.bytes if known else 0)
                self.blocks[name] = block
        self._touch([name for _, _, name in places])
        while self.bytes > self.limit:
            self.bytes -= self.blocks.popitem(last=False)[1].bytes

    def _names(
        self, tokens: Seq[int], kinds: frozenset[FeatureKind], scope: str, adapted: Adapted | None
    ) -> list[bytes]:
        """Return those of the longest known prefix."""
        names = _PrefixNames(tokens, scope, adapted)
        known = list(itertools.takewhile(lambda name: self._has(name, kinds), names.blocks))
        whole = len(known) * BLOCK
        ends = range(min(len(tokens), whole + BLOCK - 1), whole, -1)
        return known + list(itertools.islice((n for end in ends if self._has(n := names.end(end), kinds)), 1))

    def _has(self, name: bytes, kinds: frozenset[FeatureKind]) -> bool:
        block = self.blocks.get(name)
        return block is not None and kinds <= block.features.keys()

    def _touch(self, names: Seq[bytes]) -> None:
        """The first block, which all the others need, is the last to go."""
        for name in reversed(names):
            self.blocks.move_to_end(name)


class _PrefixNames:
    """Of a prompt's blocks and ends: each covers the scope, every token from the first on, and the
    adapter that worked on one of them."""

    def __init__(self, tokens: Seq[int], scope: str, adapted: Adapted | None) -> None:
        self._tokens, self._adapted = np.asarray(tokens, dtype=np.int32), adapted
        self._before = [blake2b(digest_size=16, key=scope.encode()[:64])]
        for start in range(0, len(tokens) - BLOCK + 1, BLOCK):
            self._before.append(self._with(start, start + BLOCK))
        self.blocks = [each.digest() for each in self._before[1:]]

    def end(self, end: int) -> bytes:
        """Return the name of what lies between the last whole block and `end`."""
        return self._with(end - end % BLOCK, end).digest()

    def _with(self, start: int, end: int) -> blake2b:
        running = self._before[start // BLOCK].copy()
        running.update(self._tokens[start:end].tobytes())
        if self._adapted is not None and start <= self._adapted[1] < end:
            running.update(f"{self._adapted[0]} {self._adapted[1]}".encode())
        return running
