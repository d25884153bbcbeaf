"""No word of a DOCX is lost, and none is read that is not seen: without LibreOffice, and with
it."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest

from rag_api.domain import ReadDocument
from rag_api.errors import UnreadableDocument
from rag_api.ingest.readers.read import DOCX, media_type, read
from rag_api.ingest.readers.rendering_losses import lost_words
from rag_api.ingest.sandbox.office import convert, office
from tests.rag_api.made_files.docx_files import box, deleted, docx, ins, p, r, sdt, table, tc, tr

needs_office = pytest.mark.skipif(office() is None, reason="LibreOffice is not installed")
INTRO = p(
    r("De verpleegkundige controleert de insteekplaats van de katheter elke dag en noteert roodheid in het dossier.")
)


def opened(path: Path) -> ReadDocument:
    return read(path, path.name, media_type(path, path.name), 50)


def lines(path: Path) -> list[str]:
    return [line for line in opened(path).text.split("\n") if line]


def test_tracked_insertions_are_read_and_deletions_are_not(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", p(r("Geef "), deleted("500 mg "), ins(r("250 mg per keer.")), r(" Herhaal niet.")))
    assert lines(path) == ["Geef 250 mg per keer. Herhaal niet."]
    (warning,) = opened(path).warnings
    assert "tracked changes, read as accepted" in warning
    assert "“500 mg”" in warning


def test_a_deleted_row_and_what_was_moved_away_are_not_read(tmp_path: Path) -> None:
    gone = tr(tc("oud"), tc("100 mg"), about='<w:del w:id="3"/>')
    moved = '<w:moveFrom w:id="4"><w:r><w:t>Verplaatst.</w:t></w:r></w:moveFrom>'
    arrived = '<w:moveTo w:id="5"><w:r><w:t>Verplaatst.</w:t></w:r></w:moveTo>'
    path = docx(tmp_path / "a.docx", p(moved, r("Eerst.")), table(tr(tc("nieuw"), tc("50 mg")), gone), p(arrived))
    assert lines(path) == ["Eerst.", "nieuw\t50 mg", "Verplaatst."]


def test_content_controls_are_read_wherever_they_stand(tmp_path: Path) -> None:
    rows = table(sdt(tr(tc("Dosis"), sdt(tc("10 mg")))), tr(tc(sdt(p(r("Maximum")))), tc(p(sdt(r("40 mg"))))))
    path = docx(tmp_path / "a.docx", sdt(p(r("Blok."))), p(r("Geef "), sdt(r("traag")), r(".")), rows)
    assert lines(path) == ["Blok.", "Geef traag.", "Dosis\t10 mg", "Maximum\t40 mg"]


def test_a_text_box_is_read_once_after_the_paragraph_that_holds_it(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", p(r("Vincristine."), box(p(r("nooit intrathecaal toedienen")))), p(r("Daarna.")))
    assert lines(path) == ["Vincristine.", "nooit intrathecaal toedienen", "Daarna."]


def test_notes_stand_below_what_refers_to_them(tmp_path: Path) -> None:
    notes = (
        f'<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote '
        f'w:id="1">{p(r("Niet bij nierfalen."))}</w:footnote>'
    )
    ends = f'<w:endnote w:id="1">{p(r("Bron: apotheek."))}</w:endnote>'
    mark = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:{}Reference w:id="1"/></w:r>'
    path = docx(
        tmp_path / "a.docx",
        p(r("Geef 10 mg"), mark.format("footnote"), r(" per dag.")),
        table(tr(tc("Maximum"), tc(p(r("40 mg"), mark.format("endnote"))))),
        parts={"footnotes": notes, "endnotes": ends},
    )
    assert lines(path) == [
        "Geef 10 mg [1] per dag.",
        "[1] Niet bij nierfalen.",
        "Maximum\t40 mg [2]",
        "[2] Bron: apotheek.",
    ]


NUMBERING = """
<w:abstractNum w:abstractNumId="0">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
  <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="1">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1)"/></w:lvl>
  <w:lvl w:ilvl="1"><w:start w:val="3"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="(%2)"/></w:lvl>
  <w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/></w:lvl>
