"""Footnotes and an endnote, with a mark behind a figure."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.word.word import docx, heading, paragraph, part, run

_SEPARATOR = '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
_NOTES = ("Niet bij een klaring onder 30 ml/min.", "Maximaal 3 gram per dag.", "Bij ouderen minder.")
_END = "Zie de stofmonografie, blz. 12."
_PARAGRAPHS = (  # before the mark, the note, after the mark
    ("Staak metformine op de dag van het onderzoek", 1, "."),
    ("Geef ten hoogste 3", 2, " gram per dag."),
    ("Hervat na 48 uur in de oude dosering", 3, " als de nierfunctie goed is."),
)


def word_notes() -> Made:
    """Return one page."""
    title = "Metformine rond contrast"
    notes = "".join(
        f'<w:footnote w:id="{k}">{_note("footnote", text)}</w:footnote>' for k, text in enumerate(_NOTES, 1)
    )
    ends = part("endnotes", f'<w:endnote w:id="1">{_note("endnote", _END)}</w:endnote>')
    body = heading(title) + "".join(
        paragraph(run(before) + _mark("footnote", k) + run(after)) for before, k, after in _PARAGRAPHS
    )
    body += paragraph(run("Controleer de nierfunctie") + _mark("endnote", 1))
    made = docx(
        body,
        {"footnotes.xml": ("footnotes", part("footnotes", _SEPARATOR + notes)), "endnotes.xml": ("endnotes", ends)},
    )
    pieces = [piece.strip() for before, _, after in _PARAGRAPHS for piece in (before, after) if len(piece) > 1]
    return Made(
        "metformine-contrast.docx", made, ((title,), _NOTES, (_END,)), once=(*pieces, "Controleer de nierfunctie")
    )


def _mark(kind: str, number: int) -> str:
    return f'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:{kind}Reference w:id="{number}"/></w:r>'


def _note(kind: str, text: str) -> str:
    return paragraph(f"<w:r><w:{kind}Ref/></w:r>{run(f' {text}')}")
