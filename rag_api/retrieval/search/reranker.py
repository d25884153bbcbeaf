"""A cross-encoder reads question and passage together and orders the first hits anew. Off unless
configured; knows no store.

Either in process by sentence-transformers (extra `embedder`), or a service with TEI's and Cohere's
/rerank. Scores are kept beside the fused ones, so that "not found" stays calibrated.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import httpx

from rag_api.config import Settings
from rag_api.domain import Hit
from rag_api.errors import ConfigurationError, StoreUnavailable

READS = 20  # hits of a question; each costs a pass of the model
log = logging.getLogger(__name__)


class Reranker(Protocol):
    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """One for each passage, higher is better. Raises StoreUnavailable."""

    def close(self) -> None: ...


class CrossEncoderReranker:
    """For example BAAI/bge-reranker-v2-m3, by folder or hub name. Imports torch when it is
    opened."""

    def __init__(self, name: str) -> None:
        try:
            from sentence_transformers import CrossEncoder
        except ImportError as error:
            raise ConfigurationError(
                f"BEDSIDE_RERANKER={name} runs in process and needs sentence-transformers: pip install -e "
                f"'.[embedder]', "
                "or name a service with BEDSIDE_RERANKER_URL"
            ) from error
        try:
            # no pickles: they can run code
            self._model: Any = CrossEncoder(name, max_length=512, model_kwargs={"use_safetensors": True})
        except Exception as error:
            raise ConfigurationError(f"the reranker {name!r} could not be loaded: {error}") from error
        self._lock = threading.Lock()  # tokenizers are not promised to be thread-safe

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        if not passages:
            return []
        with self._lock:
            found = self._model.predict(
                [(question, passage) for passage in passages], batch_size=16, show_progress_bar=False
            )
        return [float(score) for score in found]

    def close(self) -> None:
        return None


class HttpReranker:
    """POST {url}/rerank {"model", "query", "documents", "texts"} -> {"results": [{"index",
    "relevance_score"}]} or [{"index", "score"}]."""

    def __init__(
        self, url: str, model: str, api_key: str | None = None, transport: httpx.BaseTransport | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=30.0, transport=transport)
        self._model = model

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        if not passages:
            return []
        texts = list(passages)
        asked = {"model": self._model, "query": question, "documents": texts, "texts": texts, "truncate": True}
        try:
            response = self._client.post("/rerank", json=asked)
            response.raise_for_status()
            answer = response.json()
            rows = answer["results"] if isinstance(answer, dict) else answer
            found = {int(row["index"]): float(row.get("relevance_score", row.get("score"))) for row in rows}
            return [found[index] for index in range(len(texts))]
        except httpx.HTTPStatusError as error:
            reason = f"{error.response.status_code}: {error.response.text[:200]}"
            raise StoreUnavailable(f"the reranker at {self._client.base_url} answered {reason}") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise StoreUnavailable(f"no reranker at {self._client.base_url}: {error}") from error
        except (KeyError, TypeError, ValueError) as error:
            raise StoreUnavailable(
                f"what {self._client.base_url}/rerank answers is no list of scores for {len(texts)} passages"
            ) from error

    def close(self) -> None:
        self._client.close()


def open_reranker(settings: Settings) -> Reranker | None:
    """None when none is configured. Raises ConfigurationError."""
    if settings.reranker_url:
        key = settings.reranker_api_key.get_secret_value() if settings.reranker_api_key else None
        return HttpReranker(settings.reranker_url, settings.reranker or "BAAI/bge-reranker-v2-m3", key)
    return CrossEncoderReranker(settings.reranker) if settings.reranker else None


def reranked(question: str, hits: Sequence[Hit], reranker: Reranker) -> list[Hit]:
    """By the reranker's scores, ties as they were; fused scores stay with their hits. A service
    that is silent changes nothing."""
    try:
        scores = reranker.scores(question, [f"{hit.chunk.title}\n{hit.chunk.text}" for hit in hits])
    except StoreUnavailable as error:
        log.warning("hits stay as fused: %s", error.message)
        return list(hits)
    order = sorted(range(len(hits)), key=lambda index: (-scores[index], index))
    return [replace(hits[index], rank=rank) for rank, index in enumerate(order, 1)]
