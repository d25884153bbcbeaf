"""Time that an ask takes: the steps before the generator starts (embedding, search, the guards, the
decision), and whole answers.

Every question is as one that nobody asked before: nothing is remembered of those before it but what
is kept on disk (retrieval/precompute.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from rag_api.answering.ask_sequentially import answers_to
from rag_api.answering.warnings.source_warnings import warned
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db import Database
from rag_api.db.documents import get_documents
from rag_api.db.questions.answers import delete_conversation
from rag_api.db.sentences import counts
from rag_api.domain import AnswerStatus, Filters, Hit, Source, User
from rag_api.embed import Cached, Embedder
from rag_api.query.analysis import Analysis, analyse
from rag_api.retrieval.decision.answerability import decide
from rag_api.retrieval.decision.calibration import calibration
from rag_api.retrieval.find import Retrieval, find
from rag_api.retrieval.precompute import made_by
from rag_api.retrieval.reader_model.pointing_reader import judging_reader
from rag_api.retrieval.reader_model.reader import PassageReader
from rag_api.retrieval.reader_model.reader_scores import read
from rag_api.retrieval.search.patient_ranking import rank
from rag_api.retrieval.search.reranker import Reranker
from rag_api.stores import Store

WARMING = 10  # questions before those that are timed; none comes twice, for its vector would be known
T = TypeVar("T")
Tell = Callable[[int], object]


@dataclass(slots=True)
class _Clock:
    """Milliseconds of each step of each question: elapsed, and of the processor."""

    elapsed: dict[str, list[float]] = field(default_factory=dict)
    processor: dict[str, list[float]] = field(default_factory=dict)

    def timed(self, step: str, act: Callable[[], T]) -> T:
        began, worked = time.perf_counter(), time.process_time()
        try:
            return act()
        finally:
            self.elapsed.setdefault(step, []).append(1000 * (time.perf_counter() - began))
            self.processor.setdefault(step, []).append(1000 * (time.process_time() - worked))

    def forget(self) -> None:
        self.elapsed, self.processor = {}, {}

    def figures(self, step: str) -> dict[str, float]:
        times = {"": self.elapsed[step], "cpu_": self.processor[step]}
        return {
            f"{kind}p{share}_ms": round(float(np.percentile(ms, share)), 2)
            for kind, ms in times.items()
            for share in (50, 95)
        }


class _Timed:
    """Container of which each search is timed."""

    def __init__(self, container: Container, clock: _Clock) -> None:
        self._container, self._clock = container, clock
        self.settings: Settings = container.settings
        self.embedder: Embedder = container.embedder

    @property
    def db(self) -> Database:
        return self._container.db

    @property
    def store(self) -> Store:
        return self  # type: ignore[return-value]  # of which only search is asked

    @property
    def reranker(self) -> Reranker | None:
        return self._container.reranker

    @property
    def risk(self) -> str | float:
        return self._container.risk

    @property
    def reader(self) -> PassageReader | None:
        return judging_reader(self._container.reader)

    def search(self, *given: Any, **named: Any) -> list[Hit]:
        return self._clock.timed("search once", lambda: self._container.store.search(*given, **named))


def measure(
    container: Container, questions: Sequence[str], user: User, tell: Tell = lambda done: None
) -> dict[str, Any]:
    """JSON-ready. `guarded search` is what retrieval and the patient guard do once the question is
    embedded: their searches, one or more, and look-ups in the database. `find` adds the decision,
    for which those sentences of the passages are embedded that are not kept; `find again` is that
    with all of them in memory. `source warnings` is what is said of the sources found."""
    clock, filters = _Clock(), Filters()
    timed = _Timed(container, clock)
    searches: list[int] = []
    warming = min(WARMING, len(questions) // 2)
    for done, question in enumerate(questions, 1):
        if done == warming + 1:
            clock.forget()
            searches.clear()
        before = len(clock.elapsed.get("search once", ()))
        clock.timed("embed a query", lambda asked=question: container.embedder.query(asked))  # type: ignore[misc]
        asked = clock.timed("analyse the question", lambda text=question: analyse(text, container.expander))  # type: ignore[misc]
        found = clock.timed("guarded search", lambda of=asked: rank(of, user, filters, timed))  # type: ignore[misc]
        searches.append(len(clock.elapsed["search once"]) - before)
        forget(container)
        for step in ("find", "find again"):
            retrieval = clock.timed(step, lambda of=asked: find(of, user, filters, container))  # type: ignore[misc]
        _judge(asked, retrieval, container, clock)
        documents = get_documents(container.db, user, [hit.chunk.document_id for hit in found.hits])
        sources = [
            Source(hit, documents[hit.chunk.document_id], 1, ())
            for hit in found.hits
            if hit.chunk.document_id in documents
        ]
        clock.timed("source warnings", lambda of=sources, to=asked: warned(of, to, user, filters, "nl", container))  # type: ignore[misc]
        tell(done)
    return {
        "questions": len(questions) - warming,
        "chunks": container.store.count(),
        "searches": round(float(np.mean(searches)), 2),
        "kept": _kept(container),
        "steps": {step: clock.figures(step) for step in clock.elapsed},
    }


def _judge(asked: Analysis, retrieval: Retrieval, container: Container, clock: _Clock) -> None:
    """The reader's share of a question, where one is configured, and the decision's: both are in
    "find" too, the reader once measured."""
    hits, sentences = retrieval.may_be_quoted, retrieval.sentences
    reader = judging_reader(container.reader)
    if reader is not None:
        clock.timed("read the passages", lambda: read(asked.text, hits, sentences, reader))
    measured = calibration(container.embedder.name, container.settings.data_dir)
    clock.timed("decide", lambda: decide(asked, hits, sentences, measured.not_found))


def measure_answers(
    container: Container, questions: Sequence[str], user: User, tell: Tell = lambda done: None
) -> dict[str, Any]:
    """JSON-ready. Whole answers of a user of its own, whose conversations are deleted afterwards;
    the generator's processor time is not in it, for that is another process."""
    container.wait_for_generator()
    clock, answered = _Clock(), 0
    warming = min(WARMING, len(questions) // 2)
    asked = answers_to(questions, user, container)
    for done in range(1, len(questions) + 1):
        if done == warming + 1:
            clock.forget()
            answered = 0
        forget(container)
        answer = clock.timed("whole answer", lambda: next(asked))
        answered += answer.status == AnswerStatus.ANSWERED
        delete_conversation(container.db, user, answer.conversation_id)
        tell(done)
    asked.close()
    return {
        "questions": len(questions) - warming,
        "answered": answered,
        "kept": _kept(container),
        "steps": {"whole answer": clock.figures("whole answer")},
    }


def forget(container: Container) -> None:
    if isinstance(container.embedder, Cached):
        container.embedder.forget()


def _kept(container: Container) -> str:
    """Of how many documents the sentences are embedded ahead."""
    found = counts(container.db, made_by(container.embedder))
    return f"{found.documents} of {found.of} documents, {found.sentences} sentences"
