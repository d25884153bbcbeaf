"""Checklists: what must be ticked stands behind squares that are drawn."""

from reportlab.lib.colors import black

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import Paper, wrapped

TITLE = "Vallen voorkomen"
ITEMS = (
    "bel binnen bereik, bed laag en op de rem",
    "schoenen of sokken met antislip aan, ook voor een korte gang naar het toilet of naar de zetel, en zeker in de "
    "nacht",
    "nachtlamp aan, vloer droog en vrij",
)
_THEN = "Herhaal de score elke 7 dagen."
X, SIDE = 60, 8


def checklist() -> Made:
    """Return a list whose squares are drawn in two ways."""
    paper = Paper()
    paper.heading(TITLE)
    for outlined in (True, False):
        for text in ITEMS:
            square(paper, outlined)
            paper.lines(wrapped(text, 320), X + 14)
        paper.paragraph(_THEN)
    marked = tuple(f"☐ {text}" for text in ITEMS)
    return Made("vallen.pdf", paper.bytes(), ((TITLE, *marked, _THEN, *marked, _THEN),))


def square(paper: Paper, outlined: bool = True) -> None:
    """Draw a square before the next line: its sides, or the area between two squares."""
    if outlined:
        paper.canvas.rect(X, paper.y, SIDE, SIDE, stroke=1, fill=0)
        return
    path = paper.canvas.beginPath()
    path.rect(X, paper.y, SIDE, SIDE)
    path.moveTo(X + 1, paper.y + 1)
    for x, y in ((1, SIDE - 1), (SIDE - 1, SIDE - 1), (SIDE - 1, 1)):
        path.lineTo(X + x, paper.y + y)
    path.close()
    paper.canvas.setFillColor(black)
    paper.canvas.drawPath(path, stroke=0, fill=1)
