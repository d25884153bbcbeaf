"""Signs that change a number's meaning: raised and lowered figures, fractions, comparisons, micro,
decimal commas."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import FONT, Paper

_TITLE = "Grenzen en eenheden"
_PLAIN = (
    "Trombocyten onder 50 × 10³ per µl: geen punctie.",
    "Dosis 1,5 mg/m² tot een oppervlak van 2,0 m².",
    "Geef ½ tablet bij een gewicht ≥ 20 kg en ¼ tablet bij ≤ 20 kg.",
    "Streef naar SpO2 92–96% en een pH van 7,35–7,45.",
    "Bewaar bij -20 °C; ontdooi bij +4 °C ± 2 °C.",
    "Geef 0,05 µg/kg/min en niet 0,5 µg/kg/min.",
    "Kalium < 3,0 mmol/l of > 5,5 mmol/l: bel direct.",
    "Bij ¾ van de dosis: 1.250 IE, dat is 1250 IE.",
)
_LOWERED = (("Meet de pCO", "2", " in het bloedgas."), ("Vitamine B", "12", " 1 mg intramusculair."))


def signs() -> Made:
    """Return one page."""
    paper = Paper()
    paper.heading(_TITLE)
    for text in _PLAIN:
        paper.paragraph(text)
    for parts in _LOWERED:
        shifted(paper, parts, -3)
    lowered = ("".join(parts) for parts in _LOWERED)
    return Made("grenzen-eenheden.pdf", paper.bytes(), ((_TITLE, *_PLAIN, *lowered),))


def shifted(paper: Paper, parts: tuple[str, str, str], rise: float) -> None:
    """Write a line whose second part is small and stands higher or lower."""
    text = paper.canvas.beginText(60, paper.y)
    for k, part in enumerate(parts):
        text.setRise(rise if k == 1 else 0)
        text.setFont(FONT, 6.5 if k == 1 else 10)
        text.textOut(part)
    paper.canvas.drawText(text)
    paper.y -= 22
