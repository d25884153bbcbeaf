"""A leaflet of one page with small print at its very foot: a maximum, a file name and a page
number."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import Paper

_FLOW = (
    "Ibuprofen na een operatie",
    "U krijgt ibuprofen mee tegen de pijn.",
    "Neem drie keer per dag 400 mg bij het eten.",
    "Stop en bel ons bij zwarte ontlasting of pijn in de maag.",
)
_SMALL = ("maximaal 2 gram per dag", "niet bij zwangerschap vanaf 20 weken")
_FURNITURE = ("folder-ibuprofen-v3.docx", "Pagina 1 van 1")


def leaflet() -> Made:
    """Return one page."""
    paper = Paper()
    paper.heading(_FLOW[0])
    for text in _FLOW[1:]:
        paper.paragraph(text)
    paper.line(60, 44, _SMALL[0], 6)
    paper.line(60, 34, _SMALL[1], 6)
    paper.line(60, 18, _FURNITURE[0], 6)
    paper.line(480, 18, _FURNITURE[1], 6)
    return Made("folder-ibuprofen.pdf", paper.bytes(), (_FLOW, _SMALL), _FURNITURE)
