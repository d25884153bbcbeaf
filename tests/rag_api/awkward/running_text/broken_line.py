"""A paragraph whose first line ends at a chosen place."""

from reportlab.pdfbase.pdfmetrics import stringWidth

from tests.rag_api.awkward.paper import FONT, Paper, wrapped

_WIDTH = 330.0
_LEADS = (
    "Hier",
    "Daarbij",
    "In het algemeen",
    "Op deze afdeling",
    "Voor elke patiënt hier",
    "Volgens de werkgroep ook",
    "Naast wat hierboven al staat",
    "Voor alle opgenomen patiënten",
    "In afwijking van de landelijke regel",
    "Na overleg met de dienstdoende arts nu",
    "Sinds de herziening van het vorige protocol",
    "Bij iedere patiënt die hier is opgenomen geldt",
    "Omdat dit in het verleden vaak fout is gegaan, nu",
)


def broken_line(paper: Paper, before: str, after: str, between: str = "", ragged: bool = False) -> str:
    """Write a paragraph with a line end between `before` and `after`; return it whole. The lead
    that fills the line best goes first."""
    lines = [f"{lead} {before}" for lead in _LEADS]
    first = max((line for line in lines if stringWidth(line, FONT, 10) <= _WIDTH), key=len)
    *lines, last = [first, *wrapped(after, _WIDTH)]
    for line in lines:
        paper.spread(line.split(), stringWidth(line, FONT, 10) if ragged else _WIDTH)
    paper.lines([last])
    paper.y -= 10
    return f"{first}{between}{after}"
