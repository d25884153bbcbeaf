"""Lists whose bullets and numbers are drawn behind all the text of their page, as some programs do
that print web pages."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import Paper, wrapped

_TITLE = "Eigen insulinepomp op de afdeling"
_LISTS = (
    (
        "De pomp gaat zeker af bij",
        ("• sufheid, delier of suïcidaal gedrag", "• diabetische ketoacidose", "• een ingreep langer dan 2 uur"),
    ),
    (
        "Overschakelen",
        (
            "1. spuit glargine 2 uur voor het stoppen, in een dosis van 100 % van wat de pomp per dag basaal geeft en "
            "nooit meer dan dat",
            "2. start zonder tijd een spuitpomp 30 minuten voor het afkoppelen",
            "3. bewaar de pomp in de kluis",
        ),
    ),
)


def late_marks() -> Made:
    """Return one page."""
    paper, written, marks = Paper(), [_TITLE], []
    paper.heading(_TITLE)
    for heading, items in _LISTS:
        paper.heading(heading, size=12)
        written.append(heading)
        for item in items:
            mark, text = item.split(" ", 1)
            marks.append((paper.y, mark))
            paper.lines(wrapped(text, 400), 80)
            written.append(item)
        paper.y -= 12
    for y, mark in marks:
        paper.line(64, y, mark)
    return Made("insulinepomp-lijst.pdf", paper.bytes(), (tuple(written),))
