"""Ranks and decisions -> figures. Pure functions; knows nothing of questions, stores or files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]


def hit_at(ranks: Sequence[int | None], k: int) -> float:
    """Share of questions whose right document is among the first k hits. ranks: from 1, None: not among the hits."""
    return float(np.mean([rank is not None and rank <= k for rank in ranks])) if ranks else 0.0


def mrr(ranks: Sequence[int | None]) -> float:
    """Mean reciprocal rank; a question without its document among the hits counts 0."""
    return float(np.mean([1.0 / rank if rank else 0.0 for rank in ranks])) if ranks else 0.0


def precision_recall(said: Sequence[bool], true: Sequence[bool]) -> tuple[float, float]:
    """Of what was said, how much is true; of what is true, how much was said. 1.0 where there is nothing to count."""
    both = sum(s and t for s, t in zip(said, true, strict=True))
    return both / sum(said) if any(said) else 1.0, both / sum(true) if any(true) else 1.0


def bootstrap(count: int, figure: Callable[[NDArray[np.int64]], float], resamples: int = 1000, seed: int = 0) -> Interval:
    """The middle 95% of `figure` over resampled questions; figure gets their indices."""
    if count == 0:
        return 0.0, 0.0
    rng = np.random.default_rng(seed)
    drawn = [figure(rng.integers(0, count, count)) for _ in range(resamples)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)
