"""A span that the generator copied -> a citation, when its characters equal the document's; and
where a source stands on its page.

Exact or nothing: a span whose characters differ, or whose page is not at hand, is not cited.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from rag_api.answering.builder import AnswerBuilder
from rag_api.answering.generator.prompt_passages import PromptPassage
from rag_api.answering.quote_structure import Inner, QuotedPart, parts_of
from rag_api.answering.quoting.highlight import page_of, page_of_most, rects
from rag_api.db import Database
from rag_api.db.documents import read_pages
from rag_api.domain import Candidate, Citation, Document, Hit, Mode, Page, PartKind, QuotedPiece, Source, Token
from rag_api.query.followup import patients_in
from rag_api.text.blocks import structure_of
from rag_api.text.quotable.uncertain import BLANK, Places, blanked, is_same, touches
from services.contract import wire

log = logging.getLogger(__name__)


def source_of(
    hit: Hit, document: Document, pages: Sequence[Page], uncertain: Places = (), said: Sequence[Candidate] = ()
) -> Source:
    """Return the hit with its place in the document: the page of the first of `said` that it holds,
    else that of most of its words. uncertain: places of the document's text."""
    chunk = hit.chunk
    placed = rects(pages, chunk.start, chunk.end)
    own = (one for one in said if one.document_id == document.id and chunk.start <= one.start and one.end <= chunk.end)
    best = next(own, None)
    page = page_of(pages, best.start) if best else page_of_most(pages, chunk.start, chunk.end)
    text_from = next((one.text_from for one in pages if one.number == page), "pdf")
    in_doubt, spoken = (
        touches(chunk.start, chunk.end, uncertain),
        BLANK in blanked(chunk.text, chunk.start, uncertain, ""),
    )
    return Source(hit, document, page, placed, text_from=text_from, uncertain=in_doubt, addressed=spoken)


def within_reach(
    builder: AnswerBuilder, passage: PromptPassage, places: Sequence[tuple[int, int]], db: Database
) -> bool:
    """Whether these places of the passage stand on pages that are at hand; else those before and
    after are read, at last all."""

    def at_hand() -> bool:
        pages = builder.pages[passage.document_id]
        return all(is_same(passage.text[a:b], _text_at(pages, passage.start + a, passage.start + b)) for a, b in places)

    if at_hand():
        return True
    numbers = {page.number for page in builder.pages[passage.document_id]}
    near = {number + step for number in numbers for step in (-1, 1)}
    builder.pages[passage.document_id] = read_pages(db, passage.document_id, sorted(numbers | near))
    if not at_hand() and passage.document_id in builder.texts:  # a list or table over several pages
        builder.pages[passage.document_id] = read_pages(db, passage.document_id)
    return at_hand()


def cite(span: wire.CopiedSpanOut, builder: AnswerBuilder) -> list[Citation]:
    """Take the span into the answer as places in a document, one for each thing that it holds: an
    introduction, a sentence, a list, a row. Nothing when its characters are not the document's."""
    passages, text = (
        {str(index): passage for index, passage in enumerate(builder.prompt_passages)},
        builder.text[span.start : span.end],
    )
    passage = passages.get(span.document)
    if passage is None or not 0 <= span.start < span.end <= len(builder.text):
        _dropped(builder)
        return []
    pages = builder.pages[passage.document_id]
    start, end = passage.start + span.source_start, passage.start + span.source_end
    if text != passage.text[span.source_start : span.source_end] or text != _text_at(pages, start, end):
        _dropped(builder)
        return []
    known = len(builder.citations)
    for part in _parts(passage.document_id, start, end, builder):
        builder.citations.append(_cited(part, span.start - start, builder, passage.document_id))
    again = _of_one_source(builder.citations, known, builder)
    builder.citations[len(builder.citations) - len(again) :] = again
    return builder.citations[known:]


def _of_one_source(citations: Sequence[Citation], known: int, builder: AnswerBuilder) -> list[Citation]:
    """What is read together is followed to one source: that which holds most of it, and not the
    title that was written first. Those of the last part that were written before, too."""
    first, last = known, citations[known - 1] if known else None
    while last is not None and first and _is_read_with(citations[first - 1], last):
        first -= 1

    def rank_of(citation: Citation) -> int:
        together = [one for one in citations[first:] if _is_read_with(one, citation)]
        return _rank_of(citation.document_id, [(one.source_start, one.source_end) for one in together], builder)

    return [replace(citation, rank=rank_of(citation)) for citation in citations[first:]]


