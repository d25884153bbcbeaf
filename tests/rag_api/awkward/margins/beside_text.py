"""Marks beside and between the text: line numbers in the margin, a stacked fraction."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import Paper, wrapped

_TITLE = "Sedatie op de SEH"
_TEXT = (
    "Sedatie vraagt twee hulpverleners, van wie er een alleen de ademhaling bewaakt en niets anders doet tot de "
    "patiënt weer wakker is.",
    "Propofol wordt gegeven in stappen van 0,5 mg/kg, met telkens een minuut ertussen, en nooit meer dan 2 mg/kg in "
    "totaal bij ouderen.",
    "Esketamine 1 mg/kg is de keuze bij lage bloeddruk, met midazolam 1 mg erbij wanneer de patiënt onrustig wakker "
    "wordt.",
)


def line_numbers() -> Made:
    """Return a page with the number of every fifth line in the margin."""
    paper = Paper()
    paper.heading(_TITLE)
    lines = [
        (line, k == len(lines) - 1) for lines in (wrapped(text, 440) for text in _TEXT) for k, line in enumerate(lines)
    ]
    numbers = []
    for k, (line, last) in enumerate(lines, 1):
        if k % 2 == 0:
            paper.line(36, paper.y, str(k), 7)
            numbers.append(str(k))
        paper.lines([line])
        paper.y -= 8 if last else 0
    return Made("regelnummers.pdf", paper.bytes(), ((_TITLE, *_TEXT),), tuple(numbers))


def stacked_fraction() -> Made:
    """Return a fraction as one figure above the other."""
    paper = Paper()
    paper.heading(_TITLE)
    y = paper.y
    paper.line(60, y, "Geef per keer")
    paper.line(136, y + 4, "1", 6.5)
    paper.canvas.line(135, y + 2.8, 141, y + 2.8)
    paper.line(136, y - 4, "2", 6.5)
    paper.line(146, y, "tablet en niet meer dan 4 per dag.")
    return Made("breuk.pdf", paper.bytes(), ((_TITLE,),))


def every_line_numbered() -> Made:
    """Return a page with the number of every line in its margin, at the right."""
    paper = Paper()
    paper.heading(_TITLE)
    lines = [
        (line, k == len(lines) - 1) for lines in (wrapped(text, 300) for text in _TEXT) for k, line in enumerate(lines)
    ]
    for k, (line, last) in enumerate(lines, 1):
        paper.line(500, paper.y, str(k), 7)
        paper.lines([line])
        paper.y -= 8 if last else 0
    return Made("regels.pdf", paper.bytes(), ((_TITLE, *_TEXT),), tuple(str(k + 1) for k in range(len(lines))))


def weights() -> Made:
    """Return weights at the left with doses beside them, which are no line numbers."""
    paper = Paper()
    paper.heading(_TITLE)
    rows = tuple((str(5 * k), f"0,{k}5 mg adrenaline intraveneus") for k in range(1, 8))
    for weight, dose in rows:
        paper.row((weight, dose), (60, 120))
    return Made("gewichten.pdf", paper.bytes(), ((_TITLE,),), once=tuple(dose for _, dose in rows))


def whole_and_fraction(drawn: str) -> Made:
    """Return three and a half tablets, the figures of the fraction drawn in this order: above,
    below, rest of the line."""
    paper = Paper()
    paper.heading(_TITLE)
    y = paper.y
    parts = {
        "a": (117, y + 4, "1", 6.5),
        "b": (117, y - 4, "2", 6.5),
        "r": (126, y, "tablet en niet meer dan 4 per dag.", 10),
    }
    paper.line(60, y, "Geef ten 3")
    for one in drawn:
        paper.line(*parts[one])
    paper.canvas.rect(116, y + 2.6, 6, 0.5, stroke=0, fill=1)
    return Made("gemengd.pdf", paper.bytes(), ((_TITLE, "Geef ten 3 1/2 tablet en niet meer dan 4 per dag."),))
