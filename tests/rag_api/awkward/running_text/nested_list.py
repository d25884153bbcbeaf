"""Numbered lists in lists over three pages: numbers, letters and dots, each item of one to three
lines."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import HEIGHT, Paper, wrapped

_TITLE = "Massaal bloedverlies"
_STEPS = (
    "Roep het team bijeen en noem de plaats",
    "Geef tranexaminezuur 1 g in tien minuten, en daarna 1 g in acht uur",
    "Bestel pakket 1 bij het laboratorium",
    "Houd de temperatuur boven 36 °C",
)
_PARTS = (
    "bij een kind 15 mg/kg, met een maximum van 1 g, langzaam in te spuiten door degene die de lijn bewaakt en die de "
    "tijd opschrijft",
    "bij een zwangere dezelfde dosis als bij een volwassene",
)
_DOTS = ("niet bij een trombose korter dan 3 maanden", "halveer bij een klaring onder 50 ml/min")


def nested_list() -> Made:
    """Return a list of three levels."""
    paper, written = Paper(), [_TITLE]
    paper.heading(_TITLE)
    for chapter in range(1, 7):
        for n, step in enumerate(_STEPS, 1):
            _item(paper, written, 60, f"{chapter}.{n}", f"{step}, stap {chapter}{n}.")
            for letter, part in zip("ab", _PARTS, strict=True):
                _item(paper, written, 90, f"{letter})", f"{part} ({chapter}.{n});")
            for dot in _DOTS:
                _item(paper, written, 120, "•", f"{dot} ({chapter}.{n}).")
    return Made("bloedverlies-lijst.pdf", paper.bytes(), (tuple(written),))


def _item(paper: Paper, written: list[str], x: float, mark: str, text: str) -> None:
    lines = wrapped(text, 500 - x)
    if paper.y - 13.5 * len(lines) < 50:
        paper.turn(HEIGHT - 50)
    paper.line(x, paper.y, mark)
    paper.lines(lines, x + 28)
    paper.y -= 3
    written.append(f"{mark} {text}")
