"""Pages whose running header and footer hold a dose, the same on every page."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import HEIGHT, Paper

_TITLE = "Noradrenaline op de IC"
_HEADER = "Noradrenaline 0,05 - 0,5 microgram/kg/min via een centrale lijn"
_FOOTER = "Nooit perifeer langer dan 6 uur"
_STEPS = (
    "Controleer de lijn en de pompstand bij elke overdracht.",
    "Verhoog in stappen van 0,05 microgram/kg/min tot de gemiddelde druk 65 mmHg is.",
    "Bouw af in stappen van 0,02 microgram/kg/min, niet vaker dan elk half uur.",
    "Denk bij een hoge behoefte aan hydrocortison 50 mg viermaal daags.",
)


def dose_header() -> Made:
    """Return four pages of one step each."""
    paper = Paper()
    paper.line(60, HEIGHT - 80, _TITLE, 15)
    for step in _STEPS:
        paper.line(60, HEIGHT - 30, _HEADER, 8)
        paper.line(60, HEIGHT - 140, step)
        paper.line(60, 30, _FOOTER, 8)
        paper.canvas.showPage()
    return Made("noradrenaline-ic.pdf", paper.bytes(), ((_TITLE, *_STEPS),), (_HEADER,) * 4 + (_FOOTER,) * 4)
