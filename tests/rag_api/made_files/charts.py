"""Flow charts made for tests, between text that is none; and pages that look a little like them."""

from __future__ import annotations

from reportlab.lib.colors import lightgrey, lightyellow
from reportlab.pdfgen.canvas import Canvas

from tests.rag_api.made_files.pdfs import Draw

BEFORE = "Meet bij elke patient met koorts de bloeddruk en de pols, en noteer beide meteen in het dossier."
AFTER = "Bel bij twijfel altijd de dienstdoende arts van de afdeling en wacht daar niet langer dan een kwartier mee."
STEPS = ("Is de patient ernstig ziek?", "Geef zuurstof 15 liter per minuut.", "Meet de lactaatwaarde.", "Bel de arts.")


def _box(canvas: Canvas, x: float, y: float, words: str, wide: float = 170) -> None:
    canvas.roundRect(x, y, wide, 30, 4)
    canvas.drawString(x + 8, y + 11, words)


def _arrow(canvas: Canvas, x: float, y: float, to_y: float) -> None:
    canvas.line(x, y, x, to_y + 5)
    head = canvas.beginPath()
    head.moveTo(x - 3, to_y + 5)
    head.lineTo(x + 3, to_y + 5)
    head.lineTo(x, to_y)
    head.close()
    canvas.drawPath(head, fill=1, stroke=0)


def _text(canvas: Canvas, *lines: tuple[float, str]) -> None:
    canvas.setFont("Helvetica", 10)
    for y, words in lines:
        canvas.drawString(60, y, words)


def _with_heading(canvas: Canvas) -> None:
    canvas.setFont("Helvetica-Bold", 15)
    canvas.drawString(60, 790, "Koorts op de spoed")
    _text(canvas, (760, BEFORE), (300, AFTER), (286, AFTER))


def by_arrows(canvas: Canvas) -> None:
    _with_heading(canvas)
    canvas.setFont("Helvetica", 10)
    for n, words in enumerate(STEPS):
        _box(canvas, 180, 680 - 70 * n, words)
        if n:
            _arrow(canvas, 265, 680 - 70 * (n - 1), 710 - 70 * n)


def as_a_tree(canvas: Canvas) -> None:
    """Lines without heads from one box to three."""
    _with_heading(canvas)
    canvas.setFont("Helvetica", 9)
    _box(canvas, 200, 640, STEPS[0], 190)
    canvas.line(295, 640, 295, 600)
    canvas.line(130, 600, 465, 600)
    for x, words in zip((60, 225, 390), STEPS[1:], strict=True):
        canvas.line(x + 70, 600, x + 70, 560)
        _box(canvas, x, 530, words, 155)


def with_words_without_boxes(canvas: Canvas) -> None:
    """Two boxes, and words between them that arrows point at."""
    _with_heading(canvas)
    canvas.setFont("Helvetica", 10)
    for n, words in enumerate(STEPS):
        if n in (0, 3):
            _box(canvas, 180, 680 - 70 * n, words)
        else:
            canvas.drawString(190, 691 - 70 * n, words)
        if n:
            _arrow(canvas, 265, (680 if n == 1 else 688) - 70 * (n - 1), (710 if n == 3 else 702) - 70 * n)


def by_block_arrows(canvas: Canvas) -> None:
    _with_heading(canvas)
    canvas.setFont("Helvetica", 9)
    for n, words in enumerate(STEPS[1:]):
        x = 40 + 180 * n
        canvas.setFillColor(lightyellow)
        canvas.rect(x, 600, 150, 60, stroke=0, fill=1)
        canvas.setFillColor("black")
        canvas.drawString(x + 4, 625, words)
        if n:
            arrow = canvas.beginPath()
            arrow.moveTo(x - 26, 625)
            for dx, y in ((-14, 625), (-14, 617), (-4, 630), (-14, 643), (-14, 635), (-26, 635)):
                arrow.lineTo(x + dx, y)
            arrow.close()
            canvas.drawPath(arrow, fill=1, stroke=0)


def table(columns: int, shaded: bool) -> Draw:
    """Rows whose names stand in areas of their own colour, with rules between the columns."""

    def draw(canvas: Canvas) -> None:
        _with_heading(canvas)
        canvas.setFont("Helvetica", 10)
        wide = 450 / columns
        for n in range(9):
            y = 700 - 20 * n
            name = n % 3 == 0
            if name and shaded:
                canvas.setFillColor(lightgrey)
                canvas.rect(60, y, 450, 20, stroke=0, fill=1)
                canvas.setFillColor("black")
            for k in range(1 if name else columns):
                canvas.drawString(64 + wide * k, y + 6, f"Groep {n}" if name else f"Dosis {n}{k} mg")
            canvas.line(60, y, 510, y)
            for k in range(0 if name else columns + 1):
                canvas.line(60 + wide * k, y, 60 + wide * k, y + 20)

    return draw


def cards(canvas: Canvas) -> None:
    """Boxes beside each other and below each other that nothing joins."""
    _with_heading(canvas)
    canvas.setFont("Helvetica", 9)
    for n, words in enumerate(STEPS):
        _box(canvas, 60 + 220 * (n % 2), 660 - 60 * (n // 2), words)
    canvas.line(60, 400, 520, 400)


def shaded_lines(canvas: Canvas) -> None:
    """Each line on an area of its own, and a line beside them."""
    _with_heading(canvas)
    canvas.setFont("Helvetica", 10)
    for n, words in enumerate(STEPS):
        canvas.setFillColor(lightgrey)
        canvas.rect(70, 660 - 14 * n, 300, 13.5, stroke=0, fill=1)
        canvas.setFillColor("black")
        canvas.drawString(72, 663 - 14 * n, words)
    canvas.line(64, 610, 64, 680)


def form(canvas: Canvas) -> None:
    _with_heading(canvas)
    canvas.setFont("Helvetica", 10)
    for n, words in enumerate(("Naam", "Geboortedatum", "Afdeling", "Arts")):
        y = 660 - 40 * n
        canvas.drawString(60, y + 8, words)
        canvas.rect(160, y, 200, 24)
        canvas.line(370, y, 520, y)
        canvas.rect(530, y, 10, 10)


CHARTS = (by_arrows, as_a_tree, with_words_without_boxes, by_block_arrows)
OTHERS = (table(2, True), table(4, True), table(4, False), cards, shaded_lines, form)
