"""BEDSIDE_READER -> the reader that it names."""

from __future__ import annotations

from collections.abc import Callable

from rag_api.config import Settings
from rag_api.retrieval.reader import Reader
from rag_api.retrieval.reading import PointingReader


def open_reader(settings: Settings, generator_url: Callable[[], str]) -> Reader | PointingReader | None:
    """None when none is configured. `generator_url`: where the configured generator answers now. Raises ConfigurationError."""
    if settings.reader is None:
        return None
    from rag_api.readers.llm import client_of, open_llm_reader

    kind, _, adapter = settings.reader.partition(":")
    if kind == "llm":
        return open_llm_reader(settings, generator_url)
    from rag_api.readers.adapter import open_adapter_reader

    return open_adapter_reader(adapter, settings, generator_url, client_of(settings))
