"""Texts -> vectors, in batches, telling how far it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_api.ingest.sources.run import Run

BATCH = 32  # passages embedded together, over documents


def embed_texts(run: Run, texts: Sequence[str], source: str) -> NDArray[np.float32]:
    """[len(texts), dim]. source: what is told of as being worked on."""
    parts = []
    for start in range(0, len(texts), BATCH):
        run.tell(source, "embedding")
        parts.append(run.embedder.passages(texts[start : start + BATCH]))
        run.chunks += len(parts[-1])
    return np.concatenate(parts) if parts else np.zeros((0, run.embedder.dim), np.float32)
