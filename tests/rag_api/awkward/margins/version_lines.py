"""Headers and footers of versions, dates and file names, beside lines that resemble them and are
content."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import HEIGHT, Paper

_TITLE = "Storage of reconstituted drugs"
_PAGES = (
    ("Cefuroxime", "Valid until 12 hours after opening."),
    ("Meropenem", "Valid until 4 hours after opening."),
    ("Amphotericin", "Valid until 24 hours after opening."),
)


def version_lines() -> Made:
    """Return three pages."""
    paper, written, furniture = Paper(), [_TITLE], list[str]()
    paper.line(60, HEIGHT - 90, _TITLE, 15)
    for number, (drug, validity) in enumerate(_PAGES, 1):
        around = (
            f"Linden Hospital   Version 3.{number}   Printed 0{number}-02-2025",
            f"storage_v3.{number}.docx   page {number} of 3",
        )
        paper.line(60, HEIGHT - 30, around[0], 7)
        paper.line(60, HEIGHT - 130, drug, 12)
        paper.line(60, HEIGHT - 150, "Store between 2 and 8 °C.")
        paper.line(60, 50, validity)
        paper.line(60, 22, around[1], 7)
        paper.canvas.showPage()
        written += [drug, "Store between 2 and 8 °C.", validity]
        furniture += around
    return Made("storage-drugs.pdf", paper.bytes(), (tuple(written),), tuple(furniture))
