"""A grey box at the right of the text, on the same baselines, with a warning of its own."""

from reportlab.lib.colors import lightgrey

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import BOLD, Paper, wrapped

_TITLE = "Kaliumsuppletie"
_TEXT = (
    "Geef bij een kalium onder 3,0 mmol/l intraveneus kaliumchloride en bewaak het hartritme.",
    "Via een perifeer infuus loopt ten hoogste 10 mmol per uur in, in een oplossing van 40 mmol per liter.",
    "Via een centrale lijn loopt ten hoogste 20 mmol per uur in.",
    "Controleer het kalium twee uur na de start en daarna elke vier uur.",
    "Vul ook magnesium aan: zonder magnesium stijgt het kalium niet.",
)
_BOX = (
    "Let op",
    "Nooit als bolus: een bolus kalium is dodelijk.",
    "Bij een klaring onder 30 ml/min de helft van de dosis.",
)


def sidebar() -> Made:
    """Return a page with a box beside the text."""
    paper = Paper()
    paper.heading(_TITLE)
    top = paper.y
    for text in _TEXT:
        paper.paragraph(text, width=290)
    paper.canvas.setFillColor(lightgrey)
    paper.canvas.rect(370, top - 130, 180, 145, stroke=0, fill=1)
    paper.canvas.setFillColorRGB(0, 0, 0)
    paper.y = top
    paper.line(380, paper.y, _BOX[0], 10, BOLD)
    paper.y -= 13.5
    for text in _BOX[1:]:
        paper.lines(wrapped(text, 160), 380)
        paper.y -= 8
    return Made("kaliumsuppletie.pdf", paper.bytes(), ((_TITLE, *_TEXT), _BOX))
