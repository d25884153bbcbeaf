"""Every kind of file is read with the place of its words on a page that shows it, or refused with
what to do."""

# ruff: noqa: E501 - XML reads better unbroken

from __future__ import annotations

import io
import struct
import subprocess
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment

from rag_api.answering.quoting.highlight import rects
from rag_api.domain import ReadDocument
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.kinds import SUFFIXES, Kind, media_type
from rag_api.ingest.readers.read import read
from rag_api.ingest.sandbox.office import convert, office
from rag_api.ingest.sources.sources import KeptFiles
from tests.rag_api.answering.quoting.test_highlight import Shown, letters, sentences
from tests.rag_api.ingest.test_ingest import Place, place
from tests.rag_api.made_files.docx_files import deleted, docx, ins, p, r
from tests.rag_api.made_files.pdfs import write

__all__ = ["place"]

needs_office = pytest.mark.skipif(office() is None, reason="LibreOffice is not installed")
DUTCH = "De verpleegkundige controleert de insteekplaats van de katheter elke dag en noteert roodheid in het dossier."


def opened(path: Path, shown: Path | None = None) -> ReadDocument:
    return read(path, path.name, media_type(path, path.name), 50, shown)


def lines(document: ReadDocument) -> list[str]:
    return [line for line in document.text.split("\n") if line]


def check_places(document: ReadDocument, shown: Path) -> None:
    """What is highlighted for a sentence is that sentence, as the PDF itself says."""
    pdf = Shown(shown)
    spans = sentences(document.pages)
    assert spans
    for start, end in spans:
        assert letters(pdf.text_under(rects(document.pages, start, end))) == letters(document.text[start:end])


def test_plain_text_is_shown_as_it_is_read(tmp_path: Path) -> None:
    text = f"Katheterzorg\n\n{DUTCH} {DUTCH} {DUTCH}\nDosis:\t≥ 7,5 mg/kg\tmax. 10³ µg\n" + "Spoel met 10 ml.\n" * 120
    document = opened(write(tmp_path, "zorg.txt", text.encode()), tmp_path / "zorg.pdf")
    assert document.text == text
    assert (document.metadata.title, document.metadata.language, len(document.pages)) == ("Katheterzorg", "nl", 3)
    assert document.warnings == ()
    check_places(document, tmp_path / "zorg.pdf")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_text_is_decoded_as_it_was_written(tmp_path: Path, encoding: str) -> None:
    assert lines(opened(write(tmp_path, "a.txt", "één patiënt – µg".encode(encoding)))) == ["één patiënt – µg"]


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument, match=r"a\.txt: is no text"):
        opened(write(tmp_path, "a.txt", bytes(range(256)) * 4))


PAGE = """<html><head><title>Sepsis</title><style>p {}</style><script>alert("x")</script></head><body>
<h1>Sepsis bij <em>kinderen</em></h1><p>Geef 10<sup>3</sup> E,<br>niet <del>500</del> 250&nbsp;mg.<span style="display: none">onzichtbaar</span></p>
<ol start="2"><li>Bel de arts</li><li>Neem bloed af</li></ol><ul><li>traag</li></ul>
<table><tr><th>Groep</th><th>Gewicht</th><th>Dosis</th></tr><tr><td rowspan="2">kind</td><td>tot 10 kg</td><td>5 mg</td></tr>
<tr><td></td><td>10 mg</td></tr></table><iframe src="http://example.org"></iframe></body></html>"""


def test_html_is_read_as_a_browser_shows_it(tmp_path: Path) -> None:
    document = opened(write(tmp_path, "a.html", PAGE.encode()), tmp_path / "a.pdf")
    assert lines(document) == [
        "Sepsis bij kinderen", "Geef 10³ E,", "niet 250 mg.", "2. Bel de arts", "3. Neem bloed af", "• traag",
        "Groep\tGewicht\tDosis", "kind\ttot 10 kg\t5 mg", "kind\t–\t10 mg",
    ]  # fmt: skip
    assert document.metadata.title == "Sepsis"
    said = " ".join(document.warnings)
    assert all(word in said for word in ("“onzichtbaar”", "“500”", "a frame is not read"))
    check_places(document, tmp_path / "a.pdf")


