"""A question that nothing answers -> documents that could not be read and whose titles fit it: the
answer may stand in one of them."""

from __future__ import annotations

from rag_api.db import Database
from rag_api.db.documents import failed_documents
from rag_api.domain import Document, User
from rag_api.query.analysis import Analysis
from rag_api.text.bm25_analyzer import STOP_WORDS, question_terms, words

FITS = 0.5  # of the title's words are the question's, or what those are also called
SHOWN = 2
_STOP = STOP_WORDS["nl"] | STOP_WORDS["en"] | {"scan", "pdf"}


def fitting(question: Analysis, user: User, db: Database) -> list[Document]:
    """Best first. Blocks."""
    asked = stems_of(" ".join((question.text, *question.expansions)))
    shares = [(share_of(document, asked), document) for document in failed_documents(db, user)]
    fit = sorted((one for one in shares if one[0] >= FITS), key=lambda one: (-one[0], one[1].source))
    return [document for _, document in fit[:SHOWN]]


def share_of(document: Document, asked: frozenset[str]) -> float:
    """How many of the title's content words the question has."""
    title = (document.metadata.title or document.source).replace("_", " ")
    stems = [found for word in words(title) if (found := stems_of(word))]
    return sum(not asked.isdisjoint(found) for found in stems) / len(stems) if stems else 0.0


def stems_of(text: str) -> frozenset[str]:
    """Of the content words, in both languages; not their runs of characters, which other words
    share."""
    content = (word for word in words(text) if word.isalpha() and word not in _STOP)
    return frozenset(
        term for word in content for term in question_terms(word)[:2] if "^" not in term and "$" not in term
    )
