"""BEDSIDE_READER -> the reader that it names."""

from __future__ import annotations

from collections.abc import Callable

from rag_api.config import Settings
from rag_api.retrieval.reader import Reader


def open_reader(settings: Settings, generator_url: Callable[[], str]) -> Reader | None:
    """None when none is configured. `generator_url`: where the configured generator answers now. Raises ConfigurationError."""
    if settings.reader is None:
        return None
    from rag_api.readers.llm import open_llm_reader

    return open_llm_reader(settings, generator_url)
