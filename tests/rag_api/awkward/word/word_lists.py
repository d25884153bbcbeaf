"""Lists in lists that Word numbers: one that goes on behind a paragraph, one that starts at
five."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.word.word import docx, heading, paragraph, part

_LEVELS = "".join(
    f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/></w:lvl>'
    for level, (kind, text) in enumerate(
        (("decimal", "%1."), ("lowerLetter", "%2)"), ("decimal", "%1.%2.%3"), ("upperRoman", "%4."))
    )
)
_NUMBERING = part(
    "numbering",
    f'<w:abstractNum w:abstractNumId="0">{_LEVELS}</w:abstractNum><w:num w:numId="1"><w:abstractNumId '
    f'w:val="0"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride '
    'w:val="5"/></w:lvlOverride></w:num>',
)
_ITEMS = (  # level, list, mark, text
    (0, 1, "1.", "Check the airway"),
    (1, 1, "a)", "Give 15 litres of oxygen"),
    (1, 1, "b)", "Intubate below a score of 8"),
    (2, 1, "1.b.1", "Use a tube of 7.5 in women"),
    (2, 1, "1.b.2", "Use a tube of 8.5 in men"),
    (3, 1, "I.", "Cuff pressure 25 cm"),
    (0, 1, "2.", "Give adrenaline 1 mg every 4 minutes"),
    (1, 1, "a)", "In a child 0.01 mg/kg"),
)
_LATER = (
    (0, 1, "3.", "Give amiodarone 300 mg after the third shock"),
    (0, 2, "5.", "Cool to 36 °C"),
    (1, 2, "a)", "For 24 hours"),
    (0, 2, "6.", "Treat fever"),
)


def word_lists() -> Made:
    """Return one page."""
    title, between = "Adult resuscitation", "Between the rounds, think of reversible causes."
    body = heading(title) + _written(_ITEMS) + paragraph(between) + _written(_LATER)
    flow = (title, *_read(_ITEMS), between, *_read(_LATER))
    return Made("adult-resuscitation.docx", docx(body, {"numbering.xml": ("numbering", _NUMBERING)}), (flow,))


def _written(items: tuple[tuple[int, int, str, str], ...]) -> str:
    return "".join(
        paragraph(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')
        for level, number, _, text in items
    )


def _read(items: tuple[tuple[int, int, str, str], ...]) -> tuple[str, ...]:
    return tuple(f"{mark} {text}" for _, _, mark, text in items)
