"""Lists whose numbers and dots are drawn after all else of the page, as some programs draw what
hangs in the margin; so are its header and footer, each in two parts."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import HEIGHT, Paper, wrapped

_TITLE = "Val van een patiënt"
_STEPS = (
    "Til de patiënt nog niet op.",
    "Kijk naar bewustzijn en ademhaling.",
    "Bel de arts:",
    "Vul het formulier in en licht de familie in.",
)
_CASES = (
    "hoofdletsel: binnen 30 minuten",
    "geen letsel: voor het einde van de dienst, en in elk geval voordat de patiënt weer uit bed komt",
)
_DOTS = (
    "bel binnen bereik",
    "bed laag en op de rem",
    "schoenen of sokken met antislip aan, ook voor een korte gang naar het toilet",
)
_HEADER, _FOOTER = ("Ziekenhuis Sint-Anna", "VAL-01"), ("Niet voor verspreiding", "Dienst Kwaliteit")
_THEN = "Herhaal de score elke 7 dagen."


def hung_marks() -> Made:
    """Return a list in a list and one with dots, the marks of both drawn last."""
    paper, marks, written = Paper(), list[tuple[float, float, str]](), [_TITLE]
    paper.heading(_TITLE)
    for n, step in enumerate(_STEPS, 1):
        _item(paper, marks, written, 75, f"{n}.", step)
        if step.endswith(":"):
            for letter, case in zip("ab", _CASES, strict=True):
                _item(paper, marks, written, 95, f"{letter}.", case)
    paper.paragraph(_THEN)
    for dot in _DOTS:
        _item(paper, marks, written, 75, "•", dot)
    for x, y, mark in marks:
        paper.line(x, y, mark)
    written.insert(len(written) - len(_DOTS), _THEN)
    for y, parts in ((HEIGHT - 30, _HEADER), (30, _FOOTER)):
        for x, part in zip((60, 430), parts, strict=True):
            paper.line(x, y, part, 8)
    return Made("val.pdf", paper.bytes(), (("\t".join(_HEADER), *written, "\t".join(_FOOTER)),))


def _item(
    paper: Paper, marks: list[tuple[float, float, str]], written: list[str], x: float, mark: str, text: str
) -> None:
    marks.append((x - 4 - paper.canvas.stringWidth(mark, "Vera", 10), paper.y, mark))
    paper.lines(wrapped(text, 400 - x), x)
    written.append(f"{mark} {text}")
