"""Raised figures: powers, areas and the marks of notes, smaller and higher than the line."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.margins.signs import shifted
from tests.rag_api.awkward.paper import Paper

_TITLE = "Grenswaarden"
_POWERS = (
    ("Leukocyten boven 12 × 10", "9", " per liter: kweken."),
    ("Klaring per 1,73 m", "2", " lichaamsoppervlak."),
    ("Geef tot 10", "3", " IE per uur."),
)
_MARKS = (
    ("Geef ten hoogste 3", "1", " gram per dag."),
    ("Staak bij een klaring onder 30 ml/min", "2", " de behandeling."),
)
_NOTES = ("1 Bij ouderen 2 gram.", "2 Gemeten in de urine.")


def powers() -> Made:
    """Return a page of powers; 10⁹ is never stored as 109."""
    paper = Paper()
    paper.heading(_TITLE)
    for parts in _POWERS:
        shifted(paper, parts, 4)
    flow = (
        "Leukocyten boven 12 × 10⁹ per liter: kweken.",
        "Klaring per 1,73 m² lichaamsoppervlak.",
        "Geef tot 10³ IE per uur.",
    )
    return Made("grenswaarden.pdf", paper.bytes(), ((_TITLE, *flow),))


def note_marks() -> Made:
    """Return a page with marks behind figures; a 3 with note 1 is never stored as 31."""
    paper = Paper()
    paper.heading(_TITLE)
    for parts in _MARKS:
        shifted(paper, parts, 4)
    paper.y = 80
    for note in _NOTES:
        paper.line(60, paper.y, note, 7)
        paper.y -= 12
    pieces = tuple(piece for before, _, after in _MARKS for piece in (before, after.strip()))
    return Made("grenswaarden-noten.pdf", paper.bytes(), ((_TITLE,), tuple(note[2:] for note in _NOTES)), once=pieces)
