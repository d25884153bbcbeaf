"""A table over three pages whose header is printed again on each, with rows that differ only in
numbers."""

from reportlab.lib.colors import grey

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import BOLD, HEIGHT, Paper

_HEADER = ("Gewicht", "Startdosis", "Onderhoud", "Maximum")
_PLACES = (70, 190, 310, 430)
_ROWS = 30


def long_table() -> Made:
    """Return a ruled table of ninety rows."""
    paper, written = Paper(), ["Gentamicine naar gewicht"]
    paper.line(60, HEIGHT - 60, written[0], 14, BOLD)
    for page in range(3):
        paper.y = HEIGHT - 90
        _ruled(paper, _HEADER, BOLD)
        for k in range(_ROWS):
            cells = _cells(1 + page * _ROWS + k)
            _ruled(paper, cells)
            written.append("\t".join(cells))
        paper.line(270, 25, f"- {page + 1} -", 8)
        paper.canvas.showPage()
    flow = (written[0], "\t".join(_HEADER), *written[1:])
    furniture = ("- 1 -", "- 2 -", "- 3 -", "\t".join(_HEADER), "\t".join(_HEADER))
    return Made("gentamicine-tabel.pdf", paper.bytes(), (flow,), furniture)


def _cells(weight: int) -> tuple[str, ...]:
    return (f"{weight} kg", f"{7 * weight} mg", f"{5 * weight} mg", f"{min(480, 8 * weight)} mg")


def _ruled(paper: Paper, cells: tuple[str, ...], font: str = "Vera") -> None:
    paper.canvas.setStrokeColor(grey)
    for x in _PLACES:
        paper.canvas.rect(x - 5, paper.y - 6, 120, 21, fill=0)
    for cell, x in zip(cells, _PLACES, strict=True):
        paper.line(x, paper.y, cell, 9, font)
    paper.y -= 21
