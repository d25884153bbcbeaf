"""An embedder service; the only place that knows its errors."""

from __future__ import annotations

from collections.abc import Sequence

import httpx
import numpy as np
from numpy.typing import NDArray

from rag_api.embed.protocol import prefixes_of
from rag_api.errors import EmbedderUnavailable
from rag_api.liveness_timeout import ALIVE, while_alive
from services.contract import request_ids, traces


class HttpEmbedder:
    """A service with OpenAI's /v1/embeddings (services/embedder, TEI, vLLM ...). Prefixes are put
    on here, by the model's name."""

    def __init__(
        self, url: str, model: str, api_key: str | None = None, transport: httpx.BaseTransport | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=120.0, transport=transport)
        self._model = model
        self._prefixes = prefixes_of(model)
        self.name = model
        try:
            self.dim = int(self._embed(["dimension"]).shape[1])
        except EmbedderUnavailable:
            self.close()
            raise

    def passages(self, texts: Sequence[str], batch: int = 64) -> NDArray[np.float32]:
        prefixed = [self._prefixes.passage + t for t in texts]
        parts = [self._embed(prefixed[i : i + batch]) for i in range(0, len(prefixed), batch)]
        return np.concatenate(parts) if parts else np.empty((0, self.dim), np.float32)

    def query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._embed([self._prefixes.query + text])[0]
        return vector

    def close(self) -> None:
        self._client.close()

    def _alive(self) -> None:
        """Whatever it answers, it lives. Raises httpx.HTTPError."""
        self._client.get("/models", timeout=ALIVE)

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        """[len(texts), dim], made unit length: not every server does."""
        try:
            asked = {"model": self._model, "input": texts, "encoding_format": "float"}
            with traces.call("embedder") as trace:
                headers = {**request_ids.sent_on(), **trace}
                response = while_alive(
                    lambda: self._client.post("/embeddings", json=asked, headers=headers), self._alive
                )
            response.raise_for_status()
            rows = sorted(response.json()["data"], key=lambda row: row["index"])
            vectors = np.asarray([row["embedding"] for row in rows], np.float32)
        except httpx.HTTPStatusError as error:
            reason = f"{error.response.status_code}: {error.response.text[:200]}"
            raise EmbedderUnavailable(f"the embedder at {self._client.base_url} answered {reason}") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EmbedderUnavailable(f"no embedder at {self._client.base_url}: {error}") from error
        except (KeyError, TypeError, ValueError) as error:
            raise EmbedderUnavailable(
                f"what {self._client.base_url}/embeddings answers is not an embeddings list"
            ) from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise EmbedderUnavailable(f"{self._client.base_url} sent {len(vectors)} vectors for {len(texts)} texts")
        unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit
