"""The measure of real pages counts what is missing, out of order or mixed."""

from __future__ import annotations

import csv
from pathlib import Path

from evaluation.documents.real.pages import MARKED, ROWS, in_order, judged
from rag_api.domain import ReadDocument
from rag_api.ingest.readers.read import PDF, read
from tests.rag_api.made_files.pdfs import lines, pdf, write

_LEFT, _RIGHT, _THIRD = ("Geef zuurstof", "aan iedereen."), ("Bel de arts", "meteen op."), ("Meet de", "bloeddruk.")


def _page(tmp_path: Path, *words: str) -> ReadDocument:
    path = write(tmp_path, "a.pdf", pdf(lines(*words, leading=40)))
    return read(path, path.name, PDF, max_pages=1)


def _told(tmp_path: Path, *words: str) -> list[int]:
    return list(judged(_page(tmp_path, *words), 1, [_LEFT, _RIGHT, _THIRD]).values())


def test_a_page_is_told_by_its_blocks_in_order_whole_and_quotable(tmp_path: Path) -> None:
    one, two, three = (" ".join(block) for block in (_LEFT, _RIGHT, _THIRD))
    assert _told(tmp_path, one, two, three) == [3, 3, 3, 3, 0]
    assert _told(tmp_path, two, three, one) == [3, 3, 2, 3, 1]
    assert _told(tmp_path, one, two) == [3, 2, 2, 2, 0]
    assert _told(tmp_path, _LEFT[0], two, _LEFT[1], three) == [3, 3, 3, 2, 1]


def test_a_block_that_begins_as_others_do_is_taken_where_it_rises() -> None:
    assert len(in_order([[5], [1, 9], [2, 7]])) == 2
    assert in_order([[3, 1], [2], [1, 3]]) == {0: 1, 1: 2, 2: 3}
    assert in_order([[], []]) == {}


def test_forty_pages_are_marked_and_the_rows_of_each_are_in_its_half() -> None:
    with MARKED.open(newline="", encoding="utf-8") as file:
        pages = {(row["document"], row["page"]): row["half"] for row in csv.DictReader(file)}
    assert len(pages) == 40
    with ROWS.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {*pages.values()} == {"A", "B"}
    assert {row["half"] for row in rows} == {"A", "B", "C", "D", "E"}
    later = [{row["document"] for row in rows if row["half"] == half} for half in "CD"]
    assert later[0].isdisjoint(later[1])
    assert all(pages.get((row["document"], row["page"]), row["half"]) == row["half"] for row in rows)
