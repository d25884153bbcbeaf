"""Awkward documents of every kind: what was written into them is read, in order, once; or stands in
the list of what was cut."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument
from tests.rag_api.ingest.readers.test_read_pdf import read_bytes
from tests.rag_api.made_files.pdfs import pdf, wrapped

EXAMPLES = 80
WORDS = [
    "arts", "verpleegkundige", "infuus", "dossier", "gewicht", "controle", "bloed", "dosis", "pomp", "kamer", "dienst", "ochtend",
    "overleg", "verband", "naald", "uur", "protocol", "toezicht", "temperatuur", "houding", "keuken", "familie", "wonde", "formulier",
]  # fmt: skip
WIDE = A4[0] - 120


@dataclass
class Written:
    """Pages to draw, and what they hold: strands, each in order, whose parts other strands may come
    between."""

    pages: list[list[tuple[float, float, float, str]]] = field(default_factory=list)  # x, y, size, text
    strands: list[list[str]] = field(default_factory=list)
    rules: list[list[float]] = field(default_factory=list)  # of each page's table
    furniture: list[str] = field(default_factory=list)  # may be cut

    def page(self) -> list[tuple[float, float, float, str]]:
        self.pages.append([])
        self.rules.append([])
        return self.pages[-1]

    def pdf(self) -> bytes:
        def drawing(items: list[tuple[float, float, float, str]], rules: list[float]):  # type: ignore[no-untyped-def]
            def draw(canvas: Canvas) -> None:
                if rules:
                    canvas.grid([50, 200, 350, 520], rules)
                for x, y, size, text in items:
                    canvas.setFont("Helvetica", size)
                    canvas.drawString(x, y, text)

            return draw

        return pdf(*[drawing(items, rules) for items, rules in zip(self.pages, self.rules, strict=True)])


numbers = st.integers(1, 999)


@st.composite
def sentences(draw: st.DrawFn, least: int = 6, most: int = 24) -> str:
    """No two are alike: each holds a number of its own."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=least, max_size=most))
    words.insert(draw(st.integers(1, len(words) - 1)), f"{draw(st.integers(10_000, 99_999))} mg")
    return " ".join(words).capitalize() + "."


def flowed(
    pages: Written, texts: list[str], width: float, columns: int, top: float, bottom: float, notes: list[str]
) -> None:
    """Running text over columns and pages, each page with a footnote in small letters as long as
    there are any."""
    rows = wrapped(" ".join(texts), width)
    while rows:
        page = pages.page()
        for column in range(columns):
            y = top
            while rows and y > bottom:
                page.append((60 + column * (width + 30), y, 11, rows.pop(0)))
                y -= 14
        if notes:
            note = notes.pop(0)
            page.append((60, bottom - 26, 8, note))
            pages.strands.append([note])


@st.composite
def running(draw: st.DrawFn) -> Written:
    """One or two columns, headers with page numbers, footnotes."""
    written = Written()
    texts = draw(st.lists(sentences(), min_size=4, max_size=40, unique=True))
    columns = draw(st.sampled_from([1, 2]))
    notes = [
        f"{n + 1} Noot {note.lower()}"
        for n, note in enumerate(draw(st.lists(sentences(4, 6), max_size=3, unique=True)))
    ]
    bottom = draw(st.sampled_from([120.0, 300.0, 560.0]))
    flowed(written, texts, (WIDE - 30) / 2 if columns == 2 else WIDE, columns, 740, bottom, notes)
    written.strands.append(texts)
    head = draw(st.sampled_from(["", "Apotheek | pagina {n} van {m}", "Handboek versie 3.1", "- {n} -"]))
    for n, page in enumerate(written.pages, start=1):
        if head:
            text = head.format(n=n, m=len(written.pages))
            page.append((60, draw(st.just(805.0)), 9, text))
            written.furniture.append(text)
    return written


