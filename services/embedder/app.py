"""The HTTP service: OpenAI's /v1/embeddings for one sentence-transformers model.

Knows nothing of prefixes or of what the texts are: rag_api puts the model's prefixes in front.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Literal

import numpy as np
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from services.contract.request_ids import RequestIds
from services.embedder.config import EmbedderSettings

MOST_TEXTS = 256  # in one request
MOST_CHARACTERS = 32_000  # of one text; the model itself reads as far as its context reaches
CARRIED = "e5-small"  # the model whose weights a package carries: computed without torch and without a hub
Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""texts -> [len(texts), dim], unit length. Called from one thread at a time."""


class EmbeddingsIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    model: str
    input: str | list[str]
    encoding_format: Literal["float", "base64"] = "float"
    user: str | None = None


class RefusedTexts(Exception):
    """A request that is answered with OpenAI's error shape."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


class EmbedderService:
    """The model, loaded in the background: /health says when it is there."""

    def __init__(self, settings: EmbedderSettings, load: Callable[[EmbedderSettings], Encode]) -> None:
        self.settings = settings
        self.load = load
        self.encode: Encode | None = None
        self.error: str | None = None
        self._lock = threading.Lock()  # tokenizers are not promised to be thread-safe

    def start(self) -> None:
        try:
            self.encode = self.load(self.settings)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        assert self.encode is not None
        with self._lock:
            return self.encode(texts)


def load_model(settings: EmbedderSettings) -> Encode:
    if settings.model == CARRIED:
        from rag_api.embed.e5.encoder import E5Encoder

        return E5Encoder().vectors
    from sentence_transformers import SentenceTransformer

    # no pickles
    model = SentenceTransformer(settings.model, device=settings.device, model_kwargs={"use_safetensors": True})

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = model.encode(
            list(texts), batch_size=settings.batch_size, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, np.float32)

    return encode


def create_app(
    settings: EmbedderSettings | None = None, load: Callable[[EmbedderSettings], Encode] = load_model
) -> FastAPI:
    """`load` replaces reading the model that the settings name (tests bring their own)."""
    service = EmbedderService(settings or EmbedderSettings(), load)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        loading = asyncio.create_task(asyncio.to_thread(service.start))
        yield
        await loading

    # No pages of its own: their scripts come from elsewhere.
    app = FastAPI(title="Bedside embedder", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.service = service
    app.add_middleware(RequestIds)
    app.add_exception_handler(RefusedTexts, _refuse)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_api_route("/v1/embeddings", embeddings, methods=["POST"])
    app.add_api_route("/v1/models", models)
    app.add_api_route("/health", health)
    return app


async def embeddings(ask: EmbeddingsIn, request: Request) -> dict[str, Any]:
    service = _authorised(request)
    texts = [ask.input] if isinstance(ask.input, str) else ask.input
    _check(ask.model, texts, service.settings)
    if service.encode is None:
        raise RefusedTexts(503, "not_ready", service.error or "the model is loading")
    vectors = await asyncio.to_thread(service.embed, texts)
    data = [
        {"object": "embedding", "index": i, "embedding": _encoded(v, ask.encoding_format)}
        for i, v in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 0, "total_tokens": 0}  # not counted: nobody is billed
    return {"object": "list", "model": service.settings.served_name, "data": data, "usage": usage}


async def models(request: Request) -> dict[str, Any]:
    service = _authorised(request)
    return {
        "object": "list",
        "data": [{"id": service.settings.served_name, "object": "model", "created": 0, "owned_by": "bedside"}],
    }


async def health(request: Request) -> JSONResponse:
    service: EmbedderService = request.app.state.service
    ready = service.encode is not None
    state = {
        "status": "ok" if ready else "failed" if service.error else "loading",
        "model": service.settings.model,
        "detail": service.error or "",
    }
    return JSONResponse(state, 200 if ready else 503)


def _authorised(request: Request) -> EmbedderService:
    service: EmbedderService = request.app.state.service
    key = service.settings.api_key
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if key is not None and not secrets.compare_digest(given.encode(), key.get_secret_value().encode()):
        raise RefusedTexts(401, "invalid_api_key", "a valid API key is wanted as a bearer token")
    return service


def _check(model: str, texts: list[str], settings: EmbedderSettings) -> None:
    if model not in (settings.served_name, settings.model):
        raise RefusedTexts(
            404, "model_not_found", f"the model {model!r} does not exist; this service has {settings.served_name!r}"
        )
    if not 1 <= len(texts) <= MOST_TEXTS:
        raise RefusedTexts(400, "invalid_request", f"input must hold 1 to {MOST_TEXTS} texts, not {len(texts)}")
    if any(len(text) > MOST_CHARACTERS for text in texts):
        raise RefusedTexts(400, "invalid_request", f"a text may have {MOST_CHARACTERS} characters at most")


def _encoded(vector: NDArray[np.float32], encoding: str) -> list[float] | str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode() if encoding == "base64" else vector.tolist()


async def _refuse(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RefusedTexts)
    body = {"message": error.message, "type": "invalid_request_error", "code": error.code}
    return JSONResponse({"error": body}, error.status)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return JSONResponse(
        {"error": {"message": f"{where}: {first['msg']}", "type": "invalid_request_error", "code": "invalid_request"}},
        400,
    )
