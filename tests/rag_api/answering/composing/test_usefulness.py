"""Text that a model writes is shown from the first word on that says something; an echo of the
question never is."""

from __future__ import annotations

import pytest

from rag_api.answering.composing.stream_gate import Held
from rag_api.answering.composing.usefulness import usefulness
from rag_api.domain import Token

QUESTION = "ik heb me geprikt aan een naald, wat nu"
PASSAGE = "Prikaccident. Laat de wonde bloeden, spoel met water en meld het binnen 2 uur."
USEFUL = usefulness(QUESTION, [PASSAGE], one_language=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        QUESTION,
        "Ik heb me geprikt aan een naald, wat nu.\n\nAnswer: \nIk heb me geprikt aan een naald, wat nu.",
        "What a delightful story!",
        "Geprikt aan een naald",
    ],
)
def test_an_echo_or_other_talk_says_nothing(text: str) -> None:
    assert not USEFUL.says_something(text)


@pytest.mark.parametrize("text", ["Spoel met water.", "Meld het.", "Geprikt: meld het binnen 2 uur."])
def test_one_word_of_the_passages_is_enough(text: str) -> None:
    assert USEFUL.says_something(text)


def test_words_in_another_language_than_the_passages_need_not_stand_there() -> None:
    across = usefulness("what after a needle stick?", [PASSAGE], one_language=False)
    assert across.says_something("Rinse the wound.")
    assert not across.says_something("What after a needle stick?")


def test_words_are_held_until_one_of_them_says_something_and_then_all_come() -> None:
    held, text, shown = Held(USEFUL), "", []
    for word in ("Geprikt", " aan een", " naald: spoel", " met", " water"):
        text += word
        shown.append([event.text for event in held.add(Token(word), text) if isinstance(event, Token)])
    assert shown == [[], [], [], ["Geprikt", " aan een", " naald: spoel", " met"], [" water"]]


def test_a_last_word_counts_when_the_answer_is_whole() -> None:
    held = Held(USEFUL)
    assert held.add(Token("Spoel"), "Spoel") == []
    assert held.end("Spoel") == [Token("Spoel")]
    nothing = Held(USEFUL)
    nothing.add(Token("Geprikt"), "Geprikt")
    assert nothing.end("Geprikt") == []


def test_quotes_are_never_held() -> None:
    assert Held(None).add(Token("x"), "x") == [Token("x")]
