"""Readers of DOCX are counted by what is laid out: words, their order, rows, numbers of lists,
headings."""

from __future__ import annotations

from pathlib import Path

from evaluation.documents.docx_layout import Laid, words
from evaluation.documents.docx_readers import judged, longest, ours, python_docx
from tests.rag_api.awkward.word.word import docx, heading, paragraph, row, table


def test_what_a_reader_lacks_adds_or_moves_is_counted() -> None:
    row = (("adult",), ("5", "mg"))
    truth = Laid(words("one two three four 5 mg"), [(("b",), ("two", "three", "four"))], [(row, row)], [words("One")])
    assert judged(truth, truth, Laid(words("one b) two three four"))) == {
        "common": 6, "laid out": 6, "more": 0, "told": 6, "longest": 6, "rows": 1, "all rows": 1, "numbers": 1,
        "all numbers": 1, "headings": 1, "all headings": 1,
    }  # fmt: skip
    other = Laid(words("two one three unseen"), rows=[((("adult",),), ())])
    assert judged(truth, other, other) == {
        "common": 3, "laid out": 6, "more": 1, "told": 4, "longest": 2, "rows": 0, "all rows": 1, "numbers": 0,
        "all numbers": 1, "headings": 0, "all headings": 1,
    }  # fmt: skip


def test_the_longest_common_subsequence_is_found() -> None:
    assert longest(tuple("abcbdab"), tuple("bdcaba")) == 4
    assert longest(("a",) * 70, ("b", *("a",) * 69)) == 69


def test_ours_and_a_library_tell_the_same_of_a_plain_document(tmp_path: Path) -> None:
    path = tmp_path / "one.docx"
    path.write_bytes(docx(heading("Dose") + paragraph("Give it once.") + table(row("Adult", "5 mg"), columns=2)))
    assert ours(path) == python_docx(path)
