"""texts -> vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Unit-length float32 vectors. `name` identifies the vector space and is recorded in the index. Raises EmbedderUnavailable."""

    name: str
    dim: int

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[len(texts), dim]; puts the model's passage prefix in front."""

    def query(self, text: str) -> NDArray[np.float32]:
        """[dim]; puts the model's query prefix in front."""
