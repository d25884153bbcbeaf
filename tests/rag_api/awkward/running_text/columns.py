"""Text in two and in three columns, with a heading over all; a paragraph goes on from column to
column and page to page."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import BOLD, HEIGHT, WIDTH, Paper, wrapped

_DUTCH = (
    "Een koortsstuip is een aanval met bewustzijnsverlies bij een kind van een half tot zes jaar met koorts boven "
    "38,5 graden.",
    "Duurt de aanval langer dan vijf minuten, geef dan midazolam 0,2 mg/kg in de neus met een maximum van 10 mg, en "
    "wacht vijf minuten.",
    "Houdt de aanval aan, geef dan nogmaals dezelfde dosis en bel de kinderarts. Leg een infuus aan en bepaal de "
    "glucose.",
    "Blijft het kind trekken, geef dan levetiracetam 40 mg/kg in tien minuten met een maximum van 4500 mg.",
    "Een eenvoudige koortsstuip vraagt geen onderzoek. Bij een kind onder een jaar, een herhaalde aanval binnen 24 "
    "uur of een "
    "aanval van één lichaamshelft wordt wel onderzocht.",
    "Geef ouders de folder mee en leer hun hoe zij midazolam toedienen.",
    "Paracetamol voorkomt geen nieuwe aanval. Geef het alleen tegen pijn: 15 mg/kg per keer, viermaal daags.",
)
_ENGLISH = (
    "Check the pump at the start of every shift and after each change of syringe.",
    "The rate is read aloud by one nurse and repeated by another before the pump is started.",
    "Heparin runs at 18 units/kg per hour after a bolus of 80 units/kg.",
    "Measure the APTT six hours after the start and six hours after each change of the rate.",
    "Halve the rate when the APTT is above 90 seconds, and stop for one hour above 120 seconds.",
    "Call the physician when the patient bleeds, when the platelets fall by half, or when the pump has stood still "
    "for 30 minutes.",
    "Write the new rate on the chart with the time and both initials.",
    "Protamine 1 mg neutralises 100 units that were given in the last hour; never give more than 50 mg.",
)


def two_columns() -> Made:
    """Return a Dutch page of two columns, and a second one."""
    return _set("koortsstuipen.pdf", "Koortsstuipen bij kinderen", _DUTCH, 2, 14)


def three_columns() -> Made:
    """Return an English page of three narrow columns, and a second one."""
    return _set("heparin-pump.pdf", "Heparin by pump", _ENGLISH, 3, 9)


def _set(name: str, title: str, paragraphs: tuple[str, ...], columns: int, rows: int) -> Made:
    paper = Paper()
    width = (WIDTH - 120 + 20) / columns - 20
    lines = [line for text in paragraphs for line in (*wrapped(text, width, 9), "")]
    paper.line(60, HEIGHT - 70, title, 18, BOLD)
    for k, line in enumerate(lines):
        row, column, page = k % rows, k // rows % columns, k // rows // columns
        if k and not row and not column and page:
            paper.canvas.showPage()
        if line:
            paper.line(60 + column * (width + 20), HEIGHT - 110 - row * 13, line, 9)
    return Made(name, paper.bytes(), ((title, *paragraphs),))
