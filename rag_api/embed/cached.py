"""A memory in front of an embedder."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_api.embed.protocol import Embedder, close


class Cached:
    """Remembers the vectors of the texts last embedded: repeated questions, and sentences of
    passages that come back often."""

    def __init__(self, inner: Embedder, megabytes: int = 64) -> None:
        self.inner = inner
        self.name, self.dim = inner.name, inner.dim
        self._capacity = max(1, megabytes * 2**20 // (4 * inner.dim))
        self._vectors: OrderedDict[tuple[bool, str], NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        known = {t: self._get((False, t)) for t in texts}
        missing = [t for t, vector in known.items() if vector is None]
        if missing:
            for text, vector in zip(missing, self.inner.passages(missing), strict=True):
                known[text] = self._put((False, text), vector)
        return np.array([known[t] for t in texts], np.float32).reshape(len(texts), self.dim)

    def query(self, text: str) -> NDArray[np.float32]:
        vector = self._get((True, text))
        return self._put((True, text), self.inner.query(text)) if vector is None else vector

    def forget(self) -> None:
        """For measuring what a first question costs."""
        with self._lock:
            self._vectors.clear()

    def close(self) -> None:
        close(self.inner)

    def _get(self, key: tuple[bool, str]) -> NDArray[np.float32] | None:
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def _put(self, key: tuple[bool, str], vector: NDArray[np.float32]) -> NDArray[np.float32]:
        vector = np.array(vector, np.float32)
        vector.setflags(write=False)  # it is shared by everyone who asks for it
        with self._lock:
            self._vectors[key] = vector
            while len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)
        return vector
