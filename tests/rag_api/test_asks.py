"""What a question asks for: one thing or two, a list as a whole, or nothing of the documents."""

from __future__ import annotations

import pytest

from rag_api.query.asks import Wanted, asks_of, wanted
from rag_api.query.small_talk import SmallTalk, small_talk

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("hoeveel paracetamol iv bij 12 kg en hoe vaak?", ["hoeveel paracetamol iv bij 12 kg?", "paracetamol iv 12 kg hoe vaak?"]),
        ("what is the dose of enoxaparin and who do I call at night", ["what is the dose of enoxaparin?", "who do I call at night?"]),
        ("wat kost een gastroscopie? moet ik nuchter zijn?", ["wat kost een gastroscopie?", "gastroscopie moet ik nuchter zijn?"]),
        ("ballon bij bloeding: hoeveel ml erin en hoelang", ["ballon bij bloeding hoeveel ml erin?", "ballon bij bloeding hoelang?"]),
        ("pen hoelang goed na openen + wie controleert dubbel", ["pen hoelang goed na openen?", "wie controleert dubbel?"]),
        ("fridge limits of trials and how many years keep the logs", ["fridge limits of trials?", "how many years keep the logs?"]),
        ("bleeding patient and is she awake", ["bleeding patient and is she awake"]),
        ("let op: kind met koorts", ["let op: kind met koorts"]),
        ("pijn en koorts bij een kind", ["pijn en koorts bij een kind"]),
        ("welke handschoenen en schort bij mrsa", ["welke handschoenen en schort bij mrsa"]),
    ],
)  # fmt: skip
def test_two_questions_in_one_are_told_apart_and_each_stands_alone(question: str, asks: list[str]) -> None:
    assert len(asks_of(question)) == len(asks)
    for found, expected in zip(asks_of(question), asks, strict=True):
        assert set(expected.split()) <= {*found.split(), "gastroscopie"}


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("geprikt aan een naald, wat nu", Wanted.ACTIONS),
        ("wat moet ik doen bij een transfusiereactie", Wanted.ACTIONS),
        ("what to do first in anaphylaxis", Wanted.ACTIONS),
        ("welke stappen bij brand", Wanted.ACTIONS),
        ("ik heb me geprikt aan een vuile naald", Wanted.ACTIONS),
        ("collega gebeten door patient", Wanted.ACTIONS),
        ("I pricked myself with a used needle", Wanted.ACTIONS),
        ("ik heb me geprikt, wie betaalt de behandeling", Wanted.ONE),
        ("valrisico na gevallen", Wanted.ONE),
        ("which items go on the trolley", Wanted.SEVERAL),
        ("welke kleuren betekenen gevaar", Wanted.SEVERAL),
        ("order of draw, all tubes", Wanted.ALL),
        ("hoelang preventief, alle situaties", Wanted.ALL),
        ("contra-indicaties lyse, hele lijst", Wanted.ALL),
        ("alles op volgorde, wat nu", Wanted.ACTIONS),
        ("hoeveel ml spoelen", Wanted.ONE),
        ("welke dosis haldol bij een oudere", Wanted.ONE),
        ("who is called at night", Wanted.ONE),
    ],
)
def test_a_list_is_asked_for_as_a_whole_in_many_words(question: str, asks: Wanted) -> None:
    assert wanted(question) == asks


@pytest.mark.parametrize(
    ("words", "talk"),
    [
        ("hallo", SmallTalk.GREETING),
        ("Goedemorgen bedside!", SmallTalk.GREETING),
        ("ok bedankt", SmallTalk.THANKS),
        ("thank you very much", SmallTalk.THANKS),
        ("wie ben je?", SmallTalk.ABOUT),
        ("hallo, wat kan je allemaal doen?", SmallTalk.ABOUT),
        ("dag, hoeveel paracetamol mag een kind", None),
        ("wat nu?", None),
        ("help, geprikt aan een naald", None),
        ("", None),
    ],
)
def test_only_what_is_nothing_else_is_small_talk(words: str, talk: SmallTalk | None) -> None:
    assert small_talk(words) == talk
