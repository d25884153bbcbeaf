"""A ruled table with cells over several rows and over several columns, and cells of more than one
line."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import BOLD, FONT, Paper

_TITLE = "Antibiotics on admission"
_X = (60, 160, 290, 420, 540)
_GRID = (  # text, column, columns, row, rows
    ("Infection", 0, 1, 0, 1),
    ("First choice", 1, 2, 0, 1),
    ("Duration", 3, 1, 0, 1),
    ("Pneumonia", 0, 1, 1, 2),
    ("mild: amoxicillin", 1, 1, 1, 1),
    ("750 mg three times", 2, 1, 1, 1),
    ("5 days", 3, 1, 1, 1),
    ("severe: cefuroxime", 1, 1, 2, 1),
    ("1500 mg three times", 2, 1, 2, 1),
    ("7 days", 3, 1, 2, 1),
    ("Cystitis", 0, 1, 3, 1),
    ("nitrofurantoin", 1, 1, 3, 1),
    ("100 mg twice", 2, 1, 3, 1),
    ("5 days, 7 in men", 3, 1, 3, 1),
    ("In allergy to penicillin: call the microbiologist", 0, 4, 4, 1),
)
_TOP, _ROW = 700, 30


def merged_table() -> Made:
    """Return a table of five rows."""
    paper = Paper()
    paper.heading(_TITLE)
    for text, column, columns, row, rows in _GRID:
        left, right = _X[column], _X[column + columns]
        bottom = _TOP - (row + rows) * _ROW
        paper.canvas.rect(left, bottom, right - left, rows * _ROW)
        paper.line(left + 5, bottom + rows * _ROW / 2 - 4, text, 9, BOLD if row == 0 else FONT)
    paper.y = _TOP - 6 * _ROW
    paper.paragraph("Adjust every dose to the renal function.")
    flow = (_TITLE, *(text for text, *_ in _GRID), "Adjust every dose to the renal function.")
    return Made("antibiotics-admission.pdf", paper.bytes(), (flow,), once=("Pneumonia",))  # said in both of its rows
