"""Documents of stored answers that were withdrawn or replaced since these were given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from rag_api.db import Database
from rag_api.db.documents import get_documents, replacing
from rag_api.domain import Answer, AnswerStatus, Document, DocumentStatus, User


@dataclass(frozen=True, slots=True)
class Since:
    document: Document  # as it is listed now
    newer: Document | None  # what counts in its place, of what the user may read
    withdrawn: bool  # else another counts in its place


def since_given(db: Database, user: User, answers: Sequence[Answer], today: date) -> list[list[Since]]:
    """Of each answer, of the documents that it quotes, else of those that it shows; none of a
    refusal, and none that was told when it was given."""
    named = [tuple(dict.fromkeys(_documents_of(answer))) for answer in answers]
    known = get_documents(db, user, sorted({one for ids in named for one in ids}))
    newer = replacing(db, user, known.values(), today)
    found = {
        id_: Since(one, newer.get(id_), one.status == DocumentStatus.RETIRED)
        for id_, one in known.items()
        if id_ in newer or one.status in (DocumentStatus.REPLACED, DocumentStatus.RETIRED)
    }
    return [[found[id_] for id_ in ids if id_ in found] for ids in named]


def _documents_of(answer: Answer) -> Iterable[str]:
    if answer.status == AnswerStatus.NOT_FOUND:
        return ()
    told = {s.document.id for s in answer.sources if any(caution.code == "superseded" for caution in s.cautions)}
    quoted = [citation.document_id for citation in answer.citations]
    shown = [source.document.id for source in answer.sources]
    return (id_ for id_ in quoted or shown if id_ not in told)
