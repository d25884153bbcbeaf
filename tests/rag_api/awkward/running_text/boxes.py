"""A flow chart: text in boxes, two of them side by side, with words at the arrows."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import Paper, wrapped

_TITLE = "Stroomschema anafylaxie"
_BOXES = (  # x, y, width, text
    (180, 640, 240, "Zwelling, benauwdheid of shock na een mogelijk allergeen?"),
    (60, 500, 210, "Adrenaline 0,5 mg in het bovenbeen; bij een kind 0,01 mg/kg."),
    (330, 500, 210, "Clemastine 2 mg langzaam intraveneus en vier uur bewaken."),
    (180, 360, 240, "Geen verbetering na 5 minuten: herhaal de adrenaline."),
)
_ARROWS = ((210, 590, "ja"), (370, 590, "nee"))


def boxes() -> Made:
    """Return one page."""
    paper = Paper()
    paper.heading(_TITLE)
    for x, y, width, text in _BOXES:
        paper.canvas.roundRect(x, y - 40, width, 60, 6)
        paper.y = y
        paper.lines(wrapped(text, width - 20), x + 10)
    for x, y, text in _ARROWS:
        paper.line(x, y, text, 9)
    flows = ((_TITLE, _BOXES[0][3]), *((box[3],) for box in _BOXES[1:]), *((arrow[2],) for arrow in _ARROWS))
    return Made("stroomschema-anafylaxie.pdf", paper.bytes(), flows)
