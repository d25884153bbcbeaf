"""Vectors without what they say of their language: so that an English question finds a Dutch
procedure.

An embedder that knows both languages still puts texts of one language nearer to each other. Sixty
sentences with their translations (pairs.tsv, written for this project) show how: the two directions
in which the pairs differ most are removed from every vector, of questions and passages alike. It
needs no labels and no text of the hospital. On the handbook the English questions about Dutch
procedures gain most: docs/evaluation.md has the figures.

The directions of an embedder are measured once, by `python -m rag_api.embed NAME`, and kept beside
this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag_api.embed.protocol import Embedder, close

FOLDER = Path(__file__).parent
DIRECTIONS = 2


class LanguageNeutral:
    """An embedder's vectors without the given directions, unit length again. A vector space of its
    own, so a name of its own."""

    def __init__(self, inner: Embedder, directions: NDArray[np.float32]) -> None:
        assert directions.shape[1:] == (inner.dim,), directions.shape
        self.inner, self._directions = inner, directions
        self.name, self.dim = f"{inner.name}+neutral", inner.dim

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return without(self.inner.passages(texts), self._directions)

    def query(self, text: str) -> NDArray[np.float32]:
        return without(self.inner.query(text), self._directions)

    def close(self) -> None:
        close(self.inner)


def without(vectors: NDArray[np.float32], directions: NDArray[np.float32]) -> NDArray[np.float32]:
    """[..., dim] without their part along `directions` [k, dim] (orthonormal), unit length."""
    rest = vectors - (vectors @ directions.T) @ directions
    unit: NDArray[np.float32] = rest / np.maximum(np.linalg.norm(rest, axis=-1, keepdims=True), 1e-12)
    return unit


def neutral(embedder: Embedder) -> Embedder:
    """The embedder without its languages where that was measured to help, else as it is."""
    path = FOLDER / f"{embedder.name}.npy"
    return LanguageNeutral(embedder, np.load(path, allow_pickle=False)) if path.exists() else embedder


def measure(embedder: Embedder) -> NDArray[np.float32]:
    """[DIRECTIONS, dim]: the main directions of Dutch minus English, over the pairs as passages and
    as questions."""
    dutch, english = zip(
        *(line.split("\t") for line in (FOLDER / "pairs.tsv").read_text(encoding="utf-8").splitlines()), strict=True
    )
    as_passages = embedder.passages(dutch) - embedder.passages(english)
    as_questions = np.stack([embedder.query(a) - embedder.query(b) for a, b in zip(dutch, english, strict=True)])
    return np.linalg.svd(np.concatenate([as_passages, as_questions]), full_matrices=False)[2][:DIRECTIONS].astype(
        np.float32
    )
