"""Plain ways to hide a false dose: its colour, its size, its place, what lies over it."""

from PIL import Image
from reportlab.lib.colors import Color, HexColor, lightgrey, white
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.rag_api.awkward.paper import FONT
from tests.rag_api.awkward.shown.between import FALSE, WIDE, Draw, X, Y, in_mode, write

_BLUE = HexColor("#1a4d99")


def _coloured(colour: Color) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFillColor(colour)
        write(canvas, FALSE)

    return draw


def _on(ground: Color, colour: Color) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFillColor(ground)
        canvas.rect(X - 10, Y - 10, WIDE, 30, stroke=0, fill=1)
        canvas.setFillColor(colour)
        write(canvas, FALSE)

    return draw


def _under(colour: Color) -> Draw:
    def draw(canvas: Canvas) -> None:
        write(canvas, FALSE)
        canvas.setFillColor(colour)
        canvas.rect(X - 2, Y - 4, WIDE, 14, stroke=0, fill=1)

    return draw


def _under_line(canvas: Canvas) -> None:
    write(canvas, FALSE)
    canvas.setStrokeColor(lightgrey)
    canvas.setLineWidth(16)
    canvas.line(X - 2, Y + 3, X + WIDE, Y + 3)


def photo(canvas: Canvas, dark: bool = False) -> None:
    """Draw a photo of nothing at the place of the sentence."""
    noise = Image.effect_noise((230, 40), 20 if dark else 60).convert("RGB")
    canvas.drawImage(ImageReader(noise.point(lambda value: value // 4) if dark else noise), X - 5, Y - 12, WIDE, 34)


def _under_photo(canvas: Canvas) -> None:
    write(canvas, FALSE)
    photo(canvas)


def _under_form(canvas: Canvas) -> None:
    write(canvas, FALSE)
    canvas.beginForm("deksel")
    canvas.setFillColor(lightgrey)
    canvas.rect(0, 0, WIDE, 20, stroke=0, fill=1)
    canvas.endForm()
    canvas.translate(X - 2, Y - 6)
    canvas.doForm("deksel")


def clip(canvas: Canvas, x: float, y: float, width: float, height: float) -> None:
    """Draw in this rectangle only from here on."""
    path = canvas.beginPath()
    path.rect(x, y, width, height)
    canvas.clipPath(path, stroke=0, fill=0)


def _under_gradient(canvas: Canvas) -> None:
    write(canvas, FALSE)
    clip(canvas, X - 2, Y - 6, WIDE, 20)
    canvas.linearGradient(X, Y, X + WIDE, Y, (lightgrey, white), extend=True)


def _clipped(canvas: Canvas) -> None:
    clip(canvas, 400, 100, 20, 20)
    write(canvas, FALSE)


def _squeezed(canvas: Canvas) -> None:
    text = canvas.beginText(X, Y)
    text.setFont(FONT, 10)
    text.setHorizScale(0.4)
    text.textOut(FALSE)
    canvas.drawText(text)


def _scaled(across: float, up: float) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.translate(X, Y)
        canvas.scale(across, up)
        write(canvas, FALSE, 10, 0, 0)

    return draw


def _transparent(alpha: float) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFillAlpha(alpha)
        write(canvas, FALSE)

    return draw


def _white_outline(canvas: Canvas) -> None:
    canvas.setStrokeColor(white)
    in_mode(canvas, FALSE, 1)


def _large(canvas: Canvas) -> None:
    canvas.setFillColor(white)
    write(canvas, FALSE, 40, y=300)


WAYS: dict[str, Draw] = {
    "white on white": _coloured(white),
    "nearly white": _coloured(Color(0.985, 0.985, 0.985)),
    "pale yellow on white": _coloured(Color(1, 1, 0.97)),
    "the colour of its box": _on(_BLUE, _BLUE),
    "nearly the colour of its box": _on(_BLUE, HexColor("#1c4f9b")),
    "pale blue on pale blue": _on(Color(0.9, 0.95, 1), Color(0.9, 0.95, 1)),
    "a black bar over it": _under(Color(0, 0, 0)),
    "a white bar over it": _under(white),
    "a thick line over it": _under_line,
    "under a photo": _under_photo,
    "a form over it": _under_form,
    "a gradient over it": _under_gradient,
    "clipped away": _clipped,
    "tiny": lambda canvas: write(canvas, FALSE, 0.6),
    "squeezed to a line": _squeezed,
    "scaled to nothing": _scaled(0.05, 0.05),
    "flattened": _scaled(1, 0.02),
    "off the page": lambda canvas: write(canvas, FALSE, x=-400),
    "large and white": _large,
    "render mode 3": lambda canvas: in_mode(canvas, FALSE, 3),
    "render mode 7": lambda canvas: in_mode(canvas, FALSE, 7),
    "transparent": _transparent(0),
    "nearly transparent": _transparent(0.01),
    "a white outline": _white_outline,
}
