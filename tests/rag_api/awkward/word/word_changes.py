"""Tracked insertions, moves and inserted rows are printed; what was deleted is not."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.word.word import docx, heading, paragraph, row, run, table

_WHO = 'w:id="1" w:author="a" w:date="2025-01-01T00:00:00Z"'


def _inserted(content: str) -> str:
    return f"<w:ins {_WHO}>{content}</w:ins>"


def word_changes() -> Made:
    """Return one page."""
    deleted = f"<w:del {_WHO}><w:r><w:delText>900 mg </w:delText></w:r></w:del>"
    written = (
        (heading("Insuline rond een ingreep"), "Insuline rond een ingreep"),
        (paragraph(run("Geef ") + _inserted(run("de helft van ")) + run("de dosis.")), "Geef de helft van de dosis."),
        (
            paragraph(_inserted(run("Meet elk uur de glucose.")), f"<w:rPr><w:ins {_WHO}/></w:rPr>"),
            "Meet elk uur de glucose.",
        ),
        (paragraph(run("Stop ") + deleted + run("metformine.")), "Stop metformine."),
        (paragraph(f"<w:moveTo {_WHO}>{run('Bel boven 20 mmol/l.')}</w:moveTo>"), "Bel boven 20 mmol/l."),
    )
    rows = table(
        row("Tijd", "Eenheden"), row("8 uur", "4", properties=f"<w:ins {_WHO}/>"), row("12 uur", "6"), columns=2
    )
    flow = (*(text for _, text in written), "Tijd\tEenheden", "8 uur\t4", "12 uur\t6")
    return Made("insuline-ingreep.docx", docx("".join(xml for xml, _ in written) + rows), (flow,))
