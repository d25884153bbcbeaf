"""A link to words of a document -> where they stand in it now: a link may be older than the
reading, or the version, that it leads to."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rag_api.answering.quoting.citations import source_of
from rag_api.answering.quoting.highlight import page_of
from rag_api.db import Database
from rag_api.db.documents import read_pages, read_uncertain
from rag_api.domain import Chunk, Document, Hit, Page, Source
from rag_api.text.quotable.uncertain import blanked


@dataclass(frozen=True, slots=True)
class Linked:
    source: Source  # the words with their places; where they are not all found, the page
    found: bool  # exactly these words stand there
    quotes: tuple[str, ...]  # the words, those that the link shortens in full
    page_text: str  # what was read in doubt is blank in it


def linked(db: Database, document: Document, page: int, words: str) -> Linked:
    """The place of these words nearest to that page; where they do not stand together, those of
    their lines. The caller may read the document."""
    pages = read_pages(db, document.id)
    text = "".join(one.text for one in pages)
    lines = [in_full(text, line) for line in words.splitlines()]
    where = places_of(pages, ["\n".join(lines)], page) or places_of(pages, lines, page)
    on = [page_of(pages, begin) for begin, _ in where]  # a heading may stand pages before what was quoted
    number = min(on or [min(max(page, 1), max(len(pages), 1))], key=lambda one: abs(one - page))
    shown = next((one for one in pages if one.number == number), None)
    whole = [(shown.start, shown.start + len(shown.text)) if shown else (0, 0)]
    uncertain = read_uncertain(db, [document.id]).get(document.id, [])
    sources = []
    for begin, end in where or whole:
        said = blanked(text[begin:end], begin, uncertain)
        about = document.metadata
        chunk = Chunk("", document.id, about.title, (number,), begin, end, said, about)
        sources.append(source_of(Hit(chunk, 0.0, 0.0, 0.0, 1), document, pages))
    page_text = blanked(shown.text, shown.start, uncertain) if shown else ""
    return Linked(replace(_joined(sources), page=number), bool(where), tuple(lines), page_text)


# "Geef kinderen 15 mg~48-1x2y3z": how the words begin, how many letters, and their check sum.
_SHORTENED = re.compile(r"(.*\S.*)~(\d{1,5})-([0-9a-z]{1,7})")
_LETTER = re.compile(r"[^\s\ufeff]")
_MOST = 2000  # places that begin alike are looked at


def in_full(text: str, line: str) -> str:
    """The words that a line of a link shortens; the line itself where it shortens none, or a letter
    of them is another now."""
    told = _SHORTENED.fullmatch(line)
    if told is None:
        return line
    at = [one.start() for one in _LETTER.finditer(text)]
    letters, first = "".join(text[one] for one in at), "".join(_LETTER.findall(told[1]))
    count, total = int(told[2]), int(told[3], 36)
    for found in islice(re.finditer(f"(?={re.escape(first)})", letters), _MOST):
        begin, end = found.start(), found.start() + count
        if zlib.crc32(letters[begin:end].encode()) == total and 0 < count <= len(letters) - begin:
            return " ".join(text[at[begin] : at[end - 1] + 1].split())
    return line


def _joined(sources: Sequence[Source]) -> Source:
    """One of all of them. Exact or nothing: where one has no rectangles, none has."""
    first = sources[0]
    placed = [at for source in sources for at in source.rects] if all(source.rects for source in sources) else []
    text = "\n".join(source.hit.chunk.text for source in sources)
    return replace(first, hit=replace(first.hit, chunk=replace(first.hit.chunk, text=text)), rects=tuple(placed))


def places_of(pages: Sequence[Page], quotes: Sequence[str], near: int) -> list[tuple[int, int]]:
    """Where each of these stands in the document's text, however lines and blanks part its words;
    empty unless all do. What stands in fewest places is sought nearest to that page, and the others
    nearest before and after that: a table's header and rows may be those of other tables too."""
    text = "".join(page.text for page in pages)
    first = pages[0].start if pages else 0
    found = [
        [(first + m.start(), first + m.end()) for m in re.finditer(r"\s+".join(map(re.escape, words.split())), text)]
        for words in quotes
        if words.split()
    ]
    if not found or not all(found):
        return []
    rarest = min(range(len(found)), key=lambda at: len(found[at]))
    places = [min(found[rarest], key=lambda place: abs(page_of(pages, place[0]) - near))]
    for those in found[rarest + 1 :]:
        places.append(_nearest(those, places[-1], lambda place, other: place[0] >= other[1]))
    for those in reversed(found[:rarest]):
        places.insert(0, _nearest(those, places[0], lambda place, other: place[1] <= other[0]))
    return places


def _nearest(
    places: Sequence[tuple[int, int]], other: tuple[int, int], fits: Callable[[tuple[int, int], tuple[int, int]], bool]
) -> tuple[int, int]:
    """Of those on the side where it stood when it was quoted, if any are."""
    return min([one for one in places if fits(one, other)] or places, key=lambda place: abs(place[0] - other[0]))
