"""Stored text is what the page shows: where the file says otherwise, nothing of it is quoted, and
it is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import ReadDocument
from tests.rag_api.awkward.hidden.lying import INSTEAD_OF, LYING, TRUE, same_instead
from tests.rag_api.awkward.hidden.sly_over import COVERED, OPEN
from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.margins.beside_text import (
    every_line_numbered,
    line_numbers,
    stacked_fraction,
    weights,
    whole_and_fraction,
)
from tests.rag_api.awkward.margins.raised import note_marks
from tests.rag_api.awkward.shown.between import AROUND, INSTEAD, SEEN, drawn, write
from tests.rag_api.awkward.tables.roster import roster
from tests.rag_api.awkward.tables.weight_cards import weight_cards
from tests.rag_api.ingest.readers.test_read_pdf import read_bytes, turned


def certain(document: ReadDocument) -> str:
    """What may be quoted of it."""
    text, last = "", 0
    for start, end in document.uncertain:
        text, last = text + document.text[last:start], end
    return text + document.text[last:]


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("way", LYING)
def test_a_dose_whose_letters_are_others_than_its_font_says_is_never_quoted_and_is_named(
    way: str, rotation: int, tmp_path: Path
) -> None:
    document = read_bytes(tmp_path, turned(LYING[way](), rotation))
    assert "morfi" in document.text.replace(AROUND[0], "") or way == "its words"
    assert "900" not in certain(document)
    assert all(sentence in certain(document) for sentence in AROUND)
    assert any("letters show others than their fonts say" in warning for warning in document.warnings)


@pytest.mark.parametrize("face", TRUE)
def test_letters_that_are_what_their_font_says_are_not_doubted(face: str, tmp_path: Path) -> None:
    document = read_bytes(tmp_path, TRUE[face]())
    assert (document.uncertain, document.warnings) == ((), ())


@pytest.mark.parametrize("way", INSTEAD_OF)
def test_what_a_file_says_instead_of_its_letters_is_not_read_where_the_page_shows_others(
    way: str, tmp_path: Path
) -> None:
    document = read_bytes(tmp_path, INSTEAD_OF[way]())
    assert ("900" in document.text, INSTEAD in document.text) == (False, True)
    assert any("(ActualText)" in warning for warning in document.warnings)


def test_what_a_file_says_instead_of_its_letters_costs_nothing_where_it_says_the_same(tmp_path: Path) -> None:
    document = read_bytes(tmp_path, same_instead())
    assert (INSTEAD in document.text, document.warnings) == (True, ())


@pytest.mark.parametrize("way", [*COVERED, "large letters over it", "its lower half covered"])
def test_a_dose_under_later_letters_is_left_out_and_said(way: str, tmp_path: Path) -> None:
    document = read_bytes(tmp_path, drawn({**COVERED, **OPEN}[way]))
    assert "900" not in document.text
    assert all(sentence in document.text for sentence in AROUND)
    assert any("cannot be seen" in warning for warning in document.warnings)


def test_words_that_nobody_sees_over_a_picture_are_never_quoted_and_are_named(tmp_path: Path) -> None:
    document = read_bytes(tmp_path, drawn(OPEN["mode 3 on a photo"]))
    assert ("900" in certain(document), all(sentence in certain(document) for sentence in AROUND)) == (False, True)
    assert any("invisible words over a picture" in warning for warning in document.warnings)


def test_a_slanted_sentence_is_among_what_was_cut(tmp_path: Path) -> None:
    def slanted(canvas: Canvas) -> None:
        canvas.translate(100, 560)
        canvas.rotate(30)
        write(canvas, SEEN, x=0, y=0)

    document = read_bytes(tmp_path, drawn(slanted))
    assert [(line.page, line.text, line.reason) for line in document.cut] == [(1, SEEN, "slanted")]


@pytest.mark.parametrize("make", [line_numbers, every_line_numbered])
def test_numbers_of_lines_are_cut_and_named(make: Callable[[], Made], tmp_path: Path) -> None:
    made = make()
    document = read_bytes(tmp_path, made.data)
    assert [line for line in document.text.split("\n") if line] == list(made.flows[0])
    assert [(line.text, line.reason) for line in document.cut] == [(number, "line_number") for number in made.furniture]


def test_weights_before_doses_are_no_line_numbers(tmp_path: Path) -> None:
    document = read_bytes(tmp_path, weights().data)
    assert document.cut == ()
    assert "5\t0,15 mg adrenaline" in document.text.replace(" 0,", "\t0,")


@pytest.mark.parametrize("order", ["abr", "arb", "bar"])
def test_figures_above_each_other_are_a_fraction_of_their_line(order: str, tmp_path: Path) -> None:
    assert (
        "Geef ten 3 1/2 tablet en niet meer dan 4 per dag." in read_bytes(tmp_path, whole_and_fraction(order).data).text
    )


def test_a_fraction_is_no_line_end(tmp_path: Path) -> None:
    assert "Geef per keer 1/2 tablet en niet meer dan 4 per dag." in read_bytes(tmp_path, stacked_fraction().data).text


def test_rows_of_a_table_without_rules_and_lines_of_a_card_have_lines_of_their_own(tmp_path: Path) -> None:
    text = read_bytes(tmp_path, roster().data).text.split("\n")
    assert [line.split("\t")[0] for line in text if "\tsein" in line] == ["Dag", "Avond", "Nacht", "Achterwacht"]
    assert (
        "Adrenaline iv 0,05 mg\nDefibrillatie 20 J\nAmiodaron 25 mg\n" in read_bytes(tmp_path, weight_cards().data).text
    )


def test_a_raised_mark_of_a_note_is_no_figure_of_the_dose(tmp_path: Path) -> None:
    text = read_bytes(tmp_path, note_marks().data).text
    assert "Geef ten hoogste 3¹ gram per dag." in text
    assert "Staak bij een klaring onder 30 ml/min² de behandeling." in text
