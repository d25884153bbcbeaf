"""The sample handbook holds what it promises: its sources give its PDFs, and every judged span
stands on its page."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pypdfium2 as pdfium
import pytest

from rag_api.domain import LOCAL_USER
from rag_api.guard.people.asker import function_of
from tests.support.handbook.layout import render
from tests.support.handbook.look import HOSPITAL
from tests.support.handbook.render import HANDBOOK, SOURCES, metadata_csv
from tests.support.handbook.render import procedures as read_procedures
from tests.support.handbook.source import Procedure

pytestmark = pytest.mark.quick

PDFS = sorted((HANDBOOK / "pdf").glob("*.pdf"))


def rows_of(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((HANDBOOK / name).read_text(encoding="utf-8"))))


JUDGED = rows_of("judged.csv")
ANSWERABLE = [row for row in JUDGED if row["document"]]


@cache
def procedures() -> list[Procedure]:
    return read_procedures()


def squash(text: str) -> str:
    """Text without white space and hyphens: what is left when lines are broken or joined."""
    return re.sub(r"[\s\-\u00ad\u2010\ufffe\x02]", "", text)


@cache
def page_texts(name: str) -> tuple[str, ...]:
    document = pdfium.PdfDocument(HANDBOOK / "pdf" / name)
    return tuple(squash(page.get_textpage().get_text_range()) for page in document)


def body(name: str, page: int) -> str:
    """What stands on a page between its header and its footer; empty past the last page."""
    if page > len(page_texts(name)):
        return ""
    procedure = next(p for p in procedures() if p.file_name == name)
    header, footer = f"{HOSPITAL} {procedure.department} | {procedure.number}", f"{procedure.number} | "
    return page_texts(name)[page - 1].removeprefix(squash(header)).rpartition(squash(footer))[0]


def stands_on(span: str, name: str, page: int) -> bool:
    """Begins on the page; may end on the next one."""
    first = body(name, page)
    return 0 <= (first + body(name, page + 1)).find(squash(span)) < len(first)


@pytest.mark.parametrize("row", ANSWERABLE, ids=lambda row: row["id"])
def test_judged_span_stands_on_its_page(row: dict[str, str]) -> None:
    assert stands_on(row["span"], row["document"], int(row["page"])), row


def test_a_span_that_was_made_up_is_noticed() -> None:
    row = ANSWERABLE[0]
    assert not stands_on(row["span"] + " Dit staat er niet.", row["document"], int(row["page"]))


def test_judged_set_is_large_mixed_and_split_in_halves() -> None:
    languages, splits = Counter(row["language"] for row in JUDGED), Counter(row["split"] for row in JUDGED)
    assert len(JUDGED) >= 150
    assert len(JUDGED) - len(ANSWERABLE) >= 30
    assert len({row["id"] for row in JUDGED}) == len({row["question"] for row in JUDGED}) == len(JUDGED)
    assert set(languages) == {"nl", "en"}
    assert 0.5 < languages["nl"] / len(JUDGED) < 0.75
    assert set(splits) == {"validate", "test"}
    assert abs(splits["validate"] - splits["test"]) <= 4
    assert {row["group"] for row in JUDGED} <= {"", "adult", "child", "neonate", "pregnancy"}
    assert all(not (row["page"] or row["span"]) for row in JUDGED if not row["document"])


def test_judged_set_asks_english_questions_on_dutch_procedures() -> None:
    languages = {p.file_name: p.language for p in procedures()}
    crossing = [row for row in ANSWERABLE if row["language"] != languages[row["document"]]]
    assert all("cross-language" in row["note"] for row in crossing)
    assert sum(row["language"] == "en" for row in crossing) >= 25


def test_judged_set_touches_every_special_layout() -> None:
    shapes = Counter(part for row in ANSWERABLE for part in row["note"].split("; "))
    assert all(shapes[shape] >= 4 for shape in ("rotated", "landscape", "two-column", "page-crossing")), shapes
    assert sum(shapes[shape] for shape in ("rotated", "landscape", "two-column", "page-crossing")) >= 20


def test_a_note_of_page_crossing_is_true() -> None:
    for row in ANSWERABLE:
        whole = squash(row["span"]) in body(row["document"], int(row["page"]))
        assert whole != ("page-crossing" in row["note"]), row


def test_handbook_has_forty_procedures_two_thirds_of_them_dutch() -> None:
    documents = procedures()
    dutch = sum(p.language == "nl" for p in documents) / len(documents)
    assert [path.name for path in PDFS] == [p.file_name for p in documents]
    assert len(PDFS) >= 40
    assert 0.6 <= dutch <= 0.75
    assert sum(path.stat().st_size for path in PDFS) < 8_000_000


def test_procedures_have_one_to_eight_pages() -> None:
    counts = [len(page_texts(path.name)) for path in PDFS]
    assert min(counts) == 1
    assert 4 <= max(counts) <= 8
    assert sum(counts) / len(counts) >= 2


def test_superseded_versions_stand_beside_their_successors() -> None:
    documents = {p.name: p for p in procedures()}
    successors = [p for p in documents.values() if p.supersedes]
    assert len(successors) >= 2
    for new in successors:
        old = documents[new.supersedes]
        assert old.number == new.number
        assert old.valid_until is not None
        assert old.valid_until < new.valid_from


@pytest.mark.longer
def test_rendering_gives_the_committed_files() -> None:
    """Bytes may differ where zlib compresses differently; then the decoded pages and the metadata
    must not."""
    for procedure in procedures():
        made = render(procedure, SOURCES / "scans")
        committed = (HANDBOOK / "pdf" / procedure.file_name).read_bytes()
        assert made == committed or _content(made) == _content(committed), procedure.file_name
    assert (HANDBOOK / "pdf" / "metadata.csv").read_text(encoding="utf-8") == metadata_csv(procedures())


def _content(data: bytes) -> list[Any]:
    document = pdfium.PdfDocument(data)
    pages = [(page.get_size(), page.get_rotation(), page.get_textpage().get_text_range()) for page in document]
    return [document.get_metadata_dict(), *pages]


def test_rendering_twice_gives_the_same_bytes() -> None:
    procedure = procedures()[0]
    assert render(procedure, SOURCES / "scans") == render(procedure, SOURCES / "scans")


def test_pages_of_every_real_shape_exist() -> None:
    shapes: Counter[str] = Counter()
    for path in PDFS:
        document = pdfium.PdfDocument(path)
        texts = page_texts(path.name)
        for page, text in zip(document, texts, strict=True):
            width, height = page.get_size()
            shapes["rotated"] += page.get_rotation() == 90
            shapes["landscape"] += width > height and page.get_rotation() == 0
            shapes["image only"] += not text and any(
                obj.type == pdfium.raw.FPDF_PAGEOBJ_IMAGE for obj in page.get_objects()
            )
            shapes["two columns"] += _has_two_columns(page)
        shapes["scan only"] += not any(texts)
    assert all(shapes[shape] for shape in ("rotated", "landscape", "image only", "two columns", "scan only")), shapes
    assert shapes["image only"] > shapes["scan only"]  # a scanned page among pages with text


def test_no_text_runs_off_a_page() -> None:
    for path in PDFS:
        for page in pdfium.PdfDocument(path):
            left, bottom, right, top = page.get_mediabox()
            text = page.get_textpage()
            for x0, y0, x1, y1 in (text.get_rect(i) for i in range(text.count_rects())):
                assert left + 20 < x0 < x1 < right - 20, path.name
                assert bottom + 15 < y0 < y1 < top - 15, path.name


def _has_two_columns(page: pdfium.PdfPage) -> bool:
    """Between header and footer many lines of text end left of the middle, many begin right of it,
    and none runs across."""
    width, height = page.get_size()
    middle, text = width / 2, page.get_textpage()
    boxes = [box for box in map(text.get_rect, range(text.count_rects())) if 50 < box[1] < height - 50]
    left = sum(x1 < middle for _, _, x1, _ in boxes)
    right = sum(x0 > middle for x0, _, _, _ in boxes)
    across = sum(x0 < middle - 20 and x1 > middle + 20 for x0, _, x1, _ in boxes)
    return bool(min(left, right) > 10 and across == 0)


def test_pdf_metadata_carries_version_validity_and_group() -> None:
    from pypdf import PdfReader

    for procedure in procedures():
        info = PdfReader(HANDBOOK / "pdf" / procedure.file_name).metadata
        assert info is not None
        assert (info.title, info.author) == (procedure.title, procedure.owner)
        assert (str(info["/Version"]), str(info["/ValidFrom"])) == (procedure.version, procedure.valid_from.isoformat())
        assert str(info["/TargetGroups"]) == ";".join(procedure.target_groups)


def test_abbreviations_are_listed_once_per_language() -> None:
    rows = rows_of("abbreviations.csv")
    assert len({(row["abbreviation"], row["language"], row["expansion"]) for row in rows}) == len(rows) >= 30
    assert {"SIC", "MKA", "RR", "NRS", "VTE"} <= {row["abbreviation"] for row in rows}


def test_synonyms_are_listed_once() -> None:
    rows = rows_of("synonyms.csv")
    assert len({row["term"].casefold() for row in rows}) == len(rows) >= 50
    assert all(row["term"] and row["synonym"] and row["language"] in ("nl", "en") for row in rows)


def test_every_question_about_somebody_is_asked_by_who_cares_for_them() -> None:
    """So that `bedside quality evaluate` counts first hits for other patients with the asker's
    function set."""
    for row in JUDGED:
        groups = function_of(replace(LOCAL_USER, function=row["function"])).groups
        assert (row["group"] in groups) if row["group"] else not row["function"], row["id"]
