"""A page with two sentences that can be seen, and room between them for what is tried."""

import io
from collections.abc import Callable, Mapping
from typing import cast

from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    IndirectObject,
    NameObject,
    NumberObject,
    PdfObject,
    TextStringObject,
)
from reportlab.pdfgen.canvas import Canvas

from tests.rag_api.awkward.paper import FONT, Paper

X, Y, WIDE = 60, 600, 260  # where the tried sentence stands, and more than its width at ten points
AROUND = ("Geef volwassenen 5 mg morfine.", "Bewaak daarna de ademhaling.")
FALSE = "Geef kinderen 900 mg morfine."  # never to be quoted: no reader sees it
SEEN = "Geef zuigelingen 2 mg per kg."
INSTEAD = "Kinderen krijgen geen morfine."  # seen where the false one is hidden

Draw = Callable[[Canvas], None]


def drawn(draw: Draw) -> bytes:
    """Return the page with what `draw` draws."""
    paper = Paper()
    paper.line(X, 660, AROUND[0])
    paper.canvas.saveState()
    draw(paper.canvas)
    paper.canvas.restoreState()
    paper.line(X, 540, AROUND[1])
    return paper.bytes()


def write(canvas: Canvas, text: str, size: float = 10, x: float = X, y: float = Y) -> None:
    """Write a sentence."""
    canvas.setFont(FONT, size)
    canvas.drawString(x, y, text)


def in_mode(canvas: Canvas, text: str, mode: int, size: float = 10) -> None:
    """Write a sentence in a text rendering mode."""
    line = canvas.beginText(X, Y)
    line.setFont(FONT, size)
    line.setTextRenderMode(mode)
    line.textOut(text)
    canvas.drawText(line)


def shown(text: str, font: str = "/Plain", size: float = 10) -> str:
    """Return the operators that write a sentence."""
    return f"BT {font} {size} Tf 1 0 0 1 {X} {Y} Tm ({text}) Tj ET"


def pdf(value: object) -> PdfObject:
    """Return a PDF object: "/Name", "text", numbers, lists and dictionaries as Python has them."""
    match value:
        case PdfObject():
            return value
        case bool():
            return BooleanObject(value)
        case int():
            return NumberObject(value)
        case float():
            return FloatObject(value)
        case str():
            return NameObject(value) if value.startswith("/") else TextStringObject(value)
        case list():
            return ArrayObject(pdf(one) for one in value)
        case dict():
            return DictionaryObject({NameObject(key): pdf(one) for key, one in value.items()})
    raise TypeError(f"no PDF object: {value!r}")


_PLAIN = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}


class Built:
    """The page as objects, to add to."""

    def __init__(self, draw: Draw = lambda canvas: None) -> None:
        self.writer = PdfWriter(clone_from=PdfReader(io.BytesIO(drawn(draw))))
        self.page = self.writer.pages[0]
        self.resource("/Font", "/Plain", _PLAIN)

    def add(self, value: object) -> IndirectObject:
        """Add an object."""
        return self.writer._add_object(pdf(value))

    def stream(self, content: str, values: Mapping[str, object] | None = None) -> IndirectObject:
        """Add a stream."""
        stream = DecodedStreamObject()
        stream.set_data(content.encode("latin-1"))
        stream.update({NameObject(key): pdf(value) for key, value in (values or {}).items()})
        return self.writer._add_object(stream)

    def form(self, content: str, width: int, height: int, more: Mapping[str, object] | None = None) -> IndirectObject:
        """Add a form XObject that can write in the plain font."""
        values = {
            "/Type": "/XObject",
            "/Subtype": "/Form",
            "/BBox": [0, 0, width, height],
            "/Resources": {"/Font": {"/Plain": _PLAIN}},
        }
        return self.stream(content, {**values, **(more or {})})

    def resource(self, kind: str, name: str, value: object) -> None:
        """Name something for the page's operators to use."""
        resources = cast(DictionaryObject, self.page["/Resources"].get_object())
        kinds = resources.setdefault(NameObject(kind), DictionaryObject())
        cast(DictionaryObject, kinds.get_object())[NameObject(name)] = pdf(value)

    def draw(self, content: str) -> None:
        """Draw more on the page."""
        old = self.page.get_contents()
        data = old.get_data().decode("latin-1") if old is not None else ""
        self.page[NameObject("/Contents")] = self.stream(f"{data}\n{content}")

    def annotate(self, values: dict[str, object]) -> IndirectObject:
        """Put one annotation on the page."""
        note = self.add({"/Type": "/Annot", "/Rect": [X - 4, Y - 8, X + 296, Y + 17], "/F": 4, **values})
        self.page[NameObject("/Annots")] = pdf([note])
        return note

    def root(self, key: str, value: object) -> None:
        """Say something of the whole document."""
        self.writer.root_object[NameObject(key)] = pdf(value)

    def bytes(self) -> bytes:
        """Return the PDF."""
        out = io.BytesIO()
        self.writer.write(out)
        return out.getvalue()
