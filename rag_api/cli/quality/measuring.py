"""Judged questions asked of the container that answer, which changes nothing in them: what the
commands that measure share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rag_api.cli.console import counting
from rag_api.cli.options import Half

if TYPE_CHECKING:
    from evaluation.quality import RetrievalOutcome
    from rag_api.config import Settings
    from rag_api.container import Container
    from rag_api.domain import Document, User
    from rag_api.evaluate.judged import Judged
    from rag_api.retrieval.find import Retrieval


def judged_questions(container: Container, file: Path | None, stored: str | None, split: Half) -> list[Judged]:
    """Of a file, of a set in the database, or the sample handbook's. Raises InvalidInput,
    NotFound."""
    from rag_api.errors import InvalidInput
    from rag_api.evaluate.judged import HANDBOOK, read_judged

    if file and stored:
        raise InvalidInput("Give --set for a file or --stored for a set of the database, not both.")
    if stored:
        from rag_api.db.questions.judged import read_set
        from rag_api.domain import LOCAL_USER

        return [question for question in read_set(container.db, LOCAL_USER, stored) if split in ("all", question.split)]
    return read_judged(file or HANDBOOK, split)


def every_stored_question(container: Container) -> list[Judged]:
    """Of all sets in the database, each with its set's name in its id."""
    from rag_api.db.questions.judged import list_sets, read_set
    from rag_api.domain import LOCAL_USER

    sets = [one.name for one in list_sets(container.db, LOCAL_USER)]
    return [replace(one, id=f"{name}/{one.id}") for name in sets for one in read_set(container.db, LOCAL_USER, name)]


def refuse_test_half(
    questions: Sequence[Judged], container: Container, file: Path | None, stored: str | None, what: str
) -> None:
    """Refuse a set of which only the test half is there, or any question of it. Raises
    InvalidInput."""
    from evaluation.quality.splits import refuse_test

    refuse_test(questions or judged_questions(container, file, stored, "all"), what)


def asker(judged: Judged) -> User:
    """Who asked, as far as the judged set says: function and department decide what comes first."""
    from rag_api.domain import LOCAL_USER

    return replace(LOCAL_USER, function=judged.function, department=judged.department)


def search(judged: Judged, container: Container, left_out: tuple[str, ...] = ()) -> Retrieval:
    """Return what the asker's question finds; `left_out`: ids of documents that are not looked
    at."""
    from rag_api.domain import Filters
    from rag_api.query.analysis import analyse
    from rag_api.retrieval.find import find

    return find(
        analyse(judged.question, container.expander), asker(judged), Filters(excluded_document_ids=left_out), container
    )


def indexed(container: Container) -> list[Document]:
    from rag_api.db.documents import DocumentQuery, list_documents
    from rag_api.domain import LOCAL_USER, DocumentStatus

    return list_documents(container.db, LOCAL_USER, DocumentQuery(status=DocumentStatus.INDEXED, limit=1_000_000))[0]


def measure(
    container: Container, questions: Sequence[Judged], settings: Settings | None = None, what: str = "questions"
) -> list[RetrievalOutcome]:
    """What each asker gets from this index, with other settings when given. Raises InvalidInput
    when no judged document is indexed."""
    from evaluation.quality import evaluate
    from rag_api.errors import InvalidInput

    documents = indexed(container)
    sources = {document.id: document.source for document in documents}
    # none in a set that nothing answers
    judged = {place.document for question in questions for place in question.places}
    if not sources or (judged and not judged & set(sources.values())):
        raise InvalidInput("None of the judged documents is indexed. For the sample handbook: `bedside demo --once`.")
    about = {document.source: document.metadata for document in documents}
    asked = container.with_settings(settings) if settings else container
    with counting(what, len(questions)) as tell:
        return evaluate(questions, lambda judged: search(judged, asked), sources, tell, about)
