"""The parts that answering a question needs of all that is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rag_api.answering.answer_outbox import UnsavedAnswers
from rag_api.answering.generator.client import Generator
from rag_api.query.synonyms import Expander
from rag_api.retrieval.in_flight import InFlight
from rag_api.retrieval.reader_model.pointing_reader import PointingReader
from rag_api.retrieval.search.patient_ranking import RetrievalContainer


class AskContainer(RetrievalContainer, Protocol):
    """rag_api.container.Container is one."""

    in_flight: InFlight

    @property
    def generator(self) -> Generator: ...
    @property
    def expander(self) -> Expander: ...
    @property
    def agreeing(self) -> PointingReader | None: ...
    @property
    def is_demo(self) -> bool: ...
    @property
    def unsaved(self) -> UnsavedAnswers: ...
    def afterwards(self, act: Callable[[], object]) -> None: ...
