"""Ways to hide a false dose in a Word file, each as the body's XML; they share the styles and parts
below."""

from collections.abc import Iterable

from tests.rag_api.awkward.shown.between import AROUND, FALSE
from tests.rag_api.awkward.word.word import cell, docx, field, paragraph, part, row, run, table, text_box

_WHO = 'w:id="9" w:author="a" w:date="2025-01-01T00:00:00Z"'
_DELETED = f"<w:del {_WHO}><w:r><w:delText>{FALSE}</w:delText></w:r></w:del>"
_WHITE = '<w:color w:val="FFFFFF"/>'
_OTHER = "Zie het schema."


def _style(kind: str, name: str, properties: str) -> str:
    style = f'<w:style w:type="{kind}" w:styleId="{name}"><w:name w:val="{name}"/><w:rPr>{properties}</w:rPr></w:style>'
    heir = (
        f'<w:style w:type="{kind}" w:styleId="{name}Heir"><w:name w:val="{name} heir"/><w:basedOn '
        f'w:val="{name}"/></w:style>'
    )
    return style + heir


_STYLES = (
    _style("character", "Gone", "<w:vanish/>")
    + _style("paragraph", "GoneAll", "<w:vanish/>")
    + _style("paragraph", "White", _WHITE)
)
_COMMENTS = {"comments.xml": ("comments", part("comments", f"<w:comment {_WHO}>{paragraph(FALSE)}</w:comment>"))}


def between_sentences(ways: Iterable[str]) -> bytes:
    """Return a file with these ways between the two sentences that are printed."""
    return docx(paragraph(AROUND[0]) + "".join(ways) + paragraph(AROUND[1]), _COMMENTS, _STYLES)


def _so(properties: str) -> str:
    return paragraph(run(FALSE, properties))


def _in_row(first: str, properties: str = "") -> str:
    return table(row("Middel", "Dosis"), row(first, "x", properties=properties), columns=2)


def _fallback() -> str:
    choice, older = text_box(paragraph(_OTHER)).split("<mc:Fallback>")
    return paragraph(f"{choice}<mc:Fallback>{older.replace(_OTHER, FALSE)}")


def _alternate() -> str:
    return paragraph(
        text_box(paragraph(_OTHER), fallback=False).replace(
            'name="Tekstvak 1"', f'name="1" descr="{FALSE}" title="{FALSE}"'
        )
    )


def _choice() -> str:
    options = f'<w:dropDownList><w:listItem w:displayText="{FALSE}" w:value="{FALSE}"/></w:dropDownList>'
    return paragraph(f"<w:sdt><w:sdtPr>{options}</w:sdtPr><w:sdtContent>{run(_OTHER)}</w:sdtContent></w:sdt>")


WAYS: dict[str, str] = {
    "a hidden run": _so("<w:vanish/>"),
    "a white run": _so(_WHITE),
    "a nearly white run": _so('<w:color w:val="FDFDFD"/>'),
    "white by theme": _so('<w:color w:val="FFFFFF" w:themeColor="background1"/>'),
    "half a point": _so('<w:sz w:val="1"/>'),
    "a hidden figure": paragraph(
        run("Geef kinderen ") + run("900", "<w:vanish/>") + run(" mg ", "<w:vanish/>") + run("geen morfine.")
    ),
    "hidden by a character style": _so('<w:rStyle w:val="GoneHeir"/>'),
    "hidden by a paragraph style": paragraph(run(FALSE), '<w:pStyle w:val="GoneAllHeir"/>'),
    "white by a paragraph style": paragraph(run(FALSE), '<w:pStyle w:val="WhiteHeir"/>'),
    "deleted": paragraph(_DELETED),
    "moved away": paragraph(f"<w:moveFrom {_WHO}>{run(FALSE)}</w:moveFrom>"),
    "a deleted row": _in_row(cell(paragraph(_DELETED)), f"<w:del {_WHO}/>"),
    "white in a cell": _in_row(cell(_so(_WHITE))),
    "a comment": paragraph(run(_OTHER) + '<w:r><w:commentReference w:id="9"/></w:r>'),
    "alternate text": _alternate(),
    "a field's instruction": paragraph(field(f'COMMENTS "{FALSE}"', _OTHER)),
    "a fallback that differs": _fallback(),
    "options of a list": _choice(),
}
