"""The documents that a quote is chosen from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from rag_api.domain import Block, Candidate
from rag_api.text.blocks import structure_of
from rag_api.text.quotable.quotable_spans import Quotable, quotable_of


@dataclass(frozen=True, slots=True)
class ReadDocuments:
    """The documents that candidates come from, by id."""

    texts: Mapping[str, str]
    structures: Mapping[str, str]
    titles: Mapping[str, str] = field(default_factory=dict)

    def blocks(self, document_id: str) -> tuple[Block, ...]:
        return (
            structure_of(self.texts[document_id], self.structures.get(document_id, ""))
            if document_id in self.texts
            else ()
        )

    def quote(self, candidate: Candidate) -> Quotable | None:
        """What is known of it beside its place; None of a document whose text is not at hand."""
        if candidate.document_id not in self.texts:
            return None
        text, structure = self.texts[candidate.document_id], self.structures.get(candidate.document_id, "")
        return _by_place(text, structure).get((candidate.start, candidate.end))


@lru_cache(maxsize=512)
def _by_place(text: str, structure: str) -> Mapping[tuple[int, int], Quotable]:
    """The first of each place; all sentences of a question are looked up, several times."""
    return {(quote.start, quote.end): quote for quote in reversed(quotable_of(text, structure))}
