"""Passages with their neighbours: each question still points to the words that answer it, and
nothing foreign is asked of its own lines."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from services.contract.reading_prompt import LABELS
from services.reader.longer_passages import LONGEST, LongerPassages
from services.reader.questions import AskedPassage, Foreign, TrainingQuestion


def section(number: int, document: str = "d", lines: int = 6) -> AskedPassage:
    text = tuple(f"{document} {number}, line {n}" for n in range(lines))
    asked = (
        *(TrainingQuestion(f"{document} {number}, line {n}", n, n, n) for n in range(lines)),
        TrainingQuestion(f"{document} {number}, line 1", 1, lines - 1, 1),
        TrainingQuestion(f"nothing {number}", reason="drug"),
    )
    alone = (f"of {document} {number}",)
    return AskedPassage(
        f"{document}{number}", document, "train", "icu", "Title", f"Part > Of {document}{number}", text, asked, alone
    )


SECTIONS = [section(n, d) for d in "ab" for n in range(5)]


@given(st.integers(0, len(SECTIONS) - 1), st.integers(0, 10_000))
def test_a_question_points_to_its_own_words_wherever_its_section_comes(which: int, seed: int) -> None:
    longer = LongerPassages(SECTIONS)
    passage, within = longer.of(SECTIONS[which], random.Random(seed))
    assert SECTIONS[which].id in within
    assert len(passage.lines) <= len(LABELS)
    assert len(within) == 1 or sum(map(len, passage.lines)) <= LONGEST
    for one in passage.asked:
        if one.first is None or one.last is None or one.heart is None:
            continue
        assert one.first <= one.heart <= one.last
        if one.question.startswith(passage.document + " "):
            assert passage.lines[one.heart] == one.question
        else:  # a whole section, by its heading
            own = next(each for each in SECTIONS if f"of {each.id}" in one.question.lower())
            assert passage.lines[one.first : one.last + 1] == own.lines


def test_neighbours_come_in_the_documents_order_each_below_its_heading() -> None:
    longer = LongerPassages(SECTIONS)
    drawn = [longer.of(SECTIONS[2], random.Random(seed)) for seed in range(40)]
    assert {len(within) for _, within in drawn} == {1, 2, 3, 4}
    for passage, within in drawn:
        parts = [one for one in SECTIONS if one.id in within]
        expected = list(parts[0].lines)
        for part in parts[1:]:
            expected += [part.heading, *part.lines]
        assert (passage.heading, passage.lines) == (parts[0].heading, tuple(expected))


def test_the_near_misses_of_a_passage_come_along() -> None:
    passage, _ = LongerPassages(SECTIONS).of(SECTIONS[0], random.Random(1))
    assert "nothing 0" in [one.question for one in passage.asked if one.reason == "drug"]


def test_what_would_be_too_long_is_not_joined() -> None:
    wide = [replace(one, lines=tuple(line + " x" * 150 for line in one.lines)) for one in SECTIONS[:5]]
    assert all(
        within == {wide[0].id}
        for _, within in (LongerPassages(wide).of(wide[0], random.Random(seed)) for seed in range(20))
    )


def test_a_question_on_a_neighbour_that_is_there_is_not_called_foreign() -> None:
    foreign = Foreign(SECTIONS)
    within = frozenset(one.id for one in SECTIONS if one.document == "a" and one.id != "a4")
    asked = foreign.of(SECTIONS[0], 40, random.Random(1), within)
    assert {one.question for one in asked if one.question.startswith("of a")} == {"of a 4"}
    assert all(one.first is None for one in asked)
