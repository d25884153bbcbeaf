"""A table of Word over two pages: cells over rows and columns, a table in a cell, a header to be
printed again."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.word.word import cell, docx, heading, paragraph, row, table

_TITLE, _LAST = "Opiaten omrekenen", "Reken bij twijfel met de laagste dosis."
_MANY = tuple((f"Middel {n}", f"{n} mg", f"regel {n}") for n in range(1, 60))
_WIDE = "12 microgram per uur is 30 mg morfine per dag"


def word_table() -> Made:
    """Return two pages."""
    inner = table(row("ochtend", "2 mg"), row("avond", "4 mg"), columns=2)
    rows = (
        row("Middel", "Dosis", "Opmerking", properties="<w:tblHeader/>"),
        row(cell("Morfine", '<w:vMerge w:val="restart"/>'), "10 mg", "oraal"),
        row(cell("<w:p/>", "<w:vMerge/>"), "5 mg", "subcutaan"),
        row("Fentanyl", cell(_WIDE, '<w:gridSpan w:val="2"/>')),
        row("Hydromorfon", cell(f"{inner}<w:p/>"), "capsule"),
        row("Oxycodon", cell(paragraph("5 mg") + paragraph("10 mg bij doorbraak")), "tablet"),
        *(row(*cells) for cells in _MANY),
    )
    flow = (
        *(_TITLE, "10 mg\toraal", "5 mg\tsubcutaan", f"Fentanyl\t{_WIDE}", "Oxycodon"),
        *("\t".join(cells) for cells in _MANY),
        _LAST,
    )
    # Shown on a page the table within the cell makes two rows, and what stands beside it is said in
    # both.
    within = (
        "Morfine",
        "Hydromorfon",
        "ochtend",
        "2 mg",
        "avond",
        "4 mg",
        "capsule",
        "5 mg",
        "10 mg bij doorbraak",
        "tablet",
        "Middel\tDosis\tOpmerking",
    )
    return Made("opiaten-omrekenen.docx", docx(heading(_TITLE) + table(*rows) + paragraph(_LAST)), (flow,), once=within)
