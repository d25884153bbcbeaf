"""Odd ways to draw a sentence that every reader can see."""

from PIL import Image
from reportlab.lib.colors import Color, HexColor, black, white, yellow
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.rag_api.awkward.hidden.hidden_ink import clip, photo
from tests.rag_api.awkward.paper import FONT
from tests.rag_api.awkward.shown.between import SEEN, WIDE, Draw, X, Y, in_mode, write

_DARK, _LIGHTER = HexColor("#003366"), HexColor("#336699")


def _coloured(colour: Color, size: float = 10) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFillColor(colour)
        write(canvas, SEEN, size)

    return draw


def _white_on_black(canvas: Canvas) -> None:
    canvas.rect(X - 5, Y - 6, WIDE, 20, stroke=0, fill=1)
    _coloured(white)(canvas)


def _white_on_photo(canvas: Canvas) -> None:
    photo(canvas, dark=True)
    _coloured(white)(canvas)


def _gradient(canvas: Canvas) -> None:
    in_mode(canvas, SEEN, 7, 14)
    canvas.linearGradient(X, Y, X + 200, Y, (_DARK, HexColor("#cc0000")), extend=True)


def _white_on_gradient(canvas: Canvas) -> None:
    clip(canvas, X - 5, Y - 6, WIDE, 20)
    canvas.linearGradient(X, Y, X + WIDE, Y, (_DARK, _LIGHTER), extend=True)
    _coloured(white)(canvas)


def _rotated(angle: float) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.translate(300, 580)
        canvas.rotate(angle)
        write(canvas, SEEN, x=0, y=0)

    return draw


def _clipped(canvas: Canvas) -> None:
    clip(canvas, X - 10, Y - 20, 300, 50)
    write(canvas, SEEN)


def _marked(canvas: Canvas) -> None:
    write(canvas, SEEN)
    canvas.setFillColor(yellow)
    canvas.setFillAlpha(0.4)
    canvas.rect(X - 2, Y - 4, WIDE, 14, stroke=0, fill=1)


def _shadowed(canvas: Canvas) -> None:
    canvas.setFillColorRGB(0.7, 0.7, 0.7)
    write(canvas, SEEN, 12, X + 0.8, Y - 0.8)
    _coloured(black, 12)(canvas)


def _twice(canvas: Canvas) -> None:
    write(canvas, SEEN, 12)
    write(canvas, SEEN, 12, X + 0.3)


def _stamped(canvas: Canvas) -> None:
    write(canvas, SEEN)
    canvas.setFillAlpha(0.15)
    canvas.translate(100, 480)
    canvas.rotate(45)
    canvas.setFont("Helvetica-Bold", 60)
    canvas.drawString(0, 0, "CONCEPT")


def _white_with_outline(canvas: Canvas) -> None:
    canvas.setFillColor(white)
    canvas.setStrokeColor(black)
    canvas.setLineWidth(0.5)
    in_mode(canvas, SEEN, 2, 14)


def _spaced(canvas: Canvas) -> None:
    text = canvas.beginText(X, Y)
    text.setFont(FONT, 10)
    text.setCharSpace(2)
    text.textOut(SEEN)
    canvas.drawText(text)


def _letter_by_letter(canvas: Canvas) -> None:
    x: float = X
    for letter in SEEN:
        if letter != " ":
            write(canvas, letter, x=x)
        x += canvas.stringWidth(letter, FONT, 10)


def _under_clear_image(canvas: Canvas) -> None:
    write(canvas, SEEN)
    clear = Image.new("RGBA", (50, 10), (0, 0, 255, 30))
    canvas.drawImage(ImageReader(clear), X - 5, Y - 12, WIDE, 34, mask="auto")


def _underlined(canvas: Canvas) -> None:
    write(canvas, SEEN)
    canvas.line(X, Y - 2, X + 180, Y - 2)


def _dark_field(canvas: Canvas) -> None:
    canvas.acroForm.textfield(
        name="dosis", value=SEEN, x=X, y=Y, width=300, height=18, fontSize=10, fillColor=black, textColor=white
    )


WAYS: dict[str, Draw] = {
    "white on black": _white_on_black,
    "white on a dark photo": _white_on_photo,
    "filled with a gradient": _gradient,
    "white on a gradient": _white_on_gradient,
    "turned by 90": _rotated(90),
    "turned by 180": _rotated(180),
    "turned by 270": _rotated(270),
    "clipped but visible": _clipped,
    "grey": _coloured(HexColor("#a6a6a6")),
    "of four points": _coloured(black, 4),
    "under a marker": _marked,
    "under a stamp": _stamped,
    "under a clear image": _under_clear_image,
    "with a shadow": _shadowed,
    "printed twice for boldness": _twice,
    "outline only": lambda canvas: in_mode(canvas, SEEN, 1, 14),
    "white with a black outline": _white_with_outline,
    "spaced": _spaced,
    "letter by letter": _letter_by_letter,
    "underlined": _underlined,
    "a dark field": _dark_field,
}