@st.composite
def cards(draw: st.DrawFn) -> Written:
    """Weight cards and twins: pages of one layout that differ in numbers, or in next to nothing."""
    written = Written()
    weights = draw(st.lists(st.integers(3, 90), min_size=1, max_size=5, unique=True))
    shared = draw(st.lists(sentences(3, 8), max_size=2, unique=True))
    foot = draw(st.sampled_from(["", "maximaal 2 gram per dag", "Niet bij nierfalen", "Bel 2222"]))
    for weight in weights:
        texts = [
            f"Reanimatie bij {weight} kg",
            *(f"{drug} {weight * n} microgram" for n, drug in enumerate(("Adrenaline", "Atropine"), 1)),
        ]
        texts += [f"Defibrillatie {weight * 4} J", f"Tube {weight / 10:.1f}", *shared]
        page = written.page()
        for n, text in enumerate(texts):
            page += [(60, 790 - 40 * n - 14 * i, 13, row) for i, row in enumerate(wrapped(text, WIDE, 13))]
        written.strands.append(texts)
        if foot:
            page.append((60, 40, 8, foot))
            if foot.startswith("Bel"):  # words alike on every page
                written.furniture.append(foot)
            else:
                written.strands.append([foot])
    return written


@st.composite
def letters(draw: st.DrawFn) -> Written:
    """A letterhead, a subject, sentences over a page border, a footer on the first page alone."""
    written = Written()
    texts = draw(st.lists(sentences(), min_size=12, max_size=40, unique=True))
    flowed(written, texts, WIDE, 1, 640, 110, [])
    written.strands.append(texts)
    head = ["Ziekenhuis Voorbeeld", "Betreft: bezoek aan de dienst"]
    written.pages[0] += [(60, 800, 16, head[0]), (60, 700, 11, head[1])]
    foot = "Kerkstraat 1, 1000 Ergens, telefoon 02 555 00 00"
    written.pages[0].append((60, 40, 8, foot))
    written.strands += [[one] for one in (*head, foot)]
    return written


@st.composite
def tables(draw: st.DrawFn) -> Written:
    """A table that goes on over pages, its head repeated."""
    written = Written()
    rows = draw(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=30, unique=True))
    per_page = draw(st.sampled_from([4, 9, 30]))
    for start in range(0, len(rows), per_page):
        page = written.page()
        part = [
            ("Gewicht", "Dosis", "Maximum"),
            *((f"tot {a} kg", f"{b} mg", f"{a + b} ml") for a, b in rows[start : start + per_page]),
        ]
        edges = [760 - 20 * n for n in range(len(part) + 1)]
        written.rules[-1] = [float(edge) for edge in edges]
        for n, cells in enumerate(part):
            page += [(x + 5, edges[n + 1] + 6, 10, cell) for x, cell in zip((50, 200, 350), cells, strict=True)]
        written.strands.append(["\t".join(cells) for cells in part])
    return written


def tidy(text: str) -> str:
    return " ".join(text.split())


def check(written: Written, document: ReadDocument) -> None:
    text = tidy(document.text)
    cut = [tidy(line.text) for line in document.cut]
    assert all(line.page >= 1 and line.reason for line in document.cut)
    assert set(cut) <= set(map(tidy, written.furniture)), "more was cut than a header"
    for strand in written.strands:
        at = -1
        for one in strand:
            found = text.find(tidy(one), at + 1)
            assert found > at, (one, text)
            at = found
    everything = [tidy(one) for strand in written.strands for one in strand]
    for one in set(everything):
        assert len(re.findall(rf"(?<!\w){re.escape(one)}(?!\w)", text)) == everything.count(one), (one, text)
    for one in set(map(tidy, written.furniture)):
        times = list(map(tidy, written.furniture)).count(one)
        assert cut.count(one) + len(re.findall(rf"(?<!\w){re.escape(one)}(?!\w)", text)) == times, (one, text)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(running(), cards(), letters(), tables()))
def test_every_sentence_row_and_item_is_in_the_text_in_order_and_once_or_in_what_was_cut(written: Written) -> None:
    with TemporaryDirectory() as folder:
        check(written, read_bytes(Path(folder), written.pdf()))
