"""A form in Word: content controls around words, paragraphs, rows and cells; fields, a link, a list
to choose from."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.word.word import cell, docx, field, heading, paragraph, row, run, table

_CHOICE = (
    '<w:dropDownList><w:listItem w:displayText="40 mg" w:value="40"/><w:listItem w:displayText="80 mg" '
    'w:value="80"/></w:dropDownList>'
)


def _control(content: str, properties: str = "") -> str:
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


_WRITTEN = (  # as XML, and as read
    (heading("Aanvraag antistolling"), "Aanvraag antistolling"),
    (paragraph(run("Gewicht: ") + _control(run("72 kg"))), "Gewicht: 72 kg"),
    (_control(paragraph("Start met 5700 IE nadroparine.")), "Start met 5700 IE nadroparine."),
    (paragraph(run("Enoxaparine: ") + _control(run("40 mg"), _CHOICE)), "Enoxaparine: 40 mg"),
    (paragraph(run("Streef-INR: ") + field("FORMTEXT", "2,5 tot 3,5")), "Streef-INR: 2,5 tot 3,5"),
    (
        paragraph(f'{run("Zie tabel ")}<w:fldSimple w:instr=" REF tabel ">{run("4")}</w:fldSimple>{run(".")}'),
        "Zie tabel 4.",
    ),
    (
        paragraph(f'{run("Bel ")}<w:hyperlink w:anchor="x">{run("de trombosedienst")}</w:hyperlink>{run(".")}'),
        "Bel de trombosedienst.",
    ),
    (
        paragraph(f'<w:smartTag w:uri="u" w:element="e">{run("Geen NSAID ernaast.")}</w:smartTag>'),
        "Geen NSAID ernaast.",
    ),
    (paragraph(f'<w:customXml w:element="x">{run("Controle na 3 maanden.")}</w:customXml>'), "Controle na 3 maanden."),
)
_ROWS = (row("Middel", "Dosis"), _control(row("Dabigatran", "150 mg")), row("Apixaban", _control(cell("5 mg"))))


def word_form() -> Made:
    """Return one page."""
    body = "".join(xml for xml, _ in _WRITTEN) + table(*_ROWS, columns=2)
    flow = (*(text for _, text in _WRITTEN), "Middel\tDosis", "Dabigatran\t150 mg", "Apixaban\t5 mg")
    return Made("aanvraag-antistolling.docx", docx(body), (flow,))
