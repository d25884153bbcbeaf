"""Two ranked lists -> one. The same functions serve every store, so that all rank alike."""

from __future__ import annotations

from collections.abc import Mapping

CANDIDATES = 100  # how many of each list are fetched at least, as Weaviate does


def scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Min-max to [0, 1] over the list; a list of equal scores is all ones."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


def relative_score_fusion(dense: Mapping[str, float], bm25: Mapping[str, float], alpha: float) -> list[tuple[str, float]]:
    """(id, score in [0, 1]) best first: `alpha * dense + (1 - alpha) * bm25`, a missing score is 0 (thesis, section 3.2).

    Ties are broken by id, so that equal scores rank alike in every store.
    """
    dense_part, bm25_part = scaled(dense), scaled(bm25)
    fused = {key: alpha * dense_part.get(key, 0.0) + (1 - alpha) * bm25_part.get(key, 0.0) for key in dense_part | bm25_part}
    return sorted(fused.items(), key=lambda item: (-item[1], item[0]))
