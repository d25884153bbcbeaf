"""The extent that a question asks for: one thing or two, a list as a whole, or nothing of the
documents."""

from __future__ import annotations

import pytest

from rag_api.query.question_parts import Wanted, asks_of, is_statement, wanted, without_form
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
        ("vanaf hvl bloed te veel + nr spoedoproep verloskamer", ["vanaf hvl bloed te veel?", "nr spoedoproep verloskamer?"]),
        ("how often score rass n whats the goal", ["how often score rass?", "whats the goal?"]),
        ("amoxicilline + clavulaanzuur bij een kind", ["amoxicilline + clavulaanzuur bij een kind"]),
        ("bleeding patient and is she awake", ["bleeding patient and is she awake"]),
        ("let op: kind met koorts", ["let op: kind met koorts"]),
        ("pijn en koorts bij een kind", ["pijn en koorts bij een kind"]),
        ("welke handschoenen en schort bij mrsa", ["welke handschoenen en schort bij mrsa"]),
    ],
)  # fmt: skip
def test_two_questions_in_one_are_told_apart_and_each_stands_alone(question: str, asks: list[str]) -> None:
    assert len(asks_of(question)) == len(asks)
    for found, expected in zip(asks_of(question), asks, strict=True):
        assert set(expected.split()) <= set(found.text.split())
        assert found.said.rstrip("?") in question


def test_the_second_of_two_is_about_what_the_first_is_about() -> None:
    first, second = asks_of("wie beslist over de isolatie bij kroep en hoelang hangt de kaart aan de deur")
    assert "kroep" not in second.said
    assert {"isolatie", "kroep", "kaart"} <= set(second.text.split())
    assert first.text == "wie beslist over de isolatie bij kroep?"
    assert asks_of("dosis ibuprofen en hoeveel paracetamol mag erbij")[1].text == "hoeveel paracetamol mag erbij?"


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        (
            "hoe vaak wordt het gaasje vervangen, en het dopje?",
            ["hoe vaak wordt het gaasje vervangen?", "hoe vaak wordt gaasje vervangen dopje?"],
        ),
        (
            "baby na de operatie: morfine hoeveel per keer? en perfalgan?",
            ["morfine hoeveel per keer?", "baby na de operatie: hoeveel per keer perfalgan?"],
        ),
        (
            "she had two scans. walk after the first scan? and after the MRI one?",
            ["walk after the first scan?", "walk after the MRI one?"],
        ),
        (
            "wanneer aspirine stoppen voor de hernia... en nadien, hoelang dalteparine?",
            ["wanneer aspirine stoppen?", "hernia hoelang dalteparine?"],
        ),
    ],
)
def test_the_same_asked_of_another_thing_is_a_second_question(question: str, asks: list[str]) -> None:
    found = asks_of(question)
    assert len(found) == len(asks)
    for one, expected in zip(found, asks, strict=True):
        assert set(expected.rstrip("?").split()) <= set(one.text.replace("?", " ").split())


@pytest.mark.parametrize(
    "question",
    [
        "mag ibuprofen samen met apixaban en clopidogrel",
        "mag ibuprofen bij apixaban, en digoxine?",
        "hoeveel paracetamol en ibuprofen bij een kind van 10 kg",
        "mag ze eten, drinken, en roken?",
        "de patiënt bloedt, wat nu, en daarna?",
        "gaasje, en dopje",
    ],
)
def test_the_last_of_several_things_is_no_second_question(question: str) -> None:
    assert [one.text for one in asks_of(question)] == [question]


def test_what_only_says_in_which_form_to_answer_is_no_word_to_look_for() -> None:
    assert without_form("brand in de keuken, wat nu? alles op volgorde") == "brand in de keuken, ?"
    assert without_form("wat nu, alle stappen") == "wat nu, alle stappen"  # nothing else would be left
    assert without_form("hoeveel ml spoelen") == "hoeveel ml spoelen"


@pytest.mark.parametrize(
    ("question", "tells"),
    [
        ("grey skin after nerve block", True),
        ("blauwe huid na het blok", True),
        ("dosis van het blok bij kind", False),
        ("what is a nerve block", False),
        ("blauwe huid?", False),
        ("lokelma", False),
    ],
)
def test_what_only_tells_of_something_asks_nothing(question: str, tells: bool) -> None:
    assert is_statement(question) == tells


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
        ("hele scorelijst bij een zwangere", Wanted.ALL),
        ("heel de lijst bloedwaarden", Wanted.ALL),
        ("septisch, welke 5 dingen binnen het uur", Wanted.SEVERAL),
        ("waaraan moet voldaan zijn voor ik mag starten", Wanted.SEVERAL),
        ("flacon optrekken, hoe gaat dat van begin tot eind", Wanted.ACTIONS),
        ("CVA komt binnen, wat moet er allemaal gebeuren", Wanted.ACTIONS),
        ("leaking chemo, first actions", Wanted.ACTIONS),
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


@pytest.mark.parametrize(
    "question",
    [
        "RASS schaal van plus 4 tot min 5",
        "volgorde buisjes bij bloed trekken",
        "wat doen bij welke waarde",
        "ketoacidosis, whole drip plan hour by hour",
        "cytostatic bag leaked, everything to wear and do",
        "picc trouble: first step for each",
    ],
)
def test_all_of_it_is_asked_for(question: str) -> None:
    assert wanted(question) == Wanted.ALL


@pytest.mark.parametrize(
    "question", ["order for a full blood count", "whole blood for how long", "wat kost een hele dag parkeren"]
)
def test_a_whole_thing_is_no_list(question: str) -> None:
    assert wanted(question) == Wanted.ONE


def test_what_stands_in_the_list_that_is_asked_for_is_no_second_question() -> None:
    assert len(asks_of("heel de lijst van bloedverdunners en hoe lang vooraf stoppen")) == 1
    assert len(asks_of("patiënt maakt koorts, wat nu en wat daarna")) == 1
    assert len(asks_of("hoe vaak meet ik de RASS en wat is het streefdoel")) == 2
