"""Vectors kept on disk, so that a measurement on thousands of texts is embedded once. Interrupted,
it goes on where it was."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag_api.embed import Embedder

FOLDER = Path.home() / ".cache" / "bedside" / "vectors"
PART = 200  # texts in one file
Tell = Callable[[int], object]


class DiskVectorCache:
    """An embedder's vectors under FOLDER, by what was embedded and by what the embedder makes of
    one fixed text."""

    def __init__(self, embedder: Embedder, folder: Path = FOLDER) -> None:
        self._embedder = embedder
        probe = hashlib.sha256(np.round(embedder.query("A probe: 15 mg/kg."), 3).tobytes()).hexdigest()[:12]
        self._folder = folder / f"{embedder.name.replace('/', '_')}-{probe}"

    def passages(self, texts: Sequence[str], tell: Tell) -> NDArray[np.float32]:
        return self._all("passages", texts, self._embedder.passages, tell)

    def queries(self, texts: Sequence[str], tell: Tell) -> NDArray[np.float32]:
        return self._all("queries", texts, lambda part: np.stack([self._embedder.query(text) for text in part]), tell)

    def _all(
        self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], NDArray[np.float32]], tell: Tell
    ) -> NDArray[np.float32]:
        """[len(texts), dim]; tell: called with how many are done."""
        parts = []
        for start in range(0, len(texts), PART):
            part = texts[start : start + PART]
            name = hashlib.sha256("\0".join(part).encode("utf-8", "replace")).hexdigest()[:32]
            path = self._folder / f"{kind}-{name}.npy"
            if not path.exists():
                _write(path, embed(part))
            parts.append(np.load(path))
            tell(start + len(part))
        return np.concatenate(parts) if parts else np.empty((0, self._embedder.dim), np.float32)


def _write(path: Path, vectors: NDArray[np.float32]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part.npy")
    np.save(unfinished, vectors)
    unfinished.replace(path)
