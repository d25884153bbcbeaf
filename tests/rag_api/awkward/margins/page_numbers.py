"""Seven pages with page numbers of one style, and a last line that looks like one but is an
item."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import HEIGHT, Paper

_STYLES = ("Pagina {n} van 7", "{n}/7", "- {n} -", "blz. {n}", "Page {n} of 7", "{n}", "[{n}]", "p. {n}/7")
_ITEMS = ("1/2 tablet", "3/4 ampul", "2 x 5 mg", "4 dd 1", "7 dagen", "0,5", "12 IE")


def page_numbers() -> list[Made]:
    """Return a document for each style."""
    return [_numbered(k, style) for k, style in enumerate(_STYLES)]


def _numbered(k: int, style: str) -> Made:
    paper, written = Paper(), list[str]()
    for number, item in enumerate(_ITEMS, 1):
        heading = f"Middel {'ABCDEFG'[number - 1]}"
        paper.line(60, HEIGHT - 60, heading, 14)
        paper.line(60, HEIGHT - 100, f"Schrijf voor volgens het schema van dag {number}.")
        paper.line(60, 60, item)
        paper.line(290, 25, style.format(n=number), 8)
        paper.canvas.showPage()
        written += [heading, f"Schrijf voor volgens het schema van dag {number}.", item]
    return Made(
        f"paginanummers-{k}.pdf", paper.bytes(), (tuple(written),), tuple(style.format(n=n) for n in range(1, 8))
    )
