"""Documents listed in a file, and an embedder of a few lines: for a process that is killed while it
ingests. No test tools are imported here, which would take longer to start than it lives."""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from rag_api.errors import EmbedderUnavailable
from rag_api.ingest.sources.repository import MemoryDocuments


class Embedder:
    """Vectors from the text's bytes; `name` and `fail_after` for trouble."""

    dim = 8

    def __init__(self, name: str = "fake", fail_after: int | None = None) -> None:
        self.name, self.fail_after, self.seen = name, fail_after, []  # type: ignore[var-annotated]

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.fail_after is not None and len(self.seen) + len(texts) > self.fail_after:
            raise EmbedderUnavailable("the embedder does not answer")
        self.seen += texts
        counts = np.array(
            [np.bincount(np.frombuffer(t.encode(), np.uint8) % 8, minlength=8) + 1 for t in texts], np.float32
        )
        unit: NDArray[np.float32] = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return unit

    def query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.passages([text])[0]
        return vector


class Durable(MemoryDocuments):
    """A documents list in a file that is replaced whole, so that a killed process leaves what was
    committed."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        if path.exists():
            self.documents, self.read, self._folders, self._indexed, self._current = pickle.loads(path.read_bytes())

    def _commit(self) -> None:
        part = self.path.with_suffix(".new")
        part.write_bytes(pickle.dumps((self.documents, self.read, self._folders, self._indexed, self._current)))
        os.replace(part, self.path)
        print("kept", flush=True)

    def save_indexed(self, documents):  # type: ignore[no-untyped-def]
        super().save_indexed(documents)
        self._commit()

    def save_failed(self, document):  # type: ignore[no-untyped-def]
        super().save_failed(document)
        self._commit()

    def retire(self, sources: Sequence[str]) -> None:
        super().retire(sources)
        self._commit()

    def put_folders(self, placed: Mapping[str, str], items: Mapping[str, str] = MappingProxyType({})) -> None:
        super().put_folders(placed, items)
        self._commit()

    def rename(self, old: str, new: str, titles: tuple[str, str], taken: bool = False) -> None:
        super().rename(old, new, titles, taken)
        self._commit()
