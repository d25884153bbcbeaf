"""What is stored is what the page shows: where the file says otherwise, nothing of it is quoted, and it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.domain import ReadDocument
from tests.rag_api.awkward.between import AROUND
from tests.rag_api.awkward.lying import LYING, TRUE
from tests.rag_api.test_read_pdf import read_bytes, turned


def certain(document: ReadDocument) -> str:
    """What may be quoted of it."""
    text, last = "", 0
    for start, end in document.uncertain:
        text, last = text + document.text[last:start], end
    return text + document.text[last:]


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("way", LYING)
def test_a_dose_whose_letters_are_others_than_its_font_says_is_never_quoted_and_is_named(way: str, rotation: int, tmp_path: Path) -> None:
    document = read_bytes(tmp_path, turned(LYING[way](), rotation))
    assert "morfi" in document.text.replace(AROUND[0], "") or way == "its words"
    assert "900" not in certain(document)
    assert all(sentence in certain(document) for sentence in AROUND)
    assert any("letters show others than their fonts say" in warning for warning in document.warnings)


@pytest.mark.parametrize("face", TRUE)
def test_letters_that_are_what_their_font_says_are_not_doubted(face: str, tmp_path: Path) -> None:
    document = read_bytes(tmp_path, TRUE[face]())
    assert (document.uncertain, document.warnings) == ((), ())
