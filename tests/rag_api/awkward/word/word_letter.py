"""A letter with a header for its first page, one with a dose for later pages, and a page number."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.word.word import docx, paragraph, part, run

_FIRST = "Linden Hospital, department of cardiology"
_LATER = "Amiodarone: not more than 1200 mg in 24 hours"
_BODY = (
    "Dear colleague,",
    "We start amiodarone with 300 mg in 20 minutes.",
    "Then 900 mg runs in over 23 hours.",
    "Measure TSH every six months.",
)
_SECTION = (
    '<w:headerReference w:type="first" r:id="rId2"/><w:headerReference w:type="default" r:id="rId3"/>'
    '<w:footerReference w:type="default" r:id="rId4"/>'
)


def word_letter() -> Made:
    """Return two pages, the first of which has its own header."""
    page = f'{run("Page ")}<w:fldSimple w:instr=" PAGE ">{run("1")}</w:fldSimple>'
    parts = {
        "header1.xml": ("header", part("hdr", paragraph(_FIRST))),
        "header2.xml": ("header", part("hdr", paragraph(_LATER))),
        "footer1.xml": ("footer", part("ftr", paragraph(page))),
    }
    turn = '<w:r><w:br w:type="page"/></w:r>'
    body = paragraph(_BODY[0]) + paragraph(_BODY[1]) + paragraph(turn + run(_BODY[2])) + paragraph(_BODY[3])
    return Made("letter-amiodarone.docx", docx(body, parts, section=_SECTION), (_BODY,), once=(_LATER,))
