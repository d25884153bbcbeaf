"""Words of who looks for a procedure -> documents that are about them, whatever these are called.

For a list of what was found by meaning, beside one of what holds the words. Nothing is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag_api.db.documents import get_documents
from rag_api.domain import Document, DocumentStatus, Filters, User
from rag_api.query.analysis import analyse
from rag_api.query.synonyms import Expander
from rag_api.retrieval.search.patient_ranking import RetrievalContainer, rank


def related(
    words: str, user: User, filters: Filters, known: Sequence[str], expander: Expander, container: RetrievalContainer
) -> list[Document]:
    """Return those whose passages a question in these words would find, nearest first, each once.
    `known`: ids of documents that the reader has before them already. Blocks."""
    wanted = replace(filters, excluded_document_ids=tuple(known))
    hits = rank(analyse(words, expander), user, wanted, container).hits
    found = get_documents(container.db, user, ids := list(dict.fromkeys(hit.chunk.document_id for hit in hits)))
    return [
        found[id_] for id_ in ids if id_ in found and id_ not in known and found[id_].status == DocumentStatus.INDEXED
    ]
