"""Passages as a reader gets them: each hit grown to its section, as numbered lines with the place
of each in the document.

Knows no reader, no database and no question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag_api.domain import Candidate, Hit
from rag_api.text.quotable.quotable_spans import Offsets, Quotable, quotable_of
from rag_api.text.quotable.uncertain import BLANK
from rag_api.text.sentence_splitter import LineKind
from services.contract.reading_prompt import LABELS

LONGEST = 2_400  # characters of a passage: what stands further from its hit is left to another hit
AROUND = 800  # of these, how many may stand before the hit and behind it, where the section goes on


@dataclass(frozen=True, slots=True)
class ReadingLine:
    """What is read as one unit. quote: what of the document is quoted for it; None: it only
    introduces what comes below (a table's header, a list's lead-in). introduced_by: the numbers of
    such lines, for what they introduce."""

    text: str
    quote: Quotable | None
    introduced_by: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadingPassage:
    """A section of a document as its reader sees it. rank: of the hit that it grew from."""

    document_id: str
    rank: int
    title: str
    heading: str
    lines: tuple[ReadingLine, ...]

    def quoted(self, first: int, last: int, text: str, score: float) -> Candidate | None:
        """Return lines first to last as one place of the document; None where they hold nothing
        that can be quoted.

        A range that ends in an introduction goes on to the line that it introduces. What was read
        in doubt (BLANK) is not quoted."""
        while last + 1 < len(self.lines) and self.lines[last].quote is None:
            last += 1
        quotes = [line.quote for line in self.lines[first : last + 1] if line.quote is not None]
        if not quotes:
            return None
        start, end = min(one.start for one in quotes), max(one.end for one in quotes)
        lead = tuple(place for place in quotes[0].lead if place[1] <= start)
        said = "".join(text[a:b] for a, b in (*lead, (start, end)))
        return None if BLANK in said else Candidate(self.document_id, start, end, lead, said, score, self.rank)


def passages_of(
    hits: Sequence[Hit], texts: Mapping[str, str], structures: Mapping[str, str], most: int | None = None
) -> list[ReadingPassage]:
    """Return the sections around the hits, best first, none twice; without those of documents whose
    text is not at hand. `most`: passages."""
    found: list[ReadingPassage] = []
    taken: dict[str, list[Offsets]] = {}
    for hit in hits:
        if most is not None and len(found) >= most:
            break
        chunk = hit.chunk
        text = texts.get(chunk.document_id)
        if text is None:
            continue
        quotes = _section(quotable_of(text, structures.get(chunk.document_id, "")), chunk.start, chunk.end)
        own = [one for one in quotes if not any(a <= one.start < b for a, b in taken.get(chunk.document_id, ()))]
        lines = _lines(text, own)
        if not any(line.quote is not None for line in lines):
            continue
        taken.setdefault(chunk.document_id, []).append((own[0].start, own[-1].end))
        heading = " > ".join(" ".join(text[a:b].split()) for a, b in own[0].path)
        found.append(ReadingPassage(chunk.document_id, hit.rank, chunk.title, heading, lines))
    return found


def _section(quotes: Sequence[Quotable], start: int, end: int) -> list[Quotable]:
    """The quotes of the hit, and what stands around them below the same heading, or in the same
    list or table."""
    inside = [n for n, one in enumerate(quotes) if one.start < end and one.end > start]
    if not inside:
        return []
    first, last = inside[0], inside[-1]
    while first > 0 and _together(quotes[first - 1], quotes[first]) and start - quotes[first - 1].start <= AROUND:
        first -= 1
    while last + 1 < len(quotes) and _together(quotes[last], quotes[last + 1]) and quotes[last + 1].end - end <= AROUND:
        last += 1
    kept, length = list[Quotable](), 0
    for one in quotes[first : last + 1]:
        length += one.end - one.start
        if length > LONGEST and kept and kept[-1].end >= end:
            break
        kept.append(one)
    return kept


def _together(one: Quotable, after: Quotable) -> bool:
    return one.path == after.path or one.group == after.group >= 0


def _lines(text: str, quotes: Sequence[Quotable]) -> tuple[ReadingLine, ...]:
    """Each quote a line, before it what introduces it, once: a table's heading and caption stand
    above it already."""
    lines: list[ReadingLine] = []
    said: set[Offsets] = {place for one in quotes[:1] for place in one.path}
    introductions: dict[Offsets, int] = {}
    end = -1
    for one in quotes:
        for place in one.lead:
            if place not in said and not (one.kind == LineKind.ROW and place in one.path):
                said.add(place)
                introductions[place] = len(lines)
                lines.append(ReadingLine(_words(text, *place), None))
        words = _words(text, max(one.start, end), one.end)
        if words:
            introduced_by = tuple(introductions[place] for place in one.lead if place in introductions)
            lines.append(ReadingLine(words, one, introduced_by))
        said.add((one.start, one.end))
        end = max(end, one.end)
        if len(lines) >= len(LABELS):
            break
    return tuple(lines[: len(LABELS)])


def _words(text: str, start: int, end: int) -> str:
    """As the questions that a reader learns from have it: cells parted by " | "."""
    cells = [" ".join(cell.split()) for cell in text[start:end].replace(BLANK, " ").split("\t")]
    return " | ".join(cells).strip(" |") if len(cells) > 1 else cells[0]
