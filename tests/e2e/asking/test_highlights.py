"""The real service, the sample handbook, a real Chromium: the words under what the page marks are
the words it quotes."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.e2e.geometry import Drawn, Pdf, bare
from tests.e2e.service import HANDBOOK, bedside

pytestmark = pytest.mark.timeout(3600)  # the first test waits for the handbook and the model
KINDS = {"rotated": 4, "landscape": 4, "two-column": 4, "page-crossing": 1}  # how many questions of each
PLAIN = 6  # of each language
SLOW = 180_000  # milliseconds for an answer on a busy machine

READ_MARKS = """selector => [...document.querySelectorAll(selector)].map(mark => {
    const page = mark.closest('.page');
    const [m, p] = [mark.getBoundingClientRect(), page.getBoundingClientRect()];
    return {page: Number(page.dataset.page), x0: (m.left - p.left) / p.width, x1: (m.right - p.left) / p.width,
            y0: (m.top - p.top) / p.height, y1: (m.bottom - p.top) / p.height};
})"""
READ_CANVAS = "page => document.querySelector(`.page[data-page='${page}'] canvas`).toDataURL()"


def chosen() -> list[dict[str, str]]:
    """Judged questions: some of every kind of page, and plain ones in both languages."""
    with (HANDBOOK / "judged.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["document"]]
    picked = [row for kind, count in KINDS.items() for row in [r for r in rows if kind in r["note"]][:count]]
    for language in ("nl", "en"):
        plain = [row for row in rows if not row["note"] and row["language"] == language]
        picked += plain[:: max(1, len(plain) // PLAIN)][:PLAIN]
    return picked


CHOSEN = chosen()


def places(answer: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The spans of an answer by what one follows to its place: a sentence, or a list, table or box
    as a whole."""
    spans = sorted(answer["spans"], key=lambda span: span["start"])
    parts = [list(part) for _, part in groupby(spans, key=lambda span: span["part"])]
    return [
        whole
        for part in parts
        for whole in ([part] if any(s["kind"] != "sentence" for s in part) else [[s] for s in part])
    ]


@dataclass
class Mark:
    """A marked place: what the page quotes, what stands under its rectangles, and on what pages."""

    quote: str
    under: str
    document: str
    pages: set[int]
    kinds: set[str] = field(default_factory=set)


@dataclass
class Reader:
    """Asks, opens sources and reads what was drawn, as a person at the page would."""

    page: Page
    base: str
    pdfs: dict[str, Pdf] = field(default_factory=dict)

    def ask(self, question: str, mode: str = "default") -> dict[str, Any]:
        self.page.goto(self.base)
        self.page.locator(".mode select").select_option(mode)
        self.page.locator("#question").fill(question)
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".made")).to_be_visible(timeout=SLOW)
        self.page.wait_for_url("**/c/*")
        conversation = self.page.url.rsplit("/", 1)[1]
        found: dict[str, Any] = self.page.request.get(f"{self.base}/api/conversations/{conversation}").json()[
            "answers"
        ][-1]
        return found

    def pdf(self, document_id: str) -> Pdf:
        if document_id not in self.pdfs:
            self.pdfs[document_id] = Pdf(self.page.request.get(f"{self.base}/api/documents/{document_id}/file").body())
        return self.pdfs[document_id]

    def read(self, quote: str, places: list[dict[str, Any]]) -> Mark:
        """Return what the open source marks now, once each page of `places` (spans or a source) is
        drawn with its marks."""
        document, document_id = places[0]["document"], places[0]["document_id"]
        for number in sorted({part["page"] for place in places for part in place["rects"]}):
            shown = f".page[data-page='{number}'][data-drawn=true] .highlight.current"
            expect(self.page.locator(shown).first).to_be_visible(timeout=SLOW)
        pdf, drawn = (
            self.pdf(document_id),
            [Drawn(**mark) for mark in self.page.evaluate(READ_MARKS, ".highlight.current")],
        )
        pages = {rect.page for rect in drawn}
        kinds = {"rotated"} if any(pdf.rotation(number) for number in pages) else set()
        kinds |= {"landscape"} if any(pdf.size(number)[0] > pdf.size(number)[1] for number in pages) else set()
        kinds |= {"page-crossing"} if len(pages) > 1 else set()
        kinds |= (
            {"two-column"}
            if any(row["document"] == document and "two-column" in row["note"] for row in CHOSEN)
            else set()
        )
        return Mark(quote, pdf.under(drawn), document, pages, kinds)

    def quotes(self, answer: dict[str, Any]) -> list[Mark]:
        """Follows every quote of the answer to its place."""
        found = []
        for index, spans in enumerate(places(answer)):
            if all(span["rects"] for span in spans):
                self.page.locator(".answer-text .quote").nth(index).click()
                # a header that is read with two rows is marked once
                marked = {str(span["rects"]): span["text"] for span in spans}
                found.append(self.read("".join(marked.values()), spans))
        return found

    def passages(self, answer: dict[str, Any]) -> list[Mark]:
        """Opens every source of an answer without quotes."""
        found = []
        more = self.page.get_by_role("button", name="Toon nog")
        if more.count():
            more.click()
        for source in answer["sources"]:
            if source["rects"]:
                self.page.locator(f".card-place[data-rank='{source['rank']}'] .card-button").click()
                found.append(self.read(source["text"], [source]))
        return found


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Reader]:
    with bedside() as base:
        context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="nl-BE")
        page = context.new_page()
        page.set_default_timeout(30_000)
        yield Reader(page, base)
        context.close()


