"""Ways to hide a false dose by what lies over it: large letters, blocks, itself; and words that
nobody sees over a picture of nothing."""

from reportlab.lib.colors import white
from reportlab.pdfgen.canvas import Canvas

from tests.rag_api.awkward.hidden.hidden_ink import clip, photo
from tests.rag_api.awkward.paper import FONT
from tests.rag_api.awkward.shown.between import FALSE, WIDE, Draw, X, Y, in_mode, write


def _on_photo(canvas: Canvas) -> None:
    photo(canvas)
    in_mode(canvas, FALSE, 3)


def _under_letters(canvas: Canvas) -> None:
    write(canvas, FALSE)
    clip(canvas, X - 2, Y - 4, WIDE, 14)
    canvas.setFont("Helvetica-Bold", 60)
    for k in range(40):
        canvas.drawString(X - 20 + 7 * k, Y - 20, "I")


def _half_covered(canvas: Canvas) -> None:
    write(canvas, FALSE)
    canvas.setFillColor(white)
    canvas.rect(X - 2, Y - 3, WIDE, 9.2, stroke=0, fill=1)


def _on_each_other(canvas: Canvas) -> None:
    canvas.setFont(FONT, 10)
    for letter in FALSE:
        canvas.drawString(X, Y, letter)


OPEN: dict[str, Draw] = {
    "mode 3 on a photo": _on_photo,
    "large letters over it": _under_letters,
    "its lower half covered": _half_covered,
    "letters on each other": _on_each_other,
}


def _under_blocks(canvas: Canvas) -> None:
    write(canvas, FALSE)
    canvas.setFont("ZapfDingbats", 14)
    for k in range(20):
        canvas.drawString(X - 3 + 9 * k, Y - 3, "n")


def _under_white_letters(canvas: Canvas) -> None:
    write(canvas, FALSE)
    canvas.setFillColor(white)
    canvas.setFont("ZapfDingbats", 20)
    for k in range(14):
        canvas.drawString(X - 10 + 14 * k, Y - 5, "n")


COVERED: dict[str, Draw] = {"blocks over it": _under_blocks, "white blocks over it": _under_white_letters}
