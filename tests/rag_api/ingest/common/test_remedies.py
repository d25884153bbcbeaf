"""A failure's message is for people: what is wrong with which file, and what to do."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.job import Job
from rag_api.ingest.common.remedies import ADVICE, advice, plain_message
from rag_api.ingest.readers.read import DOCX, PDF
from rag_api.ingest.sandbox.reader_process import ReaderProcess
from tests.rag_api.made_files.docx_files import docx, p, r


def test_every_reason_has_its_advice() -> None:
    assert set(ADVICE) == set(UnreadableDocument.REASONS)
    assert all(advice(reason).endswith(".") for reason in UnreadableDocument.REASONS)
    assert advice("") == ""


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ("a.pdf: is no PDF that can be opened (Failed to load document (PDFium: Success).)", None),
        ("a.pdf: cannot be opened (KeyError: 'word/document.xml')", "a.pdf: cannot be opened"),
        ("/data/uploads/tmpx1.pdf: is empty", "a.pdf: is empty"),
        ("a.pdf: 31 MB, more than 10", "a.pdf: 31 MB, more than 10"),
        (
            "a.pdf: has no text layer (a scan?), so nothing can be found in it",
            "a.pdf: has no text layer (a scan?), so nothing can be found in it",
        ),
    ],
)
def test_programmers_words_and_temporary_names_are_left_out(message: str, plain: str | None) -> None:
    found = plain_message(message, "/data/uploads/tmpx1.pdf", "a.pdf")
    assert "Success" not in found
    assert "PDFium" not in found
    if plain is not None:
        assert found == plain


def test_a_files_own_name_is_not_taken_for_programmers_words() -> None:
    assert plain_message("b (error).pdf: is empty (Success)", "/x", "b (error).pdf") == "b (error).pdf: is empty"


def test_no_damaged_file_is_told_in_programmers_words(tmp_path: Path) -> None:
    whole = docx(tmp_path / "heel.docx", p(r("Geef 10 mg.")))
    cut = tmp_path / "tmp8f3k.docx"
    cut.write_bytes(whole.read_bytes()[:-300])
    lacking = tmp_path / "tmp9f3k.docx"
    with zipfile.ZipFile(lacking, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    bad = tmp_path / "tmp7f3k.pdf"
    bad.write_bytes(b"%PDF-1.4 nothing more")
    with ReaderProcess(30, 1024) as reader:
        for path, kind in ((cut, DOCX), (lacking, DOCX), (bad, PDF)):
            with pytest.raises(UnreadableDocument) as error:
                reader.read(Job(path, "protocol", kind, 10))
            said = error.value.message
            assert said.startswith("protocol: ")
            assert not any(word in said for word in ("Error", "Success", "PDFium", "tmp", "Exception")), said
