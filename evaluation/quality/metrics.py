"""Ranks and decisions -> figures. Pure functions; knows nothing of questions, stores or files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Interval = tuple[float, float]


def hit_at(ranks: Sequence[int | None], k: int) -> float:
    """Share of questions whose right document is among the first k hits. ranks: from 1, None: not
    among the hits."""
    return float(np.mean([rank is not None and rank <= k for rank in ranks])) if ranks else 0.0


def mrr(ranks: Sequence[int | None]) -> float:
    """Mean reciprocal rank; a question without its document among the hits counts 0."""
    return float(np.mean([1.0 / rank if rank else 0.0 for rank in ranks])) if ranks else 0.0


def precision_recall(said: Sequence[bool], true: Sequence[bool]) -> tuple[float, float]:
    """Of what was said, how much is true; of what is true, how much was said. 1.0 where there is
    nothing to count."""
    both = sum(s and t for s, t in zip(said, true, strict=True))
    return both / sum(said) if any(said) else 1.0, both / sum(true) if any(true) else 1.0


RESAMPLES = 1000
_AT_ONCE = 2_000_000  # drawn indices that are held in memory


def bootstrap_ratio(numerators: Sequence[float], denominators: Sequence[float], seed: int = 0) -> Interval:
    """The middle 95% of sum(numerators) / sum(denominators) over resampled questions; a resample
    with nothing to divide by counts 1.

    With denominators of 1 that is a mean: Hit@k, MRR. Precision: said and true over said.
    """
    if not len(numerators):
        return 0.0, 0.0
    above, below = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    rng, figures = np.random.default_rng(seed), []
    rows = max(1, _AT_ONCE // len(above))
    for begin in range(0, RESAMPLES, rows):
        drawn = rng.integers(0, len(above), (min(rows, RESAMPLES - begin), len(above)))
        top, bottom = above[drawn].sum(axis=1), below[drawn].sum(axis=1)
        figures.append(np.divide(top, bottom, out=np.ones_like(top), where=bottom > 0))
    low, high = np.quantile(np.concatenate(figures), [0.025, 0.975])
    return float(low), float(high)


def reciprocal(rank: int | None) -> float:
    return 1.0 / rank if rank else 0.0
