"""Text that no reader of the page can see is none, however it was hidden; what every reader sees
is, however it was drawn."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.job import Job
from rag_api.ingest.common.remedies import advice
from rag_api.ingest.readers.read import read
from rag_api.ingest.sandbox.office import office
from rag_api.ingest.sandbox.reader_process import ReaderProcess
from rag_api.ingest.sandbox.rendering import read_rendered
from tests.rag_api.awkward.hidden import hidden_docx, hidden_ink, letters, sly_docx, sly_ink
from tests.rag_api.awkward.shown import layers, notes_on_page, structure, visible_ink
from tests.rag_api.awkward.shown.between import AROUND, SEEN, Draw, drawn

needs_office = pytest.mark.skipif(office() is None, reason="LibreOffice is not installed")
_KINDS = {"pdf": "application/pdf", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document"}
_HIDDEN: dict[str, Callable[[], bytes]] = {
    **layers.HIDDEN,
    **notes_on_page.HIDDEN,
    **letters.HIDDEN,
    **structure.HIDDEN,
}
_VISIBLE: dict[str, Callable[[], bytes]] = {
    **layers.VISIBLE,
    **notes_on_page.VISIBLE,
    **letters.VISIBLE,
    **structure.VISIBLE,
}
_HIDDEN_INK: dict[str, Draw] = {**hidden_ink.WAYS, **sly_ink.WAYS}


@pytest.mark.parametrize("way", _HIDDEN_INK)
def test_a_dose_that_ink_hides_is_left_out_and_said(way: str, tmp_path: Path) -> None:
    text, warnings = _read(tmp_path, drawn(_HIDDEN_INK[way]))
    assert "900" not in text
    assert all(sentence in text for sentence in AROUND)
    assert any("cannot be seen" in warning for warning in warnings)


@pytest.mark.parametrize("way", _HIDDEN)
def test_a_dose_that_the_files_structure_hides_is_left_out(way: str, tmp_path: Path) -> None:
    text, _ = _read(tmp_path, _HIDDEN[way]())
    assert "900" not in text
    assert all(sentence in text for sentence in AROUND)


@pytest.mark.parametrize("way", visible_ink.WAYS)
def test_a_sentence_drawn_in_an_odd_way_is_read_once(way: str, tmp_path: Path) -> None:
    text, _ = _read(tmp_path, drawn(visible_ink.WAYS[way]))
    assert [text.count(sentence) for sentence in (*AROUND, SEEN)] == [1, 1, 1]


@pytest.mark.parametrize("way", _VISIBLE)
def test_a_sentence_shown_by_the_files_structure_is_read_once(way: str, tmp_path: Path) -> None:
    text, _ = _read(tmp_path, _VISIBLE[way]())
    assert [text.count(sentence) for sentence in (*AROUND, SEEN)] == [1, 1, 1]


@pytest.mark.parametrize("way", hidden_docx.WAYS)
def test_a_dose_that_word_does_not_print_is_left_out(way: str, tmp_path: Path) -> None:
    text, _ = _read(tmp_path, hidden_docx.between_sentences([hidden_docx.WAYS[way]]), "docx")
    assert "900" not in text
    assert all(sentence in text for sentence in AROUND)


@pytest.mark.parametrize("way", sly_docx.WAYS)
def test_a_dose_that_word_hides_is_left_out_and_named(way: str, tmp_path: Path) -> None:
    text, warnings = _read(tmp_path, sly_docx.between_sentences([sly_docx.WAYS[way]]), "docx")
    assert "900" not in text
    assert any("900" in warning for warning in warnings)
    assert all(sentence in text for sentence in AROUND)


@pytest.mark.parametrize("styles", sly_docx.HIDDEN_BY_DEFAULT)
def test_a_dose_that_words_defaults_hide_is_left_out_and_named(styles: str, tmp_path: Path) -> None:
    text, warnings = _read(tmp_path, sly_docx.hidden_by_default(styles), "docx")
    assert "900" not in text
    assert any("900" in warning for warning in warnings)
    assert all(sentence in text for sentence in AROUND)


@pytest.mark.parametrize("way", sly_docx.COVERING)
def test_a_file_of_which_only_pages_tell_what_is_seen_is_refused_without_them(way: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        _read(tmp_path, sly_docx.between_sentences([sly_docx.COVERING[way]]), "docx")
    assert refused.value.reason == "only_rendered"


@pytest.mark.parametrize("way", sly_docx.VISIBLE)
def test_a_sentence_that_word_shows_is_read_once(way: str, tmp_path: Path) -> None:
    text, _ = _read(tmp_path, sly_docx.between_sentences([sly_docx.VISIBLE[way]]), "docx")
    assert [text.count(sentence) for sentence in (*AROUND, SEEN)] == [1, 1, 1]


def test_a_dose_that_word_does_not_print_is_left_out_of_its_rendering(tmp_path: Path) -> None:
    text = _rendered(tmp_path, hidden_docx.between_sentences(hidden_docx.WAYS.values()))
    assert "900" not in text
    assert all(sentence in text for sentence in AROUND)


@needs_office
def test_what_word_hides_is_left_out_of_its_rendering_and_what_it_shows_stays(tmp_path: Path) -> None:
    # which the next box covers here
    shown = {way: xml for way, xml in sly_docx.VISIBLE.items() if "before the text" not in way}
    text = _rendered(tmp_path, sly_docx.between_sentences([*sly_docx.WAYS.values(), *shown.values()]))
    assert "900" not in "".join(text.split())
    assert text.count(SEEN) == len(shown)
    assert all(sentence in text for sentence in AROUND)


def test_a_file_that_needs_pages_is_read_where_libreoffice_makes_them_and_refused_where_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = sly_docx.COVERING["covered by a shape"]
    if office() is not None:
        text = _rendered(tmp_path, sly_docx.between_sentences([shape]))
        assert (AROUND[0] in text, "900" in text) == (True, False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UnreadableDocument) as refused:
        _rendered(tmp_path, sly_docx.between_sentences([shape]))
    assert refused.value.reason == "only_rendered"
    assert "LibreOffice" in advice(refused.value.reason)


def _rendered(folder: Path, data: bytes) -> str:
    path = folder / "all.docx"
    path.write_bytes(data)
    with ReaderProcess(300, 1024) as reader:
        document = read_rendered(reader, Job(path, path.name, _KINDS["docx"], 10), folder / "all.pdf")
    return " ".join(document.text.split())


def _read(folder: Path, data: bytes, kind: str = "pdf") -> tuple[str, tuple[str, ...]]:
    path = folder / f"tried.{kind}"
    path.write_bytes(data)
    document = read(path, path.name, _KINDS[kind], max_pages=10)
    return " ".join(document.text.split()), document.warnings
