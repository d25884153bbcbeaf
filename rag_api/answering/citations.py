"""A span that the generator copied -> a citation, when its characters equal the document's; and where a source stands on its page.

Exact or nothing: a span whose characters differ, or whose page is not at hand, is not cited.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from rag_api.answering.builder import AnswerBuilder
from rag_api.answering.highlight import page_of, rects
from rag_api.answering.prompt_passages import PromptPassage
from rag_api.db import Database
from rag_api.db.documents import read_pages
from rag_api.domain import Citation, Document, Hit, Page, Source
from rag_api.text.uncertain import BLANK, is_same
from services.contract import wire

log = logging.getLogger(__name__)


def source_of(hit: Hit, document: Document, pages: Sequence[Page]) -> Source:
    """Return the hit with its place in the document."""
    chunk = hit.chunk
    placed = rects(pages, chunk.start, chunk.end)
    page = placed[0].page if placed else page_of(pages, chunk.start)
    text_from = next((one.text_from for one in pages if one.number == page), "pdf")
    return Source(hit, document, page, placed, text_from=text_from, uncertain=BLANK in chunk.text)


def within_reach(builder: AnswerBuilder, passage: PromptPassage, places: Sequence[tuple[int, int]], db: Database) -> bool:
    """Whether these places of the passage stand on pages that are at hand; else the pages before and after those are read."""

    def at_hand() -> bool:
        pages = builder.pages[passage.document_id]
        return all(is_same(passage.text[a:b], _text_at(pages, passage.start + a, passage.start + b)) for a, b in places)

    if at_hand():
        return True
    numbers = {page.number for page in builder.pages[passage.document_id]}
    near = {number + step for number in numbers for step in (-1, 1)}
    builder.pages[passage.document_id] = read_pages(db, passage.document_id, sorted(numbers | near))
    return at_hand()


def cite(span: wire.SpanOut, builder: AnswerBuilder) -> Citation | None:
    """Return the span as a place in a document; None when its characters are not the document's."""
    passages, text = {str(index): passage for index, passage in enumerate(builder.prompt_passages)}, builder.text[span.start : span.end]
    passage = passages.get(span.document)
    if passage is None or not 0 <= span.start < span.end <= len(builder.text):
        _dropped(builder)
        return None
    pages = builder.pages[passage.document_id]
    start, end = passage.start + span.source_start, passage.start + span.source_end
    if text != passage.text[span.source_start : span.source_end] or text != _text_at(pages, start, end):
        _dropped(builder)
        return None
    placed = rects(pages, start, end)
    page = placed[0].page if placed else page_of(pages, start)
    rank = _rank_of(passage.document_id, start, end, builder)
    return Citation(span.start, span.end, passage.document_id, start, end, text, page, placed, rank)


def _rank_of(document_id: str, start: int, end: int, builder: AnswerBuilder) -> int:
    """Of the source that holds most of the span; the better one of two."""
    chunks = [source.hit for source in builder.sources if source.document.id == document_id]
    return max(chunks, key=lambda hit: (min(end, hit.chunk.end) - max(start, hit.chunk.start), -hit.rank)).rank


def _dropped(builder: AnswerBuilder) -> None:
    log.error("a copied span does not equal its source and is not shown")
    builder.stats["dropped_spans"] = builder.stats.get("dropped_spans", 0) + 1


def _text_at(pages: Sequence[Page], start: int, end: int) -> str:
    """document_text[start:end], from the pages it touches."""
    return "".join(page.text[max(0, start - page.start) : max(0, end - page.start)] for page in pages)
