"""A question that nothing answers -> documents that would fit it and no longer count: withdrawn, or
expired. They are named and never quoted."""

from __future__ import annotations

from datetime import date

from rag_api.answering.question.failed_suggestions import FITS, share_of, stems_of
from rag_api.db import Database
from rag_api.db.questions.lapsed import lapsed_documents, lapsed_pages, nothing_in_place_of
from rag_api.domain import Document, DocumentStatus, Filters, User
from rag_api.query.analysis import Analysis
from rag_api.stores.filters import among
from rag_api.text.word_match import ALIKE, held

SHOWN = 2
_TOLD = 2  # words of a question that tell a page from others


def lapsed_fitting(question: Analysis, filters: Filters, user: User, db: Database) -> list[Document]:
    """Of what is asked for, those of which most of the title's words are the question's, and those
    with a page that holds all of its words; of expired ones none where these were searched.
    Blocks."""
    today = filters.valid_on or date.today()
    asked = stems_of(" ".join((question.text, *question.expansions)))
    known = [
        one
        for one in lapsed_documents(db, user, today)
        if (not filters.include_expired or one.status == DocumentStatus.RETIRED)
        and among(filters, one.id, one.metadata)
        and not question.patient.excludes(one.metadata.target_groups)
    ]
    holding = _holding(question, user, db, today) if known else frozenset()
    fit = sorted(
        (one for one in known if share_of(one, asked) > FITS or one.id in holding),
        key=lambda one: -share_of(one, asked),
    )
    return nothing_in_place_of(db, user, fit, today)[:SHOWN]


def _holding(question: Analysis, user: User, db: Database, today: date) -> frozenset[str]:
    """The ids of documents with a page that holds every content word of the question."""
    sought = question.sought
    if len(sought) < _TOLD:
        return frozenset()
    names = [[name[0] for name in called] for called in sought]
    pages = lapsed_pages(db, user, today, names)
    return frozenset(id_ for id_, text in pages if all(held(called, text) >= ALIKE for called in sought))
