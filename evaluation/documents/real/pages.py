"""Pages of papers of hospitals and governments as our reader reads them: do their blocks stand in
the order in which a person reads them, and does a quoted row bring its table's caption?

python -m evaluation.documents.real.pages FOLDER [HALF]

FOLDER: where evaluation/fetch_real_documents.py put them. pages.csv has the blocks of pages
that were drawn by chance, in order, by their first and last words, marked from the pages' pictures;
page_rows.csv rows of tables, in the form of tables.csv. HALF: A, which may be looked at, or B; of
rows also C to E, of further pages that were drawn later, of which C may be looked at; E of those
that one mending had changed.

How it was marked: columns and side boxes from the left, a side box after all of the text beside it;
boxes on one line from the left; what spans the columns after those above it; footnotes last.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from evaluation.documents.real.tables import documents_of, measure_rows
from rag_api.domain import ReadDocument
from rag_api.text.quotable.uncertain import touches

MARKED = Path(__file__).with_name("pages.csv")
ROWS = Path(__file__).with_name("page_rows.csv")
Mark = tuple[str, str]  # a block's first words and its last ones


def measure(document: Callable[[str], ReadDocument], half: str = "") -> dict[str, dict[str, int]]:
    """Each page's blocks: how many there are, were found, stand in order and are whole."""
    found: dict[str, dict[str, int]] = {}
    with MARKED.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if half in ("", row["half"])]
    for (number, page), blocks in groupby(rows, key=itemgetter("document", "page")):
        marks = [(row["start"], row["end"] or row["start"]) for row in blocks]
        found[f"{number}/{page}"] = judged(document(number), int(page), marks)
    return found


def judged(document: ReadDocument, number: int, marks: Sequence[Mark]) -> dict[str, int]:
    """Of one page. A block is whole where its end stands before any other block's begin; what is
    out of order or not whole and yet could be quoted is counted by itself."""
    page = document.pages[number - 1]
    letters, places = _letters(page.text)
    starts = [_all(_letters(start)[0], letters) for start, _ in marks]
    chosen = in_order(starts)
    at = [chosen.get(n, one[0] if one else -1) for n, one in enumerate(starts)]
    whole, quotable = 0, 0
    for n, (start, end) in enumerate(marks):
        last = _letters(end)[0]
        ends = letters.find(last, at[n]) if starts[n] else -1
        unmixed = ends >= 0 and not any(at[n] < other < ends for other in at)
        whole += unmixed
        if starts[n] and not (unmixed and n in chosen):
            span = places[at[n]], places[at[n] + len(_letters(start)[0]) - 1] + 1
            quotable += not touches(page.start + span[0], page.start + span[1], document.uncertain)
    found = sum(1 for one in starts if one)
    return {"blocks": len(marks), "found": found, "in order": len(chosen), "whole": whole, "amiss, quotable": quotable}


def in_order(starts: Sequence[Sequence[int]]) -> dict[int, int]:
    """The most blocks whose beginnings rise, each with that of its places that does."""
    ends: list[int] = []  # the lowest last place of a run of each length
    kept: list[dict[int, int]] = []  # that run, place by block
    for block, places in enumerate(starts):
        for place in sorted(places, reverse=True):  # so that a block is taken once
            length = bisect_left(ends, place)
            run = {**(kept[length - 1] if length else {}), block: place}
            ends[length : length + 1], kept[length : length + 1] = [place], [run]
    return kept[-1] if kept else {}


def _letters(words: str) -> tuple[str, list[int]]:
    """The letters and digits alone, small, and where each stood."""
    letters = [
        (letter, at)
        for at, sign in enumerate(words)
        for letter in re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", sign)).casefold()
    ]
    return "".join(letter for letter, _ in letters), [at for _, at in letters]


def _all(words: str, letters: str) -> list[int]:
    return [one.start() for one in re.finditer(f"(?={re.escape(words)})", letters)]


def main() -> None:
    document, half = documents_of(Path(sys.argv[1])), sys.argv[2] if len(sys.argv) > 2 else ""
    found = measure(document, half)
    for page, one in found.items():
        print(page, *one.values())
    print(json.dumps(sum(map(Counter, found.values()), Counter[str]()), indent=1))
    print(json.dumps(measure_rows(document, ROWS, half), indent=1))


if __name__ == "__main__":
    main()