@pytest.fixture(scope="module")
def answered(reader: Reader) -> dict[str, tuple[dict[str, Any], list[Mark]]]:
    """Every chosen question, asked once: its answer as stored, and the marks of its quotes."""
    found = {}
    for row in CHOSEN:
        answer = reader.ask(row["question"])
        found[row["id"]] = (answer, reader.quotes(answer))
    return found


@pytest.fixture(scope="module")
def passages(reader: Reader) -> list[Mark]:
    questions = [row for row in CHOSEN if row["note"]][::3]
    return [mark for row in questions for mark in reader.passages(reader.ask(row["question"], "sources"))]


@pytest.mark.parametrize("row", CHOSEN, ids=lambda row: f"{row['id']}-{row['note'] or row['language']}")
def test_the_words_under_the_highlight_are_the_quoted_words(row: dict[str, str], answered: dict[str, Any]) -> None:
    answer, marks = answered[row["id"]]
    assert answer["status"] in ("answered", "not_found"), answer["status"]
    assert len(marks) == len(places(answer)), "a quote of the handbook could not be placed"
    for mark in marks:
        assert mark.under == bare(mark.quote), f"{mark.document}, pages {mark.pages}"


def test_twenty_questions_and_more_are_answered_with_highlights(answered: dict[str, Any]) -> None:
    assert sum(bool(marks) for _, marks in answered.values()) >= 20


def test_a_rectangle_a_line_off_would_be_noticed(reader: Reader) -> None:
    source = reader.ask(CHOSEN[0]["question"], "sources")["sources"][0]
    pdf = reader.pdf(source["document_id"])
    for points in (0.0, 6.0):
        drawn = [_moved(pdf, part["page"], rect, points) for part in source["rects"] for rect in part["rects"]]
        assert (pdf.under(drawn) == bare(source["text"])) is (points == 0)


def _moved(pdf: Pdf, page: int, rect: dict[str, float], down: float) -> Drawn:
    width, height = pdf.size(page)
    return Drawn(
        page, rect["x0"] / width, (rect["y0"] + down) / height, rect["x1"] / width, (rect["y1"] + down) / height
    )


def test_passages_are_marked_exactly_too(passages: list[Mark]) -> None:
    assert len(passages) >= 20
    for mark in passages:
        assert mark.under == bare(mark.quote), f"{mark.document}, pages {mark.pages}"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_pages_of_every_kind_were_among_them(kind: str, answered: dict[str, Any], passages: list[Mark]) -> None:
    quoted = [mark for _, marks in answered.values() for mark in marks if kind in mark.kinds]
    if kind == "page-crossing":  # sentences seldom cross a page border, passages do
        quoted += [mark for mark in passages if kind in mark.kinds]
    assert quoted


@pytest.mark.parametrize("kind", ["rotated", "landscape", "two-column"])
def test_the_page_is_drawn_as_pdfium_draws_it(kind: str, reader: Reader) -> None:
    """So that a rectangle over PDFium's words lies over the drawn ones."""
    row = next(row for row in CHOSEN if kind in row["note"])
    answer = reader.ask(row["question"], "sources")
    source = next(source for source in answer["sources"] if source["document"] == row["document"])
    reader.page.locator(f".card-place[data-rank='{source['rank']}'] .card-button").click()
    number = int(source["page"])
    expect(reader.page.locator(f".page[data-page='{number}'][data-drawn=true]")).to_be_visible()
    data = reader.page.evaluate(READ_CANVAS, number).split(",")[1]
    drawn = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("L"), dtype=np.float32)
    expected = reader.pdf(source["document_id"]).picture(number, drawn.shape[1], drawn.shape[0])
    assert np.corrcoef(drawn.ravel(), expected.ravel())[0, 1] > 0.8


def test_the_examples_of_an_empty_page_are_answered_from_their_documents(reader: Reader) -> None:
    reader.page.goto(reader.base)
    expect(reader.page.locator(".example")).to_have_count(3)  # they come once the documents are listed
    examples = reader.page.locator(".example").all_inner_texts()
    for question in examples:
        answer = reader.ask(question)
        assert answer["status"] == "answered", question
        assert answer["spans"], question
