"""A link to words of a document -> where they stand in it now: a link may be older than the
reading, or the version, that it leads to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_api.answering.quoting.citations import source_of
from rag_api.answering.quoting.highlight import page_of
from rag_api.db import Database
from rag_api.db.documents import read_pages, read_uncertain
from rag_api.domain import Chunk, Document, Hit, Page, Source
from rag_api.text.quotable.uncertain import blanked


@dataclass(frozen=True, slots=True)
class Linked:
    source: Source  # the words with their place; where they are not found, the page
    found: bool  # exactly these words stand there
    page_text: str  # what was read in doubt is blank in it


def linked(db: Database, document: Document, page: int, words: str) -> Linked:
    """The place of these words nearest to that page. The caller may read the document."""
    pages = read_pages(db, document.id)
    where = place_of(pages, words, page)
    number = page_of(pages, where[0]) if where else min(max(page, 1), max(len(pages), 1))
    shown = next((one for one in pages if one.number == number), None)
    begin, end = where or ((shown.start, shown.start + len(shown.text)) if shown else (0, 0))
    uncertain = read_uncertain(db, [document.id]).get(document.id, [])
    text = "".join(one.text for one in pages)[begin:end]
    chunk = Chunk(
        "",
        document.id,
        document.metadata.title,
        (number,),
        begin,
        end,
        blanked(text, begin, uncertain),
        document.metadata,
    )
    source = source_of(Hit(chunk, 0.0, 0.0, 0.0, 1), document, pages)
    page_text = blanked(shown.text, shown.start, uncertain) if shown else ""
    return Linked(source, where is not None, page_text)


def place_of(pages: Sequence[Page], words: str, near: int) -> tuple[int, int] | None:
    """The words in the document's text, however lines and blanks part them, where they stand
    nearest to that page."""
    parts = words.split()
    if not parts:
        return None
    text = "".join(page.text for page in pages)
    first = pages[0].start if pages else 0
    found = [(first + m.start(), first + m.end()) for m in re.finditer(r"\s+".join(map(re.escape, parts)), text)]
    return min(found, key=lambda place: abs(page_of(pages, place[0]) - near), default=None)