def test_markdown_is_read_without_its_marks(tmp_path: Path) -> None:
    text = (
        "# Kalium\n\nGeef **nooit** onverdund.\n\n1. Controleer\n2. Noteer\n\n| Dosis | Maximum |\n|---|---|\n| 10 "
        "mmol | 40 mmol |\n"
    )
    document = opened(write(tmp_path, "a.md", text.encode()))
    assert lines(document) == [
        "Kalium",
        "Geef nooit onverdund.",
        "1. Controleer",
        "2. Noteer",
        "Dosis\tMaximum",
        "10 mmol\t40 mmol",
    ]
    assert document.metadata.title == "Kalium"


def test_a_mail_is_read_and_its_attachments_are_named(tmp_path: Path) -> None:
    from email.message import EmailMessage

    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Nieuwe dosis kalium", "apotheek@example.org"
    mail.set_content("Vanaf vandaag 20 mmol per uur, één keer.")
    mail.add_attachment(b"x", maintype="application", subtype="pdf", filename="protocol.pdf")
    document = opened(write(tmp_path, "a.eml", mail.as_bytes()))
    assert lines(document) == [
        "Nieuwe dosis kalium",
        "From: apotheek@example.org",
        "Vanaf vandaag 20 mmol per uur, één keer.",
    ]
    assert document.metadata.title == "Nieuwe dosis kalium"
    assert "the attachment 'protocol.pdf' is not read" in document.warnings[0]


