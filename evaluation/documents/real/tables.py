"""Rows of tables in papers of hospitals and governments, as an answer would quote them: with their
caption, header, group and footnote?

python -m evaluation.documents.real.tables FOLDER

FOLDER: where evaluation/fetch_real_documents.py put them. tables.csv says of each row, marked
by hand, by which words its cells, its caption, each name of its header, its group and its footnote
are known.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

from rag_api.domain import ReadDocument
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.footnotes import footnotes
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain

MARKED = Path(__file__).with_name("tables.csv")
_LONGEST = 900  # letters; a quote that is longer holds more than a row


def documents_of(folder: Path) -> Callable[[str], ReadDocument]:
    """What gives the paper of a number as we read it, each once."""

    @cache
    def document(number: str) -> ReadDocument:
        path = next(folder.glob(f"{number} *.pdf"))
        return read(path, path.name, PDF, max_pages=600)

    return document


def measure_rows(document: Callable[[str], ReadDocument], marked: Path = MARKED, half: str = "") -> Counter[str]:
    """How many rows are quoted, and with how many of them stands what is due."""
    found: Counter[str] = Counter()
    with marked.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if half in ("", row.get("half")):
                found.update(_judged(document(row["document"]), row))
    return found


def _judged(document: ReadDocument, row: dict[str, str]) -> list[str]:
    page, text = document.pages[int(row["page"]) - 1], document.text
    cells = [_plain(cell) for cell in row["cells"].split(" || ")]
    near = [q for q in quotable(text, document.blocks) if page.start <= q.end and q.start < page.start + len(page.text)]
    words = {quote: _plain(text[quote.start : quote.end]) for quote in near}
    quotes = [quote for quote in near if len(words[quote]) < _LONGEST and all(cell in words[quote] for cell in cells)]
    if not quotes:
        return ["rows", "in no quote"]
    quote = min(quotes, key=lambda one: one.end - one.start)
    if not is_certain(quote, document.uncertain):
        return ["rows", "shown as a page"]
    said = "".join(_plain(text[a:b]) for a, b in quote.lead) + words[quote]
    notes = "".join(_plain(text[a:b]) for a, b in footnotes(text, document.blocks, quote.start, quote.end))
    due = {part: row[part] for part in ("caption", "header", "group", "footnote") if row[part]}
    there = [
        part
        for part, words_ in due.items()
        if all(_plain(one) in (notes if part == "footnote" else said) for one in words_.split(" || "))
    ]
    whole = ["whole"] if len(there) == len(due) else []
    return ["rows", "quoted", *whole, *(f"{part} due" for part in due), *there]


def _plain(words: str) -> str:
    """Small letters without white space; raised and lowered figures as others."""
    return re.sub(r"[\s\u00ad]+", "", unicodedata.normalize("NFKC", words)).casefold()


if __name__ == "__main__":
    print(json.dumps(measure_rows(documents_of(Path(sys.argv[1]))), indent=1))
