"""A Word file, written as XML: what python-docx cannot write is what hospitals have."""

import io
import zipfile
from collections.abc import Mapping
from xml.sax.saxutils import escape

_OPEN = "http://schemas.openxmlformats.org"
_MICROSOFT = "http://schemas.microsoft.com/office/word/2010"
NAMES = " ".join(
    (
        f'xmlns:w="{_OPEN}/wordprocessingml/2006/main"',
        f'xmlns:r="{_OPEN}/officeDocument/2006/relationships"',
        f'xmlns:wp="{_OPEN}/drawingml/2006/wordprocessingDrawing"',
        f'xmlns:a="{_OPEN}/drawingml/2006/main"',
        f'xmlns:mc="{_OPEN}/markup-compatibility/2006"',
        f'xmlns:wps="{_MICROSOFT}/wordprocessingShape"',
        f'xmlns:w14="{_MICROSOFT}/wordml"',
        'xmlns:v="urn:schemas-microsoft-com:vml"',
        'mc:Ignorable="w14"',
    )
)
_TYPE = f"{_OPEN}/officeDocument/2006/relationships"
_CONTENT = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_STYLES = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/>'
    '<w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="32"/></w:rPr></w:style>'
)


def run(text: str, properties: str = "") -> str:
    """Return a run of text."""
    said = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{said}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(content: str, properties: str = "") -> str:
    """Return a paragraph of runs, or of plain text."""
    inner = content if content.startswith("<") else run(content)
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{inner}</w:p>"


def heading(text: str) -> str:
    """Return a heading."""
    return paragraph(text, '<w:pStyle w:val="Heading1"/>')


def cell(content: str, properties: str = "") -> str:
    """Return a cell of paragraphs, or of plain text."""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content if content.startswith('<') else paragraph(content)}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    """Return a row of cells, or of plain texts."""
    inner = "".join(one if one.startswith("<") else cell(one) for one in cells)
    return f"<w:tr>{f'<w:trPr>{properties}</w:trPr>' if properties else ''}{inner}</w:tr>"


def table(*rows: str, columns: int = 3) -> str:
    """Return a ruled table."""
    sides = "".join(
        f'<w:{side} w:val="single" w:sz="4"/>' for side in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    grid = "".join('<w:gridCol w:w="3000"/>' for _ in range(columns))
    return f"<w:tbl><w:tblPr><w:tblBorders>{sides}</w:tblBorders></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{''.join(rows)}</w:tbl>"


def text_box(content: str, fallback: bool = True) -> str:
    """Return a run with a text box, with the older form of it beside it as Word writes it."""
    shape = (
        '<wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="3600000" '
        'cy="900000"/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr>'
        f"<wps:txbx><w:txbxContent>{content}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp>"
    )
    graphic = f'<a:graphic><a:graphicData uri="{_MICROSOFT}/wordprocessingShape">{shape}</a:graphicData></a:graphic>'
    size = '<wp:extent cx="3600000" cy="900000"/><wp:docPr id="1" name="Tekstvak 1"/>'
    drawing = f"<w:drawing><wp:inline>{size}{graphic}</wp:inline></w:drawing>"
    if not fallback:
        return f"<w:r>{drawing}</w:r>"
    older = (
        f'<v:shape type="#t" '
        f'style="width:283pt;height:70pt"><v:textbox><w:txbxContent>{content}</w:txbxContent></v:textbox></v:shape>'
    )
    choice = f'<mc:Choice Requires="wps">{drawing}</mc:Choice><mc:Fallback><w:pict>{older}</w:pict></mc:Fallback>'
    return f"<w:r><mc:AlternateContent>{choice}</mc:AlternateContent></w:r>"


def field(instruction: str, result: str) -> str:
    """Return a field with the result that it had last."""
    code = f'<w:r><w:instrText xml:space="preserve"> {instruction} </w:instrText></w:r>'
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    return f"{begin}{code}{separate}{run(result)}{end}"


def part(kind: str, content: str) -> str:
    """Return a part of the package: "footnotes", "hdr", "numbering", ..."""
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:{kind} {NAMES}>{content}</w:{kind}>'


_MARGINS = 'w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"'
_SIZE = f'<w:pgSz w:w="11906" w:h="16838"/><w:pgMar {_MARGINS}/>'


def docx(body: str, parts: Mapping[str, tuple[str, str]] | None = None, styles: str = "", section: str = "") -> bytes:
    """Return a file. parts: by file name, the kind of relationship and the XML; their ids are rId2
    and on."""
    written = {"styles.xml": ("styles", part("styles", _STYLES + styles)), **(parts or {})}
    main = part("document", f"<w:body>{body}<w:sectPr>{section}{_SIZE}</w:sectPr></w:body>")
    relations = [
        f'<Relationship Id="rId{k}" Type="{_TYPE}/{kind}" Target="{name}"/>'
        for k, (name, (kind, _)) in enumerate(written.items(), 1)
    ]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", _types({name: kind for name, (kind, _) in written.items()}))
        file.writestr(
            "_rels/.rels",
            _relationships(f'<Relationship Id="rId1" Type="{_TYPE}/officeDocument" Target="word/document.xml"/>'),
        )
        file.writestr("word/_rels/document.xml.rels", _relationships("".join(relations)))
        file.writestr("word/document.xml", main)
        for name, (_, xml) in written.items():
            file.writestr(f"word/{name}", xml)
    return out.getvalue()


def _types(kinds: Mapping[str, str]) -> str:
    overrides = {"document.xml": "document.main", **kinds}
    told = [
        f'<Override PartName="/word/{name}" ContentType="{_CONTENT}.{kind}+xml"/>' for name, kind in overrides.items()
    ]
    defaults = (
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
    )
    return f'<Types xmlns="{_OPEN}/package/2006/content-types">{defaults}{"".join(told)}</Types>'


def _relationships(content: str) -> str:
    return f'<Relationships xmlns="{_OPEN}/package/2006/relationships">{content}</Relationships>'
