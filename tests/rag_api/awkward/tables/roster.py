"""A landscape roster: days against shifts, numbers to ring in small print below."""

from reportlab.lib.pagesizes import A4, landscape

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import BOLD, Paper

_TITLE = "Rooster dienstdoende artsen, week 12"
_HEADER = ("Dienst", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag")
_ROWS = (
    ("Dag", "sein 101", "sein 102", "sein 101", "sein 103", "sein 102", "sein 104", "sein 104"),
    ("Avond", "sein 201", "sein 201", "sein 202", "sein 202", "sein 203", "sein 204", "sein 205"),
    ("Nacht", "sein 301", "sein 301", "sein 301", "sein 302", "sein 302", "sein 303", "sein 303"),
    ("Achterwacht", "sein 401", "sein 402", "sein 403", "sein 404", "sein 405", "sein 406", "sein 407"),
)
_NOTE = "Bij geen gehoor binnen 5 minuten: bel de achterwacht op 06 - 12 34 56 78."


def roster() -> Made:
    """Return one page on its side."""
    paper = Paper(landscape(A4))
    paper.heading(_TITLE)
    places = tuple(50 + 95 * k for k in range(8))
    paper.row(_HEADER, places, 9, BOLD)
    for row in _ROWS:
        paper.row(row, places, 9)
    paper.line(50, 24, _NOTE, 7)
    return Made(
        "rooster-week-12.pdf", paper.bytes(), ((_TITLE, "\t".join(_HEADER), *("\t".join(row) for row in _ROWS), _NOTE),)
    )
