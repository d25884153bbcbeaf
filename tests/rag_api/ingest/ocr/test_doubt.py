"""Letters of a line that are in doubt when two readers, or one, have read it; in which order lines
are read; what is counted as wrong."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.ocr.compare import compare_pages, compare_quotes
from rag_api.domain import Metadata, Page, ReadDocument
from rag_api.ingest.layout.order import Box, reading_order
from rag_api.ingest.ocr.doubt import doubtful
from rag_api.ingest.ocr.paddle import Reading
from rag_api.ingest.ocr.tesseract import Second
from rag_api.ingest.readers.scanned import uncertain
from rag_api.ingest.structure.clean import LaidOut
from rag_api.text.blocks import blocks_of, names_of
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import BLANK, blanked, certain_share, is_certain, is_same, touches
from tests.support.world import boxes

pytestmark = pytest.mark.quick


def reading(text: str, sure: float = 0.999, **of_words: float) -> Reading:
    """of_words: how sure of the letters of a word."""
    chances = np.full(len(text), sure, np.float32)
    for word, chance in of_words.items():
        at = text.index(word)
        chances[at : at + len(word)] = chance
    return Reading(text, chances, np.linspace(0, 1, len(text), dtype=np.float32))


def in_doubt(first: Reading, second: str | None) -> str:
    """The words of the first reading with a letter in doubt."""
    flags = doubtful(first, None if second is None else Second(tuple((word, 0.9) for word in second.split())))
    return " ".join(word for word, at in _words(first.text) if flags[at : at + len(word)].any())


def _words(text: str) -> list[tuple[str, int]]:
    found, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        found.append((word, at))
        at += len(word)
    return found


@pytest.mark.parametrize(
    ("one", "two", "doubt"),
    [
        ("Geef 5 mg per dag.", "Geef 5 mg per dag.", ""),
        ("Geef 5 mg per dag.", "Geef 6 mg per dag.", "5"),
        ("Geef 1,5 mg per dag.", "Geef 15 mg per dag.", "1,5"),
        ("Geef 1.5 mg per dag.", "Geef 1,5 mg per dag.", "1.5"),
        ("Geef 5 10 ml.", "Geef 510 ml.", "10"),
        ("Geef 5mg per dag.", "Geef 5 mg per dag.", ""),
        ("Geef 5 mg per dag.", "Geef 5 µg per dag.", "mg"),
        ("Dit mag niet samen.", "Dit mag met samen.", "niet"),
        ("Dit mag samen.", "Dit mag niet samen.", "mag samen."),
        ("Bij kinderen geen aspirine", "Bij kinderen een aspirine", "geen"),
        ("Indien > 5 mmol/l", "Indien < 5 mmol/l", ">"),
        ("Geef 5 mg", "Geef 5 mg |", ""),
        ("“Geef” 5 mg – nu", '"Geef" 5 mg - nu', ""),
    ],
)
def test_what_two_readers_read_otherwise_is_in_doubt_where_a_dose_or_a_prohibition_hangs_on_it(
    one: str, two: str, doubt: str
) -> None:
    assert in_doubt(reading(one), two) == doubt


def test_readers_may_differ_on_another_word_when_the_first_is_sure_of_it() -> None:
    assert in_doubt(reading("Bel de apotheek"), "Bel de apotheck") == ""
    assert in_doubt(reading("Bel de apotheek", apotheek=0.6), "Bel de apotheck") == "apotheek"


def test_one_reader_alone_must_be_surer() -> None:
    unsure = reading("Geef 5 mg per dag", **{"5": 0.9})
    assert in_doubt(unsure, "Geef 5 mg per dag") == ""
    assert in_doubt(unsure, None) == "5"
    assert in_doubt(unsure, "") == "5"  # the second read nothing there


def test_two_columns_of_running_text_are_read_one_after_the_other_and_a_table_line_by_line() -> None:
    title = [Box(0, 0, 400, 12)]
    left, right = ([Box(x, 20 + 14 * n, x + 190, 30 + 14 * n) for n in range(6)] for x in (0, 210))
    columns = title + [box for pair in zip(left, right, strict=True) for box in pair]
    assert [columns[i] for i in reading_order(columns)] == [*title, *left, *right]
    cells = [
        Box(x, 20 + 14 * n, x + width, 30 + 14 * n)
        for n in range(6)
        for x, width in ((0, 60), (100, 150 - 20 * n), (300, 30))
    ]
    assert [cells[::-1][i] for i in reading_order(cells[::-1])] == cells


TEXT = "Dosering\nGeef 8 mg per gift. Wacht 6 uur. Bel de arts.\n"


def test_a_sentence_that_touches_what_is_in_doubt_is_never_quoted() -> None:
    at = TEXT.index("Wacht")
    kept = [TEXT[q.start : q.end].strip() for q in quotable(TEXT) if is_certain(q, [(at, at + 12)])]
    assert kept == ["Geef 8 mg per gift.", "Bel de arts."]


def test_nothing_in_a_part_whose_heading_is_in_doubt_is_quoted() -> None:
    text = (
        f"{TEXT}\nWaarschuwing\nErnstige lever. Vraag raad aan de apotheek. Bel bij twijfel eerst de arts van wacht.\n"
    )
    at = text.index("Waar")
    kept = {
        text[q.start : q.end].strip()
        for q in quotable(text)
        if is_certain(q, [(at, at + 3)], names=names_of(blocks_of(text)))
    }
    assert kept == {"Geef 8 mg per gift.", "Wacht 6 uur.", "Bel de arts."}


def test_a_name_in_doubt_costs_none_of_the_sentences_that_it_stands_over() -> None:
    assert [q for q in quotable(TEXT) if is_certain(q, [(0, 3)], names=names_of(blocks_of(TEXT)))] == quotable(TEXT)
    assert certain_share(TEXT, (), [(0, 3)]) == 1.0
    assert certain_share(TEXT, (), [(9, len(TEXT))]) == 0.0


def test_a_place_is_touched_by_what_overlaps_it_only() -> None:
    places = [(5, 10), (20, 25)]
    assert [touches(start, start + 5, places) for start in (0, 1, 9, 10, 15, 16, 24, 25)] == [
        False,
        True,
        True,
        False,
        False,
        True,
        True,
        False,
    ]


def test_what_is_in_doubt_is_blank_and_places_stay() -> None:
    shown = blanked(TEXT[9:], 9, [(0, 3), (9, 29), (50, 70)])
    assert len(shown) == len(TEXT) - 9
    assert "8" not in shown
    assert shown[20:41] == TEXT[29:50]
    assert shown.startswith(f"{BLANK * 4} {BLANK} {BLANK * 2} ")
    assert is_same(shown, TEXT[9:])
    assert not is_same(shown, TEXT[9:].replace("Wacht", "Wicht"))
    assert blanked(TEXT, 0, ()) == TEXT


def document(text: str, *uncertain: tuple[int, int]) -> ReadDocument:
    return ReadDocument(Metadata(), (Page(1, 595, 842, 0, 0, text, boxes(text), "ocr"),), uncertain=uncertain)


def test_a_quote_with_a_number_that_the_page_does_not_have_is_counted_unless_it_is_withheld() -> None:
    truth, wrong = document(TEXT), TEXT.replace("8 mg", "3 mg")
    counts = compare_quotes(truth, document(wrong))
    assert (counts.quotes, counts.withheld, counts.wrong_digits, counts.wrong_negations) == (3, 0, 1, 0)
    assert counts.wrong == ["Geef 3 mg per gift. | Geef 8 mg per gift."]
    at = wrong.index("Geef")
    assert compare_quotes(truth, document(wrong, (at, at + 20))).wrong_digits == 0
    assert compare_quotes(truth, document(TEXT.replace("Bel", "Bel niet"))).wrong_negations == 1


def test_letters_and_digits_read_wrongly_and_misplaced_words_are_counted() -> None:
    still = np.array([[1.0, 0, 0], [0, 1, 0]])
    counts = compare_pages(
        document(TEXT).pages[0], document(TEXT.replace("8", "3").replace("Bel", "Bal")).pages[0], still
    )
    assert (counts.letters, counts.letter_errors, counts.digits, counts.digit_errors) == (len(TEXT) - 1, 2, 2, 1)
    assert counts.overlap == counts.well_placed == counts.words
    moved = compare_pages(document(TEXT).pages[0], document(TEXT).pages[0], np.array([[1.0, 0, 0], [0, 1, 30]]))
    assert moved.well_placed == 0
    missing = compare_pages(document(TEXT).pages[0], document(TEXT.replace(" 6", "")).pages[0], still)
    assert missing.digit_errors == 1


def test_a_sentence_of_a_scan_that_breaks_off_in_a_word_is_in_doubt_and_one_of_a_text_is_not() -> None:
    text = "Wacht 6 uur.\nHet remgeld voor een onderzoek be-\nNeem een pre- of postoperatieve foto.\n"
    pages = (Page(1, 595, 842, 0, 0, text, boxes(text), "ocr"),)
    scanned, typed = (LaidOut(1, 595, 842, 0, 842, (), scanned=scanned) for scanned in (True, False))
    assert [text[a:b] for a, b in uncertain(pages, [scanned])] == ["Het remgeld voor een onderzoek be-\n"]
    assert uncertain(pages, [typed]) == ()
