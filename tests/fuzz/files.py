"""PDFs and DOCX files to begin from. The first byte says whether the rest is the file itself or a
part of a whole one: what changes a byte of an archive or of compressed pages mostly makes a file
that nothing looks into."""

from __future__ import annotations

import io
import re
import traceback
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.rag_api.made_files import docx_files as word
from tests.rag_api.made_files.pdfs import both, lines, pdf, procedure

WHOLE, PART = b"\x00", b"\x01"
_ROOT = Path(__file__).parents[2]
_STREAM = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)
PDF_WORDS = tuple(
    b"BT,ET,Tj,TJ,Tf,Td,TD,Tm,T*,Tr,Tw,Tc,Tz,TL,Ts,q,Q,cm,re,f,W,n,rg,gs,Do,BDC,EMC,/Span,/ActualText,/F1,/Annots,/FreeText,/AcroForm,/Rotate,"
    b"/CropBox,/MediaBox,/Kids,/Parent,/Count,/Contents,/Resources,/ToUnicode,/Encoding,/Differences,/Outlines,obj,endobj,stream,endstream,"
    b"xref,trailer,startxref,%PDF-1.7,%%EOF".split(b",")
)
DOCX_WORDS = tuple(
    b"<w:p>,<w:r>,<w:t>,<w:tbl>,<w:tr>,<w:tc>,<w:ins>,<w:del>,<w:sdt>,<w:sdtContent>,<w:pict>,<w:drawing>,<w:hyperlink>,<w:fldSimple>,<w:sym/>,"
    b"<w:vanish/>,<w:vMerge/>,<w:tab/>,<w:br/>,<w:noBreakHyphen/>,<w:numPr/>,<w:color/>,<w:highlight/>,<w:jc/>,<w:gridSpan "
    b'w:val="4"/>,'
    b'w:val="FFFFFF",w:id="1",&#x202e;,&#xfeff;,</w:p>,</w:r>,</w:tc>'.split(b",")
)


def pdf_of(data: bytes) -> bytes:
    """Of a whole file as it is, else a page of which it is the content."""
    return data[1:] if data[:1] == WHOLE else _page(data[1:])


def docx_of(data: bytes) -> bytes:
    """Of a whole file as it is, else one of which it is the body."""
    return data[1:] if data[:1] == WHOLE else _document(data[1:])


def pdf_seeds() -> Iterator[bytes]:
    rows = (
        "Geef 15 mg/kg paracetamol.",
        "1. Spoel het infuus.",
        "- Controleer de pols.",
        "Leeftijd   Dosis",
        "0-1 jaar   2,5 mg",
    )
    made = [
        procedure("Kaliumsubstitutie", rows),
        pdf(lines(*rows), lines("Pagina 2", *rows), pageCompression=0),
        pdf(both(lines("Links", x=60), lines("Rechts", x=330)), size=(842, 595), pageCompression=0),
    ]
    for content in made:
        yield WHOLE + content
        for stream in _STREAM.findall(content):
            yield PART + stream
    yield PART + b"BT /F1 12 Tf 60 700 Td 3 Tr (Onzichtbaar) Tj ET 1 1 1 rg BT /F1 12 Tf 60 600 Td (Wit) Tj ET"
    yield (
        PART + b"/Span <</ActualText (dosis)>> BDC BT /F1 12 Tf 0.7 0.7 -0.7 0.7 200 300 Tm [(Ge) -200 (ef)] TJ ET EMC"
    )


def docx_seeds() -> Iterator[bytes]:
    bodies = [
        word.p(word.r("Kaliumsubstitutie"), style="Heading1")
        + word.p(word.r("Geef "), word.ins(word.r("15 mg")), word.deleted("20 mg")),
        word.table(word.tr(word.tc("Leeftijd"), word.tc("Dosis")), word.tr(word.tc("0-1", '<w:gridSpan w:val="2"/>'))),
        word.p(word.box(word.p(word.r("Let op")))) + word.sdt(word.p(word.r("Formulier"))),
        word.p(word.r("stap", "<w:vanish/>"), about='<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
        word.table(word.tr(word.tc("a", '<w:vMerge w:val="restart"/>')), word.tr(word.tc("b", "<w:vMerge/>"))),
    ]
    for body in bodies:
        yield PART + body.encode()
    yield WHOLE + _document(bodies[0].encode())


def is_ours(error: BaseException) -> bool:
    """Whether the line that raised is of our own code, not a library's that says what is wrong with
    the file."""
    last = traceback.extract_tb(error.__traceback__)[-1].filename
    return Path(last).is_relative_to(_ROOT / "rag_api") or isinstance(error, AssertionError)


def _page(content: bytes) -> bytes:
    """One page of these operators, without a table of where its objects stand: every reader finds
    them."""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R/F2 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        font,
    ]
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    return (
        bytes(out)
        + b"xref\n0 6\n0000000000 65535 f \n"
        + table
        + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % start
    )


def _document(body: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in _empty().items():
            archive.writestr(name, content.replace(b"BODY", body))
    return out.getvalue()


@cache
def _empty() -> dict[str, bytes]:
    level = '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    numbering = (
        f'<w:abstractNum w:abstractNumId="1">{level}</w:abstractNum><w:num w:numId="1"><w:abstractNumId '
        f'w:val="1"/></w:num>'
    )
    styles = '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
    notes = f'<w:footnote w:id="1">{word.p(word.r("Noot"))}</w:footnote>'
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.docx"
        word.docx(path, "BODY", parts={"numbering": numbering, "styles": styles, "footnotes": notes})
        with zipfile.ZipFile(path) as template:
            return {name: template.read(name) for name in template.namelist()}
