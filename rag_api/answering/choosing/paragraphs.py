"""A sentence is quoted with its paragraph: what stands around it is mostly needed too, and shows
what it is about.

Only with what may be quoted: the paragraph is cut where a sentence is of another drug, for other
patients or for other numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag_api.answering.choosing.fitting import is_for_other_numbers, is_unfit
from rag_api.answering.choosing.read_documents import ReadDocuments
from rag_api.answering.choosing.span_selection import Section, overlap
from rag_api.answering.generator.prompt_passages import CANDIDATES
from rag_api.domain import Candidate
from rag_api.query.analysis import Analysis
from rag_api.text.quotable.quotable_spans import Quotable, quotable_of
from rag_api.text.quotable.uncertain import BLANK
from rag_api.text.sentence_splitter import LineKind

LONGEST = 600  # characters of a paragraph that are quoted around a sentence


def with_paragraphs(sections: Sequence[Section], read: ReadDocuments) -> list[Section]:
    """Return the sections with each sentence of prose grown to its paragraph. A section whose
    sentence another one's paragraph holds is said there; so is one that would quote a whole table
    or list of which another one quotes the row that is asked for."""
    found: list[Section] = []
    for section in sections:
        if section.asked is None or not section.candidates:
            found.append(section)
            continue
        best, before = section.candidates[0], [one.candidates[0] for one in found if one.candidates]
        if not any(_holds(one, best) or _holds(best, one) for one in before):
            found.append(replace(section, candidates=_grown(section.candidates, section.asked, read)))
    return [_without_firsts_of(found[:n] + found[n + 1 :], section) for n, section in enumerate(found)]


def _without_firsts_of(others: Sequence[Section], section: Section) -> Section:
    """What another section quotes for certain is not said in this one too."""
    firsts = [one.candidates[0] for one in others if one.candidates]
    rest = (c for c in section.candidates[1:] if not any(overlap(c, first) for first in firsts))
    return replace(section, candidates=(*section.candidates[:1], *rest))


def _grown(candidates: Sequence[Candidate], asked: Analysis, read: ReadDocuments) -> tuple[Candidate, ...]:
    """Best first, as many as the generator weighs; a sentence that a better one's paragraph holds
    is quoted there."""
    grown: list[Candidate] = []
    for candidate in candidates:
        if len(grown) == CANDIDATES:
            break
        if not any(overlap(one, candidate) for one in grown):
            whole = _paragraph(candidate, asked, read)
            grown.append(candidate if any(overlap(one, whole) for one in grown) else whole)
    return tuple(grown)


def _paragraph(candidate: Candidate, asked: Analysis, read: ReadDocuments) -> Candidate:
    """The sentences around it, as many as are short enough and fit who is asked about."""
    quote = read.quote(candidate)
    if quote is None or quote.kind != LineKind.PROSE or quote.block < 0:
        return candidate
    text = read.texts[candidate.document_id]
    own = [q for q in quotable_of(text, read.structures.get(candidate.document_id, "")) if q.block == quote.block]
    first = last = own.index(quote)

    def may_join(other: Quotable, start: int, end: int) -> bool:
        said = text[other.start : other.end]
        alone = replace(candidate, start=other.start, end=other.end, lead=(), text=said)
        return (
            end - start <= LONGEST
            and BLANK not in said
            and not is_unfit(asked, alone)
            and not is_for_other_numbers(asked, said)
        )

    growing = True
    while growing:  # what follows first: it says more often what is meant than what came before
        growing = False
        if last + 1 < len(own) and may_join(own[last + 1], own[first].start, own[last + 1].end):
            last, growing = last + 1, True
        if first and may_join(own[first - 1], own[first - 1].start, own[last].end):
            first, growing = first - 1, True
    start, end = own[first].start, own[last].end
    lead = tuple(place for place in candidate.lead if place[1] <= start)
    if (start, end) == (candidate.start, candidate.end):
        return candidate
    said = (candidate.start, candidate.end)
    return replace(
        candidate, start=start, end=end, lead=lead, text="".join(text[a:b] for a, b in (*lead, (start, end))), said=said
    )


def _holds(one: Candidate, other: Candidate) -> bool:
    return one.document_id == other.document_id and one.start <= other.start and other.end <= one.end
