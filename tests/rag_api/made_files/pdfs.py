"""PDFs made for tests, small and each odd in one way."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument
from rag_api.errors import UnreadableDocument
from rag_api.ingest.readers.read import PDF, read

HANDBOOK = Path(__file__).parents[3] / "rag_api" / "handbook" / "pdf"
SAMPLES = Path(__file__).parents[4] / "shared" / "data"

Draw = Callable[[Canvas], None]


@cache
def read_handbook() -> Mapping[str, ReadDocument]:
    """Return the documents of the handbook as they are read, by file name, without those that are
    pictures only."""
    found = {}
    for path in sorted(HANDBOOK.glob("*.pdf")):
        with suppress(UnreadableDocument):
            found[path.name] = handbook_document(path.name)
    return found


@cache
def handbook_document(name: str) -> ReadDocument:
    """Return one of them, read once for all tests: nobody may change it."""
    return read(HANDBOOK / name, name, PDF, 100)


def pdf(*pages: Draw, size: tuple[float, float] = A4, **options: Any) -> bytes:
    """One page for each function, which draws on it."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=size, invariant=1, **options)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def lines(
    *texts: str, x: float = 60, y: float = 760, size: float = 11, leading: float = 14, font: str = "Helvetica"
) -> Draw:
    """Lines of text under each other."""

    def draw(canvas: Canvas) -> None:
        for i, text in enumerate(texts):
            canvas.setFont(font, size)
            canvas.drawString(x, y - i * leading, text)

    return draw


def both(*draws: Draw) -> Draw:
    def draw(canvas: Canvas) -> None:
        for one in draws:
            one(canvas)

    return draw


def procedure(title: str, body: Sequence[str]) -> bytes:
    """An ordinary one-page document."""
    return pdf(both(lines(title, size=18, font="Helvetica-Bold"), lines(*body, y=720)), pageCompression=0)


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def wrapped(text: str, width: float, size: float = 11, font: str = "Helvetica") -> list[str]:
    """Its lines in a column of this width."""
    lines: list[str] = simpleSplit(text, font, size, width)
    return lines
