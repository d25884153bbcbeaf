"""Passages as a reader gets them: a hit grown to its section, its lines as they are read, each with
its place in the document."""

from __future__ import annotations

import math

import pytest

from rag_api.domain import Chunk, Hit
from rag_api.retrieval.reader_model.passages import ReadingPassage, passages_of
from rag_api.retrieval.reader_model.pointing_reader import LATER, PointedReading, order
from rag_api.text.quotable.uncertain import BLANK
from services.contract.reading_prompt import LABELS

pytestmark = pytest.mark.quick

TEXT = """Kalium

Toediening

Bij een kalium onder 3,0 mmol/l:
- verwittig de arts
- start telemetrie
- geef 20 mmol in 1 uur

Controleer na 2 uur.

Dosering

Middel\tDosis\tWeg
Kaliumchloride\t20 mmol\tiv
Kaliumcitraat\t40 mmol\tpo
"""


def hit(start: int, end: int, rank: int = 1, text: str = TEXT) -> Hit:
    return Hit(Chunk(f"c{rank}", "d", "Kalium", (1,), start, end, text[start:end]), 0.9, 0.9, 1.0, rank)


def passage(words: str, text: str = TEXT) -> ReadingPassage:
    start = text.index(words)
    return passages_of([hit(start, start + len(words), text=text)], {"d": text}, {})[0]


def lines(one: ReadingPassage) -> list[str]:
    return [line.text for line in one.lines]


def test_a_hit_in_a_list_is_read_with_the_whole_list_and_what_introduces_it() -> None:
    assert lines(passage("- start telemetrie"))[:4] == [
        "Bij een kalium onder 3,0 mmol/l:",
        "- verwittig de arts",
        "- start telemetrie",
        "- geef 20 mmol in 1 uur",
    ]


def test_a_row_is_read_with_its_header_and_cells_parted_as_in_the_questions_that_readers_learn_from() -> None:
    assert lines(passage("Kaliumcitraat")) == [
        "Middel | Dosis | Weg",
        "Kaliumchloride | 20 mmol | iv",
        "Kaliumcitraat | 40 mmol | po",
    ]


@pytest.mark.parametrize("words", ["- start telemetrie", "Kaliumcitraat"])
def test_items_and_rows_know_the_line_that_introduces_them(words: str) -> None:
    one = passage(words)
    assert [line.introduced_by for line in one.lines[:3]] == [(), (0,), (0,)]
    assert one.lines[0].quote is None
    assert passage("Controleer na").lines[-1].introduced_by == ()


def test_a_table_behind_another_section_brings_no_line_of_its_heading_and_its_caption_once() -> None:
    text = TEXT.replace("Dosering\n\n", "Dosering\n\nDosis per middel:\n\n")
    start, end = text.index("Controleer"), text.index("Kaliumcitraat") + 5
    (one,) = passages_of([hit(start, end, text=text)], {"d": text}, {})
    assert lines(one)[-4:] == [
        "Dosis per middel:",
        "Middel | Dosis | Weg",
        "Kaliumchloride | 20 mmol | iv",
        "Kaliumcitraat | 40 mmol | po",
    ]
    assert "Dosering" not in lines(one)
    assert lines(one).count("Dosis per middel:") == 1
    quote = one.quoted(len(one.lines) - 1, len(one.lines) - 1, text, 0.0)
    assert quote is not None
    assert quote.text.startswith("Dosering\n\nDosis per middel:"), "what is quoted has both"


def test_what_is_pointed_to_is_one_exact_place_behind_what_it_is_not_read_without() -> None:
    one = passage("Kaliumcitraat")
    quote = one.quoted(2, 2, TEXT, 1.5)
    assert quote is not None
    assert TEXT[quote.start : quote.end].strip() == "Kaliumcitraat\t40 mmol\tpo"
    assert quote.text.startswith("Dosering\n\nMiddel\tDosis\tWeg")
    assert quote.text == "".join(TEXT[a:b] for a, b in (*quote.lead, (quote.start, quote.end)))
    assert quote.score == 1.5


def test_a_range_that_ends_in_an_introduction_goes_on_to_what_that_introduces() -> None:
    quote = passage("- start telemetrie").quoted(0, 0, TEXT, 0.0)
    assert quote is not None
    assert "verwittig de arts" in quote.text


def test_what_was_read_in_doubt_is_not_quoted() -> None:
    text = TEXT.replace("20 mmol in 1 uur", BLANK * 16)
    one = passage("- start telemetrie", text)
    assert one.quoted(1, 3, text, 0.0) is None
    assert one.quoted(1, 2, text, 0.0) is not None


def test_two_hits_of_one_section_are_read_once_and_a_document_without_its_text_not_at_all() -> None:
    first, second = TEXT.index("- verwittig"), TEXT.index("- geef")
    hits = [hit(first, first + 10), hit(second, second + 10, 2)]
    assert len(passages_of(hits, {"d": TEXT}, {})) == 1
    assert passages_of(hits, {}, {}) == []


def test_a_passage_has_no_more_lines_than_there_are_letters() -> None:
    text = "Kalium\n\n" + "".join(f"- stap {n}\n" for n in range(2 * len(LABELS)))
    one = passages_of([hit(10, len(text), text=text)], {"d": text}, {})[0]
    assert len(one.lines) == len(LABELS)


def test_passages_are_ordered_by_what_is_read_less_what_retrieval_thinks_of_them() -> None:
    sure, later = PointedReading(1.0, 0, 0, 0.0), PointedReading(1.0 + LATER / 2, 0, 0, 0.0)
    assert order([sure, later]) == [0, 1]
    assert order([sure, PointedReading(1.0 + 2 * LATER, 0, 0, 0.0)]) == [1, 0]


def test_the_odds_of_a_range_are_those_of_there_being_an_answer_and_of_its_standing_there() -> None:
    half = PointedReading(0.0, 2, 3, math.log(0.5))
    assert half.odds == pytest.approx(math.log(0.25 / 0.75))
    assert PointedReading(40.0, 0, 0, 0.0).odds < 40
