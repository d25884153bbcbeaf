"""An embedder that first looks where vectors were kept: by a key of its name and the text, in half
precision.

Whoever weighs sentences rounds every vector so (`halved`), kept or new: an answer must not depend
on which of them were kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from rag_api.embed.protocol import Embedder

Lookup = Callable[[Sequence[bytes]], Mapping[bytes, bytes]]
HALF = np.dtype("<f2")


class DbVectorCache:
    """`look`: keys -> the packed vectors of those that are known."""

    def __init__(self, inner: Embedder, look: Lookup) -> None:
        self._inner, self._look = inner, look
        self.name, self.dim = inner.name, inner.dim

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [key_of(self.name, text) for text in texts]
        known = self._look(keys) if keys else {}
        missing = list(dict.fromkeys(text for text, key in zip(texts, keys, strict=True) if key not in known))
        new = dict(zip(missing, self._inner.passages(missing), strict=True)) if missing else {}
        vectors = [unpacked(known[key]) if key in known else new[text] for text, key in zip(texts, keys, strict=True)]
        return np.array(vectors, np.float32).reshape(len(texts), self.dim)

    def query(self, text: str) -> NDArray[np.float32]:
        return self._inner.query(text)


def key_of(embedder: str, text: str) -> bytes:
    """16 bytes; another embedder's vector of the same text has another key."""
    return blake2b(f"{embedder}\0{text}".encode("utf-8", "replace"), digest_size=16).digest()


def packed(vector: NDArray[np.float32]) -> bytes:
    return vector.astype(HALF).tobytes()


def unpacked(data: bytes) -> NDArray[np.float32]:
    return np.frombuffer(data, HALF).astype(np.float32)


def halved(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rounded as `packed` does: a cosine changes by some .00002."""
    return vectors.astype(HALF).astype(np.float32)
