"""What no reader of the page can see is no text, however it was hidden; what every reader sees is, however it was drawn."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rag_api.ingest.read import read

from .awkward import hidden_docx, hidden_ink, layers, letters, notes_on_page, sly_ink, structure, visible_ink
from .awkward.between import AROUND, SEEN, Draw, drawn

_KINDS = {"pdf": "application/pdf", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document"}
_HIDDEN: dict[str, Callable[[], bytes]] = {**layers.HIDDEN, **notes_on_page.HIDDEN, **letters.HIDDEN, **structure.HIDDEN}
_VISIBLE: dict[str, Callable[[], bytes]] = {**layers.VISIBLE, **notes_on_page.VISIBLE, **letters.VISIBLE, **structure.VISIBLE}
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


def _read(folder: Path, data: bytes, kind: str = "pdf") -> tuple[str, tuple[str, ...]]:
    path = folder / f"tried.{kind}"
    path.write_bytes(data)
    document = read(path, path.name, _KINDS[kind], max_pages=10)
    return " ".join(document.text.split()), document.warnings
