"""BEDSIDE_READER -> the reader that it names. Opening a model imports torch, so it happens when one is asked for."""

from __future__ import annotations

from collections.abc import Callable

from rag_api.config import Settings
from rag_api.embed import encoder_of
from rag_api.embed.protocol import Embedder
from rag_api.retrieval.reader import Reader


def open_reader(settings: Settings, generator_url: Callable[[], str], embedder: Callable[[], Embedder] | None = None) -> Reader | None:
    """None when none is configured. `generator_url`: where the configured generator answers now; `embedder`: whose encoder it reads with
    where that is ours. Raises ConfigurationError."""
    if settings.reader is None:
        return None
    if settings.reader == "bedside":
        from rag_api.readers.bedside import BedsideReader, weights_in

        return BedsideReader(encoder_of(embedder()) if embedder is not None else None, weights=weights_in(settings.data_dir))
    if settings.reader == "llm":
        from rag_api.readers.llm import open_llm_reader

        return open_llm_reader(settings, generator_url)
    from rag_api.readers.hugging_face import open_hugging_face

    return open_hugging_face(settings.reader)
