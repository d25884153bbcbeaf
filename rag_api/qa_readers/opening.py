"""BEDSIDE_READER -> the reader that it names."""

from __future__ import annotations

from collections.abc import Callable

from rag_api.config import Settings
from rag_api.retrieval.reader_model.pointing_reader import PointingReader
from rag_api.retrieval.reader_model.reader import PassageReader


def open_reader(settings: Settings, generator_url: Callable[[], str]) -> PassageReader | PointingReader | None:
    """None when none is configured. `generator_url`: where the configured generator answers now.
    Raises ConfigurationError."""
    if settings.reader == "llm":
        from rag_api.qa_readers.llm import open_llm_reader

        return open_llm_reader(settings, generator_url)
    return _adapter("adapter", settings, generator_url)


def open_agreeing(settings: Settings, generator_url: Callable[[], str]) -> PointingReader | None:
    """None when nobody is configured who must agree. Raises ConfigurationError."""
    return _adapter("agreeing", settings, generator_url)


def _adapter(kind: str, settings: Settings, generator_url: Callable[[], str]) -> PointingReader | None:
    said, _, adapter = (settings.reader or "").partition(":")
    if said != kind:
        return None
    from rag_api.qa_readers.adapter import open_adapter_reader
    from rag_api.qa_readers.llm import client_of

    return open_adapter_reader(adapter, settings, generator_url, client_of(settings))