def outlook(streams: dict[str, bytes]) -> bytes:
    """A compound file (MS-CFB) with these streams, each long enough not to need the table for short
    ones."""
    sectors: list[bytes] = []
    fat: list[int] = []

    def put(content: bytes) -> int:
        start, count = len(sectors), -(-len(content) // 512)
        sectors.extend(content[n * 512 : n * 512 + 512].ljust(512, b"\0") for n in range(count))
        fat.extend([*range(start + 1, start + count), 0xFFFFFFFE])
        return start

    def entry(name: str, kind: int, right: int, down: int, start: int, size: int) -> bytes:
        written = name.encode("utf-16-le") + b"\0\0"
        links = struct.pack("<BBIII", kind, 1, 0xFFFFFFFF, right, down)
        return (
            written.ljust(64, b"\0")
            + struct.pack("<H", len(written))
            + links
            + bytes(36)
            + struct.pack("<IQ", start, size)
        )

    placed = [(name, put(content.ljust(4096, b"\0")), max(4096, len(content))) for name, content in streams.items()]
    none = 0xFFFFFFFF
    entries = [entry("Root Entry", 5, none, 1, 0xFFFFFFFE, 0)]
    entries += [
        entry(name, 2, n + 2 if n + 1 < len(placed) else none, none, at, size)
        for n, (name, at, size) in enumerate(placed)
    ]
    directory = put(b"".join(entries).ljust(-(-len(entries) // 4) * 512, b"\0"))
    fat.append(0xFFFFFFFD)
    sectors.append(struct.pack(f"<{len(fat)}I", *fat).ljust(512, b"\xff"))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIII", 0, 1, directory, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    return (header + struct.pack("<I", len(sectors) - 1)).ljust(512, b"\xff") + b"".join(sectors)


def test_an_outlook_mail_is_read(tmp_path: Path) -> None:
    content = {
        "0037": "Dosis kalium",
        "0C1A": "Apotheek",
        "1000": "Vanaf vandaag 20 mmol per uur.\r\nNiet sneller dan één keer.",
    }
    path = write(
        tmp_path,
        "a.msg",
        outlook({f"__substg1.0_{key}001F": text.encode("utf-16-le") for key, text in content.items()}),
    )
    document = opened(path, tmp_path / "a.pdf")
    assert lines(document) == [
        "Dosis kalium",
        "From: Apotheek",
        "Vanaf vandaag 20 mmol per uur.",
        "Niet sneller dan één keer.",
    ]
    assert document.metadata.title == "Dosis kalium"
    with pytest.raises(UnreadableDocument, match="its text is in a form that is not read"):
        opened(write(tmp_path, "b.msg", outlook({"__substg1.0_0037001F": b"x"})))


def workbook(change: Callable[[openpyxl.Workbook], None] = lambda book: None) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Doses"
    for row in (
        ["Doses bij kinderen van de apotheek"], [], ["Middel", "Dosis", "Maximum", "Aandeel", "Vanaf"],
        ["Kalium", 1.125, "van de arts", 0.1, date(2026, 1, 31)], ["Natrium", None, 40, None, None],
    ):  # fmt: skip
        sheet.append(row)
    sheet["D4"].number_format = "0%"
    change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_a_row_of_a_sheet_says_what_its_numbers_are_of(tmp_path: Path) -> None:
    document = opened(write(tmp_path, "a.xlsx", workbook()), tmp_path / "a.pdf")
    assert lines(document) == [
        "Doses",
        "Doses bij kinderen van de apotheek",
        "Middel\tDosis\tMaximum\tAandeel\tVanaf",
        "Middel: Kalium; Dosis: 1,125; Maximum: van de arts; Aandeel: 10%; Vanaf: 2026-01-31",
        "Middel: Natrium; Maximum: 40",
    ]
    check_places(document, tmp_path / "a.pdf")


def test_what_a_sheet_hides_or_does_not_hold_is_named(tmp_path: Path) -> None:
    def change(book: openpyxl.Workbook) -> None:
        book.create_sheet("Oud").append(["geheim"])
        book["Oud"].sheet_state = "hidden"
        sheet = book["Doses"]
        sheet.row_dimensions[5].hidden = True
        sheet.column_dimensions["C"].hidden = True
        sheet["B5"] = "=1+1"
        sheet["A4"].comment = Comment("let op", "x")

    document = opened(write(tmp_path, "a.xlsx", workbook(change)))
    assert "geheim" not in document.text
    assert "Natrium" not in document.text
    assert "van de arts" not in document.text
    said = " ".join(document.warnings)
    for words in (
        "sheet Oud",
        "rows of Doses",
        "columns of Doses",
        "1 formulas have no stored value",
        "1 cells have remarks",
    ):
        assert words in said


def test_a_sheet_with_a_cell_at_its_far_corner_is_refused_at_once(tmp_path: Path) -> None:
    def change(book: openpyxl.Workbook) -> None:
        book["Doses"]["XFD1048576"] = "x"

    with pytest.raises(UnreadableDocument, match="rows by 16,384 columns") as error:
        opened(write(tmp_path, "a.xlsx", workbook(change)))
    assert error.value.reason == "too_large"


def test_a_kind_that_only_libreoffice_opens_says_what_to_install(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    place.write("oud.rtf", rb"{\rtf1 Geef 10 mg.}")
    (item,) = place.ingest().items
    assert (item.outcome, item.reason) == ("failed", "unsupported")
    assert "install libreoffice-writer-nogui" in item.message


def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path: Path) -> None:
    for name, content in (
        ("a.docx", b"GIF89a"),
        ("a.xlsx", b"hello"),
        ("a.rtf", b"PK"),
        ("a.pdf", b"<html>"),
        ("a.msg", b"x"),
    ):
        with pytest.raises(UnreadableDocument, match="is not what its name says"):
            media_type(write(tmp_path, name, content), name)
    assert media_type(write(tmp_path, "export.xls", b"<HTML><table>"), "export.xls") == Kind.HTML


def converted(tmp_path: Path, name: str, source: Path) -> bytes:
    assert convert(source, tmp_path / name, 120) == ""
    return (tmp_path / name).read_bytes()


def with_changes(tmp_path: Path, source: Path, suffix: str) -> bytes:
    """As LibreOffice saves it when nobody has accepted the changes."""
    command = [
        office(),
        f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}",
        "--headless",
        "--convert-to",
        suffix[1:],
    ]
    subprocess.run(
        [*map(str, command), "--outdir", str(tmp_path), str(source)], check=True, capture_output=True, timeout=120
    )
    return source.with_suffix(suffix).read_bytes()


@needs_office
@pytest.mark.parametrize("suffix", [".doc", ".odt", ".rtf"])
def test_older_and_other_word_files_are_read_with_changes_accepted(place: Place, tmp_path: Path, suffix: str) -> None:
    source = docx(
        tmp_path / "a.docx", p(r(DUTCH)), p(r("Geef "), deleted("500 mg "), ins(r("250 mg per keer")), r("."))
    )
    content = with_changes(tmp_path, source, suffix)
    assert suffix == ".odt" or b"500" in content or "500".encode("utf-16-le") in content  # the deletion is in the file
    place.write(f"zorg{suffix}", content)
    assert place.ingest().indexed == 1
    document = place.document(f"zorg{suffix}")
    text = place.repo.pages(document.id)[0].text
    assert "250 mg per keer" in text
    assert "500" not in text
    assert document.media_type == SUFFIXES[suffix]
    shown = KeptFiles(place.settings.data_dir).shown(document)
    assert shown is not None
    check_places(ReadDocument(document.metadata, tuple(place.repo.pages(document.id))), shown)
    assert place.ingest().unchanged == 1


A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


@needs_office
def test_a_presentation_is_shown_as_pages_and_what_they_hide_is_named(place: Place) -> None:
    place.write("rea.pptx", presentation())
    assert place.ingest().failed == 0
    document = place.document("rea.pptx")
    words = " ".join(page.text for page in place.repo.pages(document.id))
    assert "Geef adrenaline" in words
    assert "verborgen" not in words
    assert any("1 hidden slides are not read" in warning for warning in document.warnings)
    assert not any("do not show" in warning for warning in document.warnings)
    assert KeptFiles(place.settings.data_dir).shown(document) is not None


def presentation() -> bytes:
    """Two slides, of which one is hidden."""
    p_ = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    r_ = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "application/vnd.openxmlformats-officedocument.presentationml"
    package = "http://schemas.openxmlformats.org/package/2006"
    tree = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'

    def slide(text: str, about: str = "") -> str:
        shape = (
            '<p:sp><p:nvSpPr><p:cNvPr id="2" name="t"/><p:cNvSpPr '
            'txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="914400" y="914400"/>'
        )
        shape += (
            '<a:ext cx="6000000" cy="900000"/></a:xfrm><a:prstGeom '
            'prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/>'
        )
        shape += f'<a:p><a:r><a:rPr lang="nl-BE" sz="2400"/><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>'
        return f"<p:sld {A} {p_} {about}><p:cSld><p:spTree>{tree}{shape}</p:spTree></p:cSld></p:sld>"

    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/ppt/presentation.xml" ContentType="{main}.presentation.main+xml"/>'
        + "".join(f'<Override PartName="/ppt/slides/slide{n}.xml" ContentType="{main}.slide+xml"/>' for n in (1, 2))
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="a" Type="{r_}/officeDocument" Target="ppt/presentation.xml"/></Relationships>',
        "ppt/presentation.xml": f'<p:presentation {A} {p_} xmlns:r="{r_}"><p:sldIdLst><p:sldId id="256" r:id="s1"/><p:sldId id="257" r:id="s2"/>'
        '</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        + "".join(f'<Relationship Id="s{n}" Type="{r_}/slide" Target="slides/slide{n}.xml"/>' for n in (1, 2))
        + "</Relationships>",
        "ppt/slides/slide1.xml": slide("Geef adrenaline bij een hartstilstand van de patiënt."),
        "ppt/slides/slide2.xml": slide("verborgen", 'show="0"'),
    }  # fmt: skip
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


@needs_office
@pytest.mark.parametrize("suffix", [".xls", ".ods"])
def test_older_and_other_sheets_are_read_as_rows(place: Place, tmp_path: Path, suffix: str) -> None:
    place.write(f"doses{suffix}", converted(tmp_path, f"a{suffix}", write(tmp_path, "a.xlsx", workbook())))
    assert place.ingest().indexed == 1
    text = place.repo.pages(place.document(f"doses{suffix}").id)[0].text
    assert "Middel: Kalium; Dosis: 1,125; Maximum: van de arts; Aandeel: 10%; Vanaf: 2026-01-31" in text


def test_an_ingested_text_keeps_the_pdf_that_shows_it(place: Place) -> None:
    place.write("zorg.txt", DUTCH.encode())
    assert place.ingest().indexed == 1
    document = place.document("zorg.txt")
    shown = KeptFiles(place.settings.data_dir).shown(document)
    assert shown is not None
    assert shown.read_bytes().startswith(b"%PDF-")
    check_places(ReadDocument(document.metadata, tuple(place.repo.pages(document.id))), shown)
