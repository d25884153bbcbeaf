"""A table turned by a quarter on an upright page, and one on a page that the viewer turns."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import Paper

_TITLE = "Verdunningen voor de perfusor"
_ROWS = (
    ("Middel", "Ampul", "Oplossen tot", "Sterkte"),
    ("Noradrenaline", "10 mg", "50 ml", "0,2 mg/ml"),
    ("Dobutamine", "250 mg", "50 ml", "5 mg/ml"),
    ("Midazolam", "50 mg", "50 ml", "1 mg/ml"),
    ("Insuline", "50 IE", "50 ml", "1 IE/ml"),
)
_PLACES = (60, 200, 320, 460)


def rotated_table() -> Made:
    """Return a page with turned text between upright text."""
    paper = Paper()
    paper.heading(_TITLE)
    paper.paragraph("Etiketteer elke spuit met middel, sterkte en tijd.")
    paper.canvas.saveState()
    paper.canvas.translate(350, 60)
    paper.canvas.rotate(90)
    paper.y = 0
    for row in _ROWS:
        paper.row(row, _PLACES)
    paper.canvas.restoreState()
    rows = tuple("\t".join(row) for row in _ROWS)
    return Made(
        "verdunningen-gedraaid.pdf",
        paper.bytes(),
        ((_TITLE, "Etiketteer elke spuit met middel, sterkte en tijd."), rows),
    )


def turned_page() -> Made:
    """Return a page whose content lies on its side and that has /Rotate 90."""
    paper = Paper()
    paper.canvas.setPageRotation(90)
    paper.canvas.translate(595, 0)
    paper.canvas.rotate(90)
    paper.y = 540
    paper.heading(_TITLE)
    for row in _ROWS:
        paper.row(row, _PLACES)
    return Made("verdunningen-liggend.pdf", paper.bytes(), ((_TITLE, *("\t".join(row) for row in _ROWS)),))
