"""Documents of stored answers that were withdrawn, replaced or expired since these were given."""

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
    withdrawn: bool
    expired_on: date | None = None  # its last day, where nothing else ended it; else another counts in its place


def since_given(db: Database, user: User, answers: Sequence[Answer], today: date) -> list[list[Since]]:
    """Of each answer, of the documents that it quotes, else of those that it shows; none of a
    refusal, and none that was told when it was given."""
    named = [tuple(dict.fromkeys(_documents_of(answer))) for answer in answers]
    known = get_documents(db, user, sorted({one for ids in named for one in ids}))
    newer = replacing(db, user, known.values(), today)
    found = {id_: since for id_, one in known.items() if (since := _since(one, newer.get(id_), today)) is not None}
    return [
        [found[id_] for id_ in ids if id_ in found and not _is_told(answer, found[id_])]
        for answer, ids in zip(answers, named, strict=True)
    ]


def _documents_of(answer: Answer) -> Iterable[str]:
    if answer.status == AnswerStatus.NOT_FOUND:
        return ()
    return [one.document_id for one in answer.citations] or [one.document.id for one in answer.sources]


def _since(document: Document, newer: Document | None, today: date) -> Since | None:
    if newer is not None or document.status in (DocumentStatus.REPLACED, DocumentStatus.RETIRED):
        return Since(document, newer, document.status == DocumentStatus.RETIRED)
    until = document.metadata.valid_until
    return Since(document, None, False, until) if until is not None and until < today else None


def _is_told(answer: Answer, since: Since) -> bool:
    code = "" if since.withdrawn else "superseded" if since.expired_on is None else "expired"
    return any(
        caution.code == code
        for source in answer.sources
        if source.document.id == since.document.id
        for caution in source.cautions
    )
