"""Text boxes in Word: one with its older twin, one of two paragraphs, one in a table."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.word.word import cell, docx, heading, paragraph, row, run, table, text_box

_BOXES = ("Vincristine is never given intrathecally.", "Not more than 12 mg.", "Only in room 4.", "Dilute to 5 ml.")
_TEXT = ("Intrathecal drugs", "Check the label with two people.", "Methotrexate is given in 15 minutes.")
_LAST = "Store in the locked cupboard."


def word_boxes() -> Made:
    """Return one page."""
    two = text_box(paragraph(_BOXES[1]) + paragraph(_BOXES[2]), fallback=False)
    within = cell(paragraph(text_box(paragraph(_BOXES[3]))))
    body = (
        heading(_TEXT[0])
        + paragraph(_TEXT[1])
        + paragraph(text_box(paragraph(_BOXES[0])))
        + paragraph(run(_TEXT[2]) + two)
        + table(row("Drug", "Dose", "Note"), row("Cytarabine", "30 mg", within))
        + paragraph(_LAST)
    )
    flows = ((*_TEXT, "Drug\tDose\tNote", _LAST), _BOXES[:1], _BOXES[1:3], ("Cytarabine\t30 mg",), _BOXES[3:])
    return Made("intrathecal-drugs.docx", docx(body), flows)
