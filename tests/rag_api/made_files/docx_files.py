"""DOCX files for tests, written as XML, with what python-docx cannot write: tracked changes, text
boxes, notes, lists, controls."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = (
    f'xmlns:w="{_W}" xmlns:r="{_R}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
)
_KINDS = {"document": "document.main", "header1": "header", "footer1": "footer"}


def p(*runs: str, style: str = "", about: str = "") -> str:
    said = (f'<w:pStyle w:val="{style}"/>' if style else "") + about
    return f"<w:p><w:pPr>{said}</w:pPr>{''.join(runs)}</w:p>"


def r(text: str, about: str = "") -> str:
    return f'<w:r><w:rPr>{about}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def ins(*runs: str) -> str:
    return f'<w:ins w:id="1" w:author="x">{"".join(runs)}</w:ins>'


def deleted(text: str) -> str:
    return f'<w:del w:id="2" w:author="x"><w:r><w:delText xml:space="preserve">{text}</w:delText></w:r></w:del>'


def sdt(content: str) -> str:
    return f"<w:sdt><w:sdtPr/><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def box(*paragraphs: str) -> str:
    """A run with a text box, once for today's Word and once for that of 2007."""
    content = f"<w:txbxContent>{''.join(paragraphs)}</w:txbxContent>"
    shape = '<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:spPr>'
    shape += (
        '<a:xfrm><a:off x="0" y="0"/><a:ext cx="3000000" cy="600000"/></a:xfrm><a:prstGeom '
        'prst="rect"><a:avLst/></a:prstGeom>'
    )
    shape += f"</wps:spPr><wps:txbx>{content}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData>"
    inline = (
        f'<wp:inline><wp:extent cx="3000000" cy="600000"/><wp:docPr id="1" '
        f'name="box"/><a:graphic>{shape}</a:graphic></wp:inline>'
    )
    older = f'<w:pict><v:shape style="width:200pt;height:50pt"><v:textbox>{content}</v:textbox></v:shape></w:pict>'
    return (
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>{inline}</w:drawing></mc:Choice>'
        f"<mc:Fallback>{older}</mc:Fallback></mc:AlternateContent></w:r>"
    )


def table(*rows: str, style: str = "") -> str:
    return f'<w:tbl><w:tblPr><w:tblStyle w:val="{style}"/></w:tblPr><w:tblGrid/>{"".join(rows)}</w:tbl>'


def tr(*cells: str, about: str = "") -> str:
    return f"<w:tr><w:trPr>{about}</w:trPr>{''.join(cells)}</w:tr>"


def tc(text: str, about: str = "") -> str:
    return f"<w:tc><w:tcPr>{about}</w:tcPr>{text if text.startswith('<') else p(r(text))}</w:tc>"


def docx(path: Path, *blocks: str, parts: Mapping[str, str] | None = None, section: str = "") -> Path:
    """parts: what stands in styles, numbering, footnotes, endnotes, comments, header1, footer1;
    each its root's content."""
    parts = dict(parts or {})
    document = f"<w:document {NAMES}><w:body>{''.join(blocks)}<w:sectPr>{section}</w:sectPr></w:body></w:document>"
    roots = {"header1": "hdr", "footer1": "ftr"}
    texts = {"document": document} | {
        n: f"<w:{roots.get(n, n)} {NAMES}>{x}</w:{roots.get(n, n)}>" for n, x in parts.items()
    }
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    types = "".join(f'<Override PartName="/word/{n}.xml" ContentType="{main}.{_KINDS.get(n, n)}+xml"/>' for n in texts)
    relations = "".join(f'<Relationship Id="{n}" Type="{_R}/{n.rstrip("1")}" Target="{n}.xml"/>' for n in parts)
    package = "http://schemas.openxmlformats.org/package/2006"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
            f'ContentType="application/vnd.openxmlformats-package.'
            f'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>{types}</Types>',
        )
        top = f'<Relationship Id="d" Type="{_R}/officeDocument" Target="word/document.xml"/>'
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{package}/relationships">{top}</Relationships>')
        archive.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="{package}/relationships">{relations}</Relationships>',
        )
        for name, text in texts.items():
            archive.writestr(f"word/{name}.xml", text)
    return path
