"""Questions that BM25 brings to a passage which does not answer them."""

from __future__ import annotations

import random

from services.reader.questions import AskedPassage, Foreign, TrainingQuestion
from services.reader.retrieved_questions import BEHIND, retrieved_questions


def passage(name: str, line: str, asked: str, title: str = "", document: str = "") -> AskedPassage:
    own = (TrainingQuestion(asked, 0, 0, 0),)
    return AskedPassage(name, document or name, "train", "icu", title or name, "", (line,), own, (asked,), "en")


PASSAGES = (
    passage("heparin", "Heparin is diluted to 50 ml.", "dilution of heparin"),
    passage("insulin", "Insulin is diluted to 50 ml.", "dilution of insulin"),
    passage("gloves", "Gloves are worn at the sink.", "gloves at the sink"),
)


def test_a_question_comes_to_the_passages_that_resemble_its_own_and_to_no_others() -> None:
    found = retrieved_questions(PASSAGES)
    assert found == {
        "insulin": [("dilution of heparin", "heparin")],
        "heparin": [("dilution of insulin", "insulin")],
    }


def test_another_document_under_the_same_title_may_answer_and_is_left_out() -> None:
    editions = (
        passage("first", "Heparin is diluted to 50 ml.", "dilution of heparin", "Heparin", "2024"),
        passage("next page", "Heparin is diluted by two nurses.", "who dilutes heparin", "Heparin", "2024"),
        passage("second", "Heparin is diluted to 40 ml.", "heparin, diluted how", "Heparin", "2026"),
    )
    found = retrieved_questions(editions)
    assert ("dilution of heparin", "first") in found["next page"]
    assert "second" not in found


def test_no_more_passages_than_so_many_get_one_question() -> None:
    alike = [passage(f"p{n}", f"Heparin is diluted in room {n}.", f"heparin {n}") for n in range(BEHIND + 20)]
    found = retrieved_questions([passage("own", "Heparin dilution dilution.", "heparin dilution"), *alike])
    holding = [name for name, asked in found.items() if ("heparin dilution", "own") in asked]
    assert len(holding) == BEHIND


def test_what_stands_in_the_same_long_passage_is_not_asked_of_it() -> None:
    foreign = Foreign(PASSAGES, retrieved_questions(PASSAGES))
    heparin, insulin, gloves = PASSAGES
    draw = random.Random(1)
    assert [one.question for one in foreign.retrieved(heparin, 5, draw)] == ["dilution of insulin"]
    assert foreign.retrieved(heparin, 5, draw, frozenset({insulin.id})) == []
    assert foreign.retrieved(heparin, 0, draw) == []
    assert foreign.retrieved(gloves, 5, draw) == []
    of_neighbour = foreign.retrieved(gloves, 5, draw, frozenset({insulin.id}))
    assert [one.question for one in of_neighbour] == ["dilution of heparin"]
    assert {one.first for one in of_neighbour} == {None}
