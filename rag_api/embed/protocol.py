"""The protocol of an embedder, and the words that models want in front of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Unit-length float32 vectors. `name` identifies the vector space and is recorded in the index.
    Raises EmbedderUnavailable."""

    name: str
    dim: int

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[len(texts), dim]; puts the model's passage prefix in front."""

    def query(self, text: str) -> NDArray[np.float32]:
        """[dim]; puts the model's query prefix in front."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    query: str = ""
    passage: str = ""


E5 = Prefixes("query: ", "passage: ")


def prefixes_of(model: str) -> Prefixes:
    """What the model was trained to see in front of a text, from its name; wrong prefixes cost
    several points of MRR."""
    return E5 if "e5-" in model.lower() else Prefixes()


@runtime_checkable
class Closable(Protocol):
    def close(self) -> None: ...


def close(embedder: Embedder) -> None:
    """Of those that hold a connection."""
    if isinstance(embedder, Closable):
        embedder.close()
