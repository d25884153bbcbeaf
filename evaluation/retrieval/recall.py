"""Recall of an index, as a share of the true nearest vectors: they are found by comparing all, made
anew batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.retrieval.corpus import CHUNKS_PER_DOCUMENT, Corpus

NEAREST = 100
ROUNDED = 1e-5  # cosines that are no further apart are the same
# a question's vector, how many -> cosines of what was found
Find = Callable[[NDArray[np.float32], int], Sequence[float]]


def true_nearest(corpus: Corpus, sizes: Sequence[int], asked: NDArray[np.float32]) -> dict[int, NDArray[np.float32]]:
    """Cosines of each question's [questions, dim] nearest among so many chunks, for each size:
    [questions, NEAREST], greatest first."""
    best, found, seen = np.full((len(asked), NEAREST), -2.0, np.float32), {}, 0
    for number, document in enumerate(corpus.documents(max(sizes))):
        seen = number * CHUNKS_PER_DOCUMENT + len(document.chunks)
        best = np.partition(np.concatenate([best, asked @ document.vectors.T], axis=1), -NEAREST, axis=1)[:, -NEAREST:]
        if seen in sizes:
            found[seen] = -np.sort(-best, axis=1)
    return found


def recall(asked: NDArray[np.float32], true: NDArray[np.float32], nearest: int, find: Find) -> float:
    """The mean over the questions; `true` as true_nearest() tells it."""
    limits = np.maximum(true[:, :nearest].min(axis=1), 0.0)  # fusion does not tell negative cosines apart
    near = [
        sum(cosine >= limit - ROUNDED for cosine in find(vector, nearest))
        for vector, limit in zip(asked, limits, strict=True)
    ]
    return round(float(np.sum(near) / (true[:, :nearest] >= limits[:, None] - ROUNDED).sum()), 4)
