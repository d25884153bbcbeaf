"""Margins with things beside the text: a turned label, change bars, names of paragraphs; and gaps
within a number."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import BOLD, HEIGHT, Paper

_TITLE = "Sedatie op de SEH"
_TEXT = (
    "Sedatie vraagt twee hulpverleners, van wie er een alleen de ademhaling bewaakt en niets anders doet tot de "
    "patiënt weer wakker is.",
    "Propofol wordt gegeven in stappen van 0,5 mg/kg, met telkens een minuut ertussen, en nooit meer dan 2 mg/kg in "
    "totaal bij ouderen.",
    "Esketamine 1 mg/kg is de keuze bij lage bloeddruk, met midazolam 1 mg erbij wanneer de patiënt onrustig wakker "
    "wordt.",
)
_NAMES = ("Algemeen", "Middel", "Tweede keus")


def margin_label() -> Made:
    """Return a page with a word turned by a quarter in its margin, and change bars."""
    paper = Paper()
    paper.heading(_TITLE)
    top = paper.y
    for text in _TEXT:
        paper.paragraph(text)
    paper.canvas.line(50, top, 50, top - 60)
    paper.canvas.saveState()
    paper.canvas.translate(40, 500)
    paper.canvas.rotate(90)
    paper.line(0, 0, "SPOED", 14, BOLD)
    paper.canvas.restoreState()
    return Made("kantlijn.pdf", paper.bytes(), ((_TITLE, *_TEXT), ("SPOED",)))


def definitions() -> Made:
    """Return names at the left, each with a text of several lines at the right, without rules."""
    paper = Paper()
    paper.heading(_TITLE)
    for name, text in zip(_NAMES, _TEXT, strict=True):
        paper.line(60, paper.y, name, 10, BOLD)
        paper.paragraph(text, 190, 330)
    paper.line(60, HEIGHT - 30, "Versie 4")
    return Made("begrippen.pdf", paper.bytes(), ((_TITLE, *_TEXT),), ("Versie 4",), once=_NAMES)


def thousands() -> Made:
    """Return numbers with a narrow gap between thousands, and prices in a column aligned at the
    comma."""
    paper = Paper()
    paper.heading(_TITLE)
    x = 60.0
    for part in ("Heparine", "12", "500", "IE", "in", "500", "ml", "glucose", "5", "%."):
        paper.line(x, paper.y, part)
        x += paper.canvas.stringWidth(part, "Vera", 10) + (2.2 if part == "12" else 3.5)
    return Made("duizendtallen.pdf", paper.bytes(), ((_TITLE, "Heparine 12 500 IE in 500 ml glucose 5 %."),))
