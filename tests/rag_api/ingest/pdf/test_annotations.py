"""Annotations that are laid on a page are read where they stand: form fields, notes, stamps,
signatures."""

from __future__ import annotations

import io
from pathlib import Path

import pypdf
import pytest
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    TextStringObject,
)
from reportlab.pdfgen.canvas import Canvas

from rag_api.errors import UnreadableDocument
from tests.rag_api.ingest.readers.test_read_pdf import box_of, read_bytes, turned
from tests.rag_api.made_files.pdfs import both, lines, pdf

BEHIND = "Bel bij twijfel de arts van wacht."


def form(canvas: Canvas) -> None:
    lines("Dosis per dag:", y=700)(canvas)
    canvas.acroForm.textfield(name="dosis", value="15 mg/kg", x=160, y=694, width=120, height=20, fontSize=11)
    lines(BEHIND, y=600)(canvas)


def without_appearances(content: bytes) -> bytes:
    """As many programs leave a form that they filled: the viewer makes the appearances."""
    writer = pypdf.PdfWriter(io.BytesIO(content))
    for annotation in writer.pages[0]["/Annots"]:  # type: ignore[attr-defined]
        annotation.get_object().pop("/AP", None)
    writer.root_object["/AcroForm"].get_object()[NameObject("/NeedAppearances")] = BooleanObject(True)  # type: ignore[index]
    return written(writer)


def written(writer: pypdf.PdfWriter) -> bytes:
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def annotated(
    subtype: str, words: str, appearance: bool, rect: tuple[float, ...] = (60, 640, 300, 660), flags: int = 4
) -> bytes:
    """A page with an annotation above its last line."""
    writer = pypdf.PdfWriter(io.BytesIO(pdf(both(lines("Werkwijze pomp", y=700), lines(BEHIND, y=600)))))
    annotation = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject(subtype),
            NameObject("/Rect"): ArrayObject(map(FloatObject, rect)),
            NameObject("/Contents"): TextStringObject(words),
            NameObject("/F"): NumberObject(flags),
        }
    )
    if appearance:
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 11 Tf 2 5 Td ({words}) Tj ET".encode())
        font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
        fonts = DictionaryObject(
            {NameObject("/F1"): DictionaryObject({NameObject(k): NameObject(v) for k, v in font.items()})}
        )
        stream.update(
            {
                NameObject("/Type"): NameObject("/XObject"),
                NameObject("/Subtype"): NameObject("/Form"),
                NameObject("/BBox"): ArrayObject(map(FloatObject, (0, 0, rect[2] - rect[0], rect[3] - rect[1]))),
                NameObject("/Resources"): DictionaryObject({NameObject("/Font"): fonts}),
            }
        )
        annotation[NameObject("/AP")] = DictionaryObject({NameObject("/N"): writer._add_object(stream)})
    writer.pages[0][NameObject("/Annots")] = ArrayObject([writer._add_object(annotation)])
    return written(writer)


@pytest.mark.parametrize("appearances", [True, False])
@pytest.mark.parametrize("rotation", [0, 90])
def test_a_filled_field_is_read_beside_its_label(appearances: bool, rotation: int, tmp_path: Path) -> None:
    content = pdf(form) if appearances else without_appearances(pdf(form))
    document = read_bytes(tmp_path, turned(content, rotation))
    assert " ".join(document.text.split()) == f"Dosis per dag: 15 mg/kg {BEHIND}"
    if rotation == 0:
        x0, y0, x1, y1 = box_of(document.pages[0], "15 mg/kg")
        assert 155 < x0 < x1 < 285
        assert 842 - 716 < y0 < y1 < 842 - 692


@pytest.mark.parametrize("subtype", ["/FreeText", "/Stamp", "/Widget"])
def test_words_of_an_annotation_that_shows_them_stand_where_it_stands(subtype: str, tmp_path: Path) -> None:
    document = read_bytes(tmp_path, annotated(subtype, "Sinds mei enkel 5 mg", appearance=True))
    assert document.text.split("\n\n") == ["Werkwijze pomp", "Sinds mei enkel 5 mg", f"{BEHIND}\n"]
    assert box_of(document.pages[0], "Sinds mei")[0] == pytest.approx(62, abs=2)


def test_a_note_without_an_appearance_is_read(tmp_path: Path) -> None:
    document = read_bytes(tmp_path, annotated("/FreeText", "Sinds mei enkel 5 mg", appearance=False))
    assert "Sinds mei enkel 5 mg" in document.text.split("\n")
    x0, y0, x1, y1 = box_of(document.pages[0], "Sinds mei enkel 5 mg")
    assert 59 < x0 < x1 < 301
    assert 842 - 662 < y0 < y1 < 842 - 638


@pytest.mark.parametrize(
    ("subtype", "flags"), [("/FreeText", 4 | 2), ("/FreeText", 4 | 32), ("/Text", 4), ("/Popup", 4)]
)
def test_annotations_that_show_no_words_are_not_read(subtype: str, flags: int, tmp_path: Path) -> None:
    """Hidden, not for the screen, a note to be opened, its window."""
    for appearance in (True, False) if flags != 4 else (False,):
        assert (
            "Sinds mei"
            not in read_bytes(tmp_path, annotated(subtype, "Sinds mei enkel 5 mg", appearance, flags=flags)).text
        )


def test_words_below_an_opaque_annotation_are_not_read(tmp_path: Path) -> None:
    content = annotated("/Square", "", appearance=True, rect=(50, 590, 400, 620))
    writer = pypdf.PdfWriter(io.BytesIO(content))
    stream = writer.pages[0]["/Annots"][0].get_object()["/AP"]["/N"]  # type: ignore[index]
    stream.set_data(b"1 1 1 rg 0 0 350 30 re f")
    document = read_bytes(tmp_path, written(writer))
    assert document.text == "Werkwijze pomp\n"
    assert "cannot be seen" in document.warnings[0]


def test_a_form_that_only_adobe_shows_is_named_with_what_to_do(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter(io.BytesIO(pdf(lines("Please wait...", "If this message is not eventually replaced"))))
    template = DecodedStreamObject()
    template.set_data(b'<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template/></xdp:xdp>')
    fields = DictionaryObject({NameObject("/Fields"): ArrayObject(), NameObject("/XFA"): writer._add_object(template)})
    writer.root_object[NameObject("/AcroForm")] = writer._add_object(fields)
    writer.root_object[NameObject("/NeedsRendering")] = BooleanObject(True)
    with pytest.raises(UnreadableDocument, match="print it to a PDF and load that") as error:
        read_bytes(tmp_path, written(writer))
    assert error.value.reason == "xfa_form"


def test_a_document_of_which_all_words_lie_off_its_pages_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument, match="cannot be seen") as error:
        read_bytes(tmp_path, turned(pdf(lines(BEHIND)), 0, crop=(0, 0, 3, 3)))
    assert error.value.reason == "no_text_layer"
