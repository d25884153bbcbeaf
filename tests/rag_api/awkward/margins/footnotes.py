"""Footnotes at the foot of each page, with raised numbers, below a rule; a sentence runs over the
page."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import Paper, wrapped

_TITLE = "Vancomycin in adults"
_FIRST = (
    "Start with a loading dose of 25 mg/kg, infused at no more than 1 g per hour.",
    "Take the first trough level before the fourth dose and aim for 15 to 20 mg per litre.",
)
_OVER = (
    "In patients with a creatinine clearance below 50 ml/min the interval is doubled after the loading dose, the "
    "level is taken daily, "
    "and the next dose is given only when the level has fallen below 20 mg per litre, because accumulation is seen "
    "within two days "
    "and hearing loss may follow."
)
_LAST = ("Stop when the cultures are negative after 48 hours.",)
_NOTES = (
    (
        "1 Use the adjusted weight above a BMI of 30, with a maximum of 3 g.",
        "2 In meningitis aim for 20 to 25 mg per litre.",
    ),
    ("3 Measured by the laboratory at 8.00 and 20.00 hours only.",),
)


_RAISED = {"1": "¹", "2": "²", "3": "³"}  # the second note's number stands level with the foot of the line above


def footnotes() -> Made:
    """Return two pages with three notes."""
    paper = Paper()
    paper.heading(_TITLE)
    paper.y = 260
    for text in _FIRST:
        paper.paragraph(text)
    lines = wrapped(_OVER, 470)
    paper.lines(lines[:2])
    _notes(paper, _NOTES[0])
    paper.turn()
    paper.lines(lines[2:])
    paper.y -= 8
    paper.paragraph(_LAST[0])
    _notes(paper, _NOTES[1])
    stored = tuple(_RAISED[note[0]] + note[1:] for page in _NOTES for note in page)
    return Made("vancomycin.pdf", paper.bytes(), ((_TITLE, *_FIRST, _OVER, *_LAST), stored))


def _notes(paper: Paper, notes: tuple[str, ...]) -> None:
    paper.canvas.line(60, 72, 180, 72)
    for k, note in enumerate(notes):
        number, text = note.split(" ", 1)
        paper.line(60, 62 - 11 * k, number, 5)
        paper.line(66, 59 - 11 * k, text, 7.5)