def _is_read_with(one: Citation, two: Citation) -> bool:
    return (one.part, one.document_id) == (two.part, two.document_id)


def part(builder: AnswerBuilder) -> Token | None:
    """Write the white space that follows the last quote in its document, which parts it from the
    next; None where it is parted already."""
    if not builder.citations or builder.text[-1:].isspace():
        return None
    last = builder.citations[-1]
    white = _text_at(builder.pages[last.document_id], last.source_end, last.source_end + 1)
    if not white.isspace() or last.end != len(builder.text):
        return None
    builder.text += white
    builder.citations[-1] = replace(last, end=last.end + 1, source_end=last.source_end + 1, text=last.text + white)
    return Token(white)


def _parts(document_id: str, start: int, end: int, builder: AnswerBuilder) -> list[QuotedPart]:
    """By the document's blocks; of one whose text is not at hand the whole is a sentence."""
    text, question = builder.texts.get(document_id), builder.analysis
    if text is None or question is None or builder.question.mode != Mode.VERBATIM:
        return [QuotedPart(start, end, PartKind.SENTENCE, -1)]
    blocks, said = structure_of(text, builder.structures.get(document_id, "")), builder.said.get(document_id, ())
    return parts_of(text, blocks, start, end, question.text, said)


def _cited(part: QuotedPart, shift: int, builder: AnswerBuilder, document_id: str) -> Citation:
    """shift: from places of the document to places of the answer."""
    pages = builder.pages[document_id]
    placed = rects(pages, part.start, part.end)
    page = placed[0].page if placed else page_of(pages, part.start)
    start, end = part.start + shift, part.end + shift
    whole = builder.text[start:end] if part.kind == PartKind.ROW else ""

    def stands_out(piece: Inner) -> bool:
        """Nothing does of what may not be the answer, or not this patient's."""
        words = whole or builder.text[piece.start + shift : piece.end + shift]
        return not builder.unsure and not _is_for_some(builder, document_id, words)

    pieces = tuple(
        QuotedPiece(
            i.start + shift,
            i.end + shift,
            i.start,
            i.end,
            i.label,
            i.level,
            i.header,
            i.column,
            i.columns,
            i.asked and stands_out(i),
            i.pointed and stands_out(i),
        )
        for i in part.pieces
    )
    return Citation(
        start,
        end,
        document_id,
        part.start,
        part.end,
        builder.text[start:end],
        page,
        placed,
        _rank_of(document_id, [(part.start, part.end)], builder),
        builder.part_of(document_id, part),
        part.kind,
        pieces,
    )


def _is_for_some(builder: AnswerBuilder, document_id: str, text: str) -> bool:
    """Names patients, where the question names none and the document is not for these alone."""
    if builder.analysis is None or builder.analysis.patient.is_clear:
        return False
    whose = {
        group
        for one in builder.sources
        if one.document.id == document_id
        for group in one.document.metadata.target_groups
    }
    return not whose >= {group for named in patients_in(text) for group in named.groups}


def _rank_of(document_id: str, places: Sequence[tuple[int, int]], builder: AnswerBuilder) -> int:
    """Of the source that holds most of these places, else the nearest; the better one of two."""
    chunks = [source.hit for source in builder.sources if source.document.id == document_id]

    def held(hit: Hit) -> tuple[int, int, int]:
        shared = [min(end, hit.chunk.end) - max(start, hit.chunk.start) for start, end in places]
        return sum(max(0, one) for one in shared), min(0, max(shared)), -hit.rank

    return max(chunks, key=held).rank


def _dropped(builder: AnswerBuilder) -> None:
    log.error("a copied span does not equal its source and is not shown")
    builder.stats["dropped_spans"] = builder.stats.get("dropped_spans", 0) + 1


def _text_at(pages: Sequence[Page], start: int, end: int) -> str:
    """document_text[start:end], from the pages it touches."""
    return "".join(page.text[max(0, start - page.start) : max(0, end - page.start)] for page in pages)