</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
"""


def item(text: str, number: int, level: int = 0) -> str:
    return p(r(text), about=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def test_list_numbers_are_counted_as_word_counts_them(tmp_path: Path) -> None:
    blocks = [
        item("a", 1),
        item("b", 1),
        item("c", 1, 1),
        item("d", 1, 1),
        item("e", 1),
        item("f", 1, 1),
        item("g", 3),
        item("h", 1),
    ]
    path = docx(tmp_path / "a.docx", *blocks, item("i", 2), item("j", 2, 1), item("k", 2, 1), item("l", 2, 2), item("m", 2), parts={"numbering": NUMBERING})  # fmt: skip  # noqa: E501
    assert lines(path) == [
        "1. a",
        "2. b",
        "2.1 c",
        "2.2 d",
        "3. e",
        "3.1 f",
        "1. g",
        "2. h",
        "a) i",
        "(III) j",
        "(IV) k",
        "• l",
        "b) m",
    ]


def test_a_style_can_bring_the_number(tmp_path: Path) -> None:
    styles = (
        '<w:style w:type="paragraph" w:styleId="Kop1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId '
        'w:val="1"/></w:numPr></w:pPr>'
    )
    styles += (
        '</w:style><w:style w:type="paragraph" w:styleId="Eigen"><w:name w:val="Eigen"/><w:basedOn '
        'w:val="Kop1"/></w:style>'
    )
    path = docx(
        tmp_path / "a.docx",
        p(r("Doel"), style="Kop1"),
        p(r("Dosis"), style="Eigen"),
        parts={"styles": styles, "numbering": NUMBERING},
    )
    assert lines(path) == ["1. Doel", "2. Dosis"]


@pytest.mark.parametrize(
    ("base", "power", "said"),
    [("10", "3", "10³"), ("m", "-2", "m⁻²"), ("10", "3,5", "10^3,5"), ("1", "ste", "1ste"), ("Na", "+", "Na⁺")],
)
def test_raised_figures_stay_raised(tmp_path: Path, base: str, power: str, said: str) -> None:
    runs = r(base), r(power, '<w:vertAlign w:val="superscript"/>')
    assert lines(docx(tmp_path / "a.docx", p(r("Tot "), *runs, r(" per uur")))) == [f"Tot {said} per uur"]


def test_formulas_symbols_and_ticked_boxes_are_read(tmp_path: Path) -> None:
    def m(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    clearance = f"<m:oMath><m:f><m:num>{m('(140−leeftijd)×gewicht')}</m:num><m:den>{m('72')}</m:den></m:f></m:oMath>"
    power = f"<m:oMath><m:sSup><m:e>{m('10')}</m:e><m:sup>{m('9')}</m:sup></m:sSup></m:oMath>"
    at_least = '<w:r><w:sym w:font="Symbol" w:char="F0B3"/></w:r>'
    wrong = '<w:r><w:sym w:font="Wingdings" w:char="F0FB"/></w:r>'
    ticked = (
        "<w:r><w:fldChar "
        'w:fldCharType="begin"><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r>'
    )
    ticked += '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    path = docx(
        tmp_path / "a.docx",
        p(r("GFR = "), clearance),
        p(at_least, r(" 5 × "), power),
        p(wrong, r(" samen")),
        p(ticked, r(" allergie")),
    )
    assert lines(path) == ["GFR = ((140−leeftijd)×gewicht) / 72", "≥ 5 × 10⁹", "✗ samen", "☒ allergie"]


WHITE = '<w:color w:val="FFFFFF" w:themeColor="background1"/>'


@pytest.mark.parametrize("about", ["<w:vanish/>", WHITE, '<w:sz w:val="2"/>', '<w:rStyle w:val="Weg"/>'])
def test_what_nobody_sees_is_not_read_and_named(tmp_path: Path, about: str) -> None:
    styles = '<w:style w:type="character" w:styleId="Weg"><w:name w:val="Weg"/><w:rPr><w:vanish/></w:rPr></w:style>'
    path = docx(tmp_path / "a.docx", p(r("Geef 10 mg"), r(" of 100 mg", about), r(".")), parts={"styles": styles})
    assert lines(path) == ["Geef 10 mg."]
    assert opened(path).warnings == ("hidden words are not read; show or remove them in Word: “of 100 mg”",)


def test_white_on_a_colour_is_seen(tmp_path: Path) -> None:
    fill = '<w:shd w:val="clear" w:fill="1F3864"/>'
    path = docx(tmp_path / "a.docx", table(tr(tc(p(r("Kop", WHITE)), fill), tc("10 mg"))), p(r("Let op", WHITE), about=fill), p(r("rust", '<w:vanish w:val="0"/>')))  # fmt: skip  # noqa: E501
    assert lines(path) == ["Kop\t10 mg", "Let op", "rust"]


def test_a_cell_over_several_rows_is_said_in_each_and_an_empty_one_keeps_its_column(tmp_path: Path) -> None:
    begins, goes_on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    head = tr(tc("Groep"), tc("Gewicht"), tc("Dosis"), tc("Maximum"))
    first = tr(tc("kinderen", begins), tc("tot 10 kg"), tc("7,5 mg/kg"), tc("30 mg/kg"))
    path = docx(tmp_path / "a.docx", table(head, first, tr(tc(p(), goes_on), tc("tot 50 kg"), tc(p()), tc("60 mg/kg"))))
    assert lines(path)[1:] == ["kinderen\ttot 10 kg\t7,5 mg/kg\t30 mg/kg", "kinderen\ttot 50 kg\t–\t60 mg/kg"]


def test_headers_footers_comments_and_objects_are_named(tmp_path: Path) -> None:
    section = '<w:headerReference w:type="default" r:id="header1"/><w:footerReference w:type="default" r:id="footer1"/>'
    parts = {"header1": p(r("NIET VOOR NEONATEN")), "footer1": p(r("Versie 2.0")), "comments": ""}
    remark = '<w:r><w:commentReference w:id="1"/></w:r>'
    document = opened(
        docx(tmp_path / "a.docx", INTRO, p(r("Zie"), remark), "<w:altChunk/>", parts=parts, section=section)
    )
    assert "NEONATEN" not in document.text
    said = "\n".join(document.warnings)
    assert "“NIET VOOR NEONATEN / Versie 2.0”" in said
    assert "1 comments are not read" in said
    assert "1 embedded objects" in said
    assert document.metadata.version == "2.0"


def test_text_where_none_should_stand_is_no_silent_loss(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument, match="6 characters stand where no text should") as error:
        opened(docx(tmp_path / "a.docx", INTRO, "<w:p><w:pPr><w:t>verlor</w:t></w:pPr></w:p>"))
    assert error.value.reason == "broken"


def bomb(path: Path, text: bytes) -> Path:
    docx(path, INTRO)
    with zipfile.ZipFile(path) as old:
        kept = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for name, content in kept.items():
            new.writestr(name, text if name == "word/document.xml" else content)
    return path


def deep(levels: int) -> bytes:
    names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    inner = "<w:sdt><w:sdtContent>" * levels + "<w:p/>" + "</w:sdtContent></w:sdt>" * levels
    return f"<w:document {names}><w:body>{inner}</w:body></w:document>".encode()


def test_what_would_take_all_time_or_memory_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked, read = [0], zipfile.ZipExtFile.read

    def counted(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        data = read(self, n)
        unpacked[0] += len(data)
        return data

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    goes_on = tr(tc("a", "<w:vMerge/>"), tc("b"))
    files = {
        "merged cells": docx(tmp_path / "a.docx", table(*[goes_on] * 20_000)),
        "over 100,000,000 columns": docx(tmp_path / "b.docx", table(tr(tc("a", '<w:gridSpan w:val="100000000"/>')))),
        "100 MB of text and markup": bomb(tmp_path / "c.docx", b" " * (100 << 20)),
        "unpacks to 1100 MB": bomb(tmp_path / "d.docx", b" " * (1100 << 20)),
        "deep in each other": bomb(tmp_path / "e.docx", deep(120)),
        "is damaged: it cannot be opened": bomb(tmp_path / "f.docx", deep(2000)),  # deeper than the XML library goes
    }
    for said, path in files.items():
        unpacked[0] = 0
        with pytest.raises(UnreadableDocument, match=said) as error:
            opened(path)
        assert error.value.reason in ("too_large", "broken")
        assert unpacked[0] < 10 << 20, path


def test_external_entities_are_not_opened(tmp_path: Path) -> None:
    secret = tmp_path / "geheim.txt"
    secret.write_text("wachtwoord")
    names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    text = (
        f'<!DOCTYPE d [<!ENTITY x SYSTEM "{secret.as_uri()}">]><w:document {names}><w:body><w:p><w:r><w:t>Geef &x; '
        f"rust.</w:t></w:r></w:p>"
    )
    path = bomb(tmp_path / "a.docx", f"{text}</w:body></w:document>".encode())
    assert "wachtwoord" not in opened(path).text


def test_lost_words_are_those_that_no_page_shows() -> None:
    shown = "Geef 7,5 mg/kg bij kinde-\nren tot 10 kg.\nNiet bij koorts"
    assert lost_words("Geef 7,5 mg/kg bij kinderen tot 10 kg. [1] Niet bij nierfalen of koorts", shown) == (
        "nierfalen",
        "of",
    )


@needs_office
def test_a_rendering_has_changes_accepted_and_every_word(tmp_path: Path) -> None:
    notes = f'<w:footnote w:id="1">{p(r("Niet bij nierfalen."))}</w:footnote>'
    mark = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    blocks = [
        p(r("Geef "), deleted("500 mg "), ins(r("250 mg per keer")), r("."), mark),
        p(r("Vincristine."), box(p(r("nooit intrathecaal toedienen")))),
        p(r("Zichtbaar"), r(" onzichtbaar", "<w:vanish/>"), r(" wit", WHITE)),
        sdt(p(r("Blok van een formulier."))),
        table(tr(tc("Dosis"), tc("10 mg")), tr(tc("oud"), tc("100 mg"), about='<w:del w:id="3"/>')),
        item("eerst", 1),
        item("dan", 1),
    ]
    path = docx(tmp_path / "a.docx", INTRO, *blocks, parts={"footnotes": notes, "numbering": NUMBERING})
    assert convert(path, tmp_path / "a.pdf", 120) == ""
    document = read(path, "a.docx", DOCX, 10, tmp_path / "a.pdf")
    said = document.text
    for words in (
        "250 mg per keer",
        "nooit intrathecaal toedienen",
        "nierfalen",
        "Blok van een formulier.",
        "Dosis\t10 mg",
        "2. dan",
    ):
        assert words in said
    for words in ("500", "onzichtbaar", "wit", "oud", "100 mg"):
        assert words not in said
    assert not any("do not show" in warning for warning in document.warnings)


@needs_office
def test_words_that_a_rendering_leaves_out_are_named(tmp_path: Path) -> None:
    shown = docx(tmp_path / "b.docx", INTRO)
    assert convert(shown, tmp_path / "b.pdf", 120) == ""
    path = docx(tmp_path / "a.docx", INTRO, p(r("Nooit intrathecaal.")))
    document = read(path, "a.docx", DOCX, 10, tmp_path / "b.pdf")
    assert document.warnings == (
        "words of the file that its pages do not show are not read; save it as PDF and check: Nooit intrathecaal",
    )


PROBE = """#!{python}
import pathlib, socket
def tried(what):
    try:
        what()
    except OSError as error:
        return type(error).__name__
    return "done"
secret = pathlib.Path({secret!r})
said = [tried(socket.socket), tried(secret.read_text), tried(lambda: secret.with_name("neu").write_text("x")), str(pathlib.Path.home())]
pathlib.Path("document.pdf").write_text(" ".join(said))
"""


def test_an_office_reaches_neither_the_network_nor_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file could make it do, a program in its place tries."""
    secret = tmp_path / "elders" / "geheim.txt"
    secret.parent.mkdir()
    secret.write_text("geheim")
    program = tmp_path / "bin" / "soffice"
    program.parent.mkdir()
    program.write_text(PROBE.format(python=sys.executable, secret=str(secret)))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    assert convert(docx(tmp_path / "a.docx", INTRO), tmp_path / "a.pdf", 60) == ""
    network, reading, writing, home = (tmp_path / "a.pdf").read_text().split()
    assert network == "PermissionError"
    assert reading == writing == "PermissionError"
    assert home.startswith(str(tmp_path))
