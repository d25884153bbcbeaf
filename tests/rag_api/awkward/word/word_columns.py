"""Sections of Word: one column, then two, then one."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.word.word import docx, heading, paragraph

_ONE, _TWO = (
    f'<w:sectPr><w:type w:val="continuous"/><w:cols w:num="{number}" w:space="400"/></w:sectPr>' for number in (1, 2)
)
_TITLE, _FIRST, _LAST = "Rules for the ward", "These rules hold on all wards.", "Ask the pharmacist when in doubt."
_RULES = tuple(
    f"Rule {n}: the dose of drug {n} is {n} mg per day, to be given with food and not with milk." for n in range(1, 25)
)


def word_columns() -> Made:
    """Return two pages."""
    columns = "".join(paragraph(text) for text in _RULES[:-1]) + paragraph(_RULES[-1], _TWO)
    body = heading(_TITLE) + paragraph(_FIRST, _ONE) + columns + paragraph(_LAST)
    return Made("ward-rules.docx", docx(body), ((_TITLE, _FIRST, *_RULES, _LAST),))
