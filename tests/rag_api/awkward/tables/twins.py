"""Two pages of the same words: one for adults, one for children; only the numbers differ."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import BOLD, HEIGHT, Paper

_PAGES = (("Adults", 15, 6, 4), ("Children", 14, 2, 1))


def twins() -> Made:
    """Return a page and its twin."""
    paper, written = Paper(), list[str]()
    for group, limit, units, hours in _PAGES:
        lines = (
            f"Insulin correction: {group}",
            f"If glucose is above {limit} mmol/l: {units} units.",
            "Give subcutaneously in the abdomen.",
            f"Check again after {hours} hours.",
            "Do not give within two hours of the last dose.",
            f"Not more than {3 * units} units a day.",
        )
        paper.line(60, HEIGHT - 36, lines[0], 14, BOLD)
        for k, line in enumerate(lines[1:-1]):
            paper.line(60, HEIGHT - 70 - 22 * k, line, 11)
        paper.line(60, 30, lines[-1], 11)
        paper.canvas.showPage()
        written += lines
    return Made("insulin-correction.pdf", paper.bytes(), (tuple(written),))
