"""Slyer ways to hide a false dose: other ink at its place, only its figures hidden, letters that
are mostly covered."""

from reportlab.lib.colors import black, white
from reportlab.pdfgen.canvas import Canvas

from tests.rag_api.awkward.hidden.hidden_ink import photo
from tests.rag_api.awkward.paper import FONT
from tests.rag_api.awkward.shown.between import FALSE, INSTEAD, WIDE, Draw, X, Y, in_mode, write


def _replaced(canvas: Canvas) -> None:
    write(canvas, FALSE)
    canvas.setFillColor(white)
    canvas.rect(X - 2, Y - 4, WIDE, 14, stroke=0, fill=1)
    canvas.setFillColor(black)
    write(canvas, INSTEAD)


def _transparent_under(canvas: Canvas) -> None:
    canvas.saveState()
    canvas.setFillAlpha(0)
    write(canvas, FALSE)
    canvas.restoreState()
    write(canvas, INSTEAD)


def _unpainted_over(canvas: Canvas) -> None:
    write(canvas, INSTEAD)
    in_mode(canvas, FALSE, 3)


def _in_grid(canvas: Canvas) -> None:
    canvas.setFillColor(white)
    write(canvas, FALSE)
    for k in range(12):
        canvas.line(X + 20 * k, Y - 20, X + 20 * k, Y + 20)
        canvas.line(X, Y - 20 + 5 * k, X + 230, Y - 20 + 5 * k)


def _above_rule(canvas: Canvas) -> None:
    canvas.setFillColor(white)
    write(canvas, FALSE)
    canvas.line(X, Y - 1, X + 200, Y - 1)


def _under_photo_and_text(canvas: Canvas) -> None:
    write(canvas, FALSE)
    photo(canvas)
    write(canvas, INSTEAD)


def _transparent_on_photo(canvas: Canvas) -> None:
    photo(canvas)
    canvas.setFillAlpha(0)
    write(canvas, FALSE)


def _clipped_to_letters(canvas: Canvas) -> None:
    canvas.translate(0, 30)
    in_mode(canvas, INSTEAD, 7)
    canvas.translate(0, -30)
    write(canvas, FALSE)


def _figure_covered(canvas: Canvas) -> None:
    write(canvas, FALSE)
    canvas.setFillColor(white)
    start = X + canvas.stringWidth("Geef kinderen ", FONT, 10)
    canvas.rect(start - 0.5, Y - 3, canvas.stringWidth("900", FONT, 10) + 0.6, 12, stroke=0, fill=1)


def _in_part_white(*parts: tuple[str, bool]) -> Draw:
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(X, Y)
        text.setFont(FONT, 10)
        for part, seen in parts:
            text.setFillColor(black if seen else white)
            text.textOut(part)
        canvas.drawText(text)

    return draw


WAYS: dict[str, Draw] = {
    "replaced by other text": _replaced,
    "transparent under other text": _transparent_under,
    "mode 3 over other text": _unpainted_over,
    "white in a grid": _in_grid,
    "white above a rule": _above_rule,
    "under a photo with text on it": _under_photo_and_text,
    "transparent on a photo": _transparent_on_photo,
    "clipped to other letters": _clipped_to_letters,
    "its figure covered": _figure_covered,
    "its figure white": _in_part_white(("Geef ", True), ("900 ", False), ("mg morfine.", True)),
    "its noughts white": _in_part_white(("Geef 9", True), ("00", False), (" mg morfine.", True)),
}
