"""Follow-up questions stand alone, and questions that do already are left as they are."""

from __future__ import annotations

import csv

import pytest

from rag_api.evaluate.judged import HANDBOOK, read_judged
from rag_api.guard.words import table
from rag_api.query.followup import leans, patients_in, standalone

pytestmark = pytest.mark.quick

PAIRS = HANDBOOK.parent / "followups.csv"


@pytest.mark.parametrize(
    ("previous", "question", "query"),
    [
        ("Hoeveel paracetamol iv bij een volwassene?", "en bij een kind?", "Hoeveel paracetamol iv bij een kind?"),
        ("hoeveel paracetamol bij een kind van 12 kg?", "en van 45 kg?", "hoeveel paracetamol bij een kind van 45 kg?"),
        ("hoeveel paracetamol bij een kind van 12 kg?", "en per dag?", "paracetamol kind van 12 kg per dag?"),
        (
            "Val van een patiënt: wat controleren?",
            "Hoe vaak die controles herhalen?",
            "Val Hoe vaak die controles herhalen?",
        ),
        ("vancomycin loading dose adult", "and for a newborn?", "vancomycin loading dose for a newborn?"),
        (
            "fraxiparine dosis zwangere 90 kg",
            "en een niet-zwangere van 130 kg?",
            "fraxiparine dosis een niet-zwangere van 130 kg?",
        ),
        ("dosis gentamicine volwassene", "en vancomycine?", "dosis vancomycine volwassene?"),
        (
            "plavix stoppen voor een grote operatie, hoeveel dagen en wanneer herstart?",
            "en brilique?",
            "brilique stoppen voor een grote operatie, hoeveel dagen en wanneer herstart?",
        ),
        ("mag ibuprofen bij eliquis", "en bij xarelto?", "mag ibuprofen bij xarelto?"),
        (
            "wat doen als doxorubicine naast de ader loopt",
            "and vincristine?",
            "wat doen als vincristine naast de ader loopt?",
        ),
        (
            "sepsis antibiotica eerste uur",
            "met penicilline-allergie?",
            "sepsis antibiotica eerste uur met penicilline-allergie?",
        ),
        ("lokelma dose", "how often can it be repeated?", "lokelma how often can it be repeated?"),
        ("picc verband vervangen", "hoe vaak?", "picc verband vervangen hoe vaak?"),
        ("adrenaline kind van 4 jaar", "en van 40 jaar?", "adrenaline van 40 jaar?"),
        ("morfine titreren man 50j 80kg", "en als die 79 is?", "morfine titreren man 80kg als die 79 jaar is?"),
        ("wakker, suiker 62, wat geef ik?", "en als ie op 41 staat?", "wakker, suiker 41, wat geef ik?"),
        ("lab says potassium 2.7, what now?", "and if it is 2.1?", "lab says potassium 2.1, what now?"),
        ("contrast at eGFR 45, fluids first?", "and with a GFR of 19?", "contrast at eGFR 19, fluids first?"),
        ("suiker 62 na 15 minuten", "en als het 48 is?", "suiker 48 na 15 minuten"),
        (
            "naloxon 2 mg gegeven, hoe lang wachten?",
            "en als het 4 is?",
            "naloxon 2 mg gegeven, hoe lang wachten als het 4 is?",
        ),
        ("vanco dose adult of 40 years", "and if she is 82?", "vanco dose adult if she is 82 years?"),
        (
            "how long to observe after anaphylaxis",
            "and if he needed two shots of adrenaline?",
            "how long to observe after anaphylaxis if he needed two shots of adrenaline?",
        ),
        ("hoelang isoleren bij mazelen", "en bij kroep?", "hoelang isoleren bij kroep?"),
        ("hoelang krukken na een heupfractuur", "en na een elleboog?", "hoelang krukken na een elleboogfractuur?"),
        ("when to start walking after knee surgery", "and hip?", "when to start walking after hip surgery?"),
        ("antibiotica bij longontsteking", "en bij nierfalen?", "antibiotica bij longontsteking bij nierfalen?"),
        ("how long in isolation with measles", "and noro?", "how long in isolation with noro?"),
        ("½ tablet, how long in isolation with measles", "and noro?", "1⁄2 tablet, how long in isolation with noro?"),
        ("hoelang isoleren bij mazelen", "en koorts?", "hoelang isoleren bij mazelen koorts?"),
        (
            "welke hoge glucose belt het labo door",
            "en bij een baby van 3 dagen?",
            "welke hoge glucose belt het labo door bij een baby van 3 dagen?",
        ),
        ("haldol bij delier", "en bij parkinson?", "haldol bij delier bij parkinson?"),
        (
            "vanco dose child",
            "what about an adult with a creatinine of 2?",
            "vanco dose an adult with a creatinine of 2?",
        ),
        (
            "hoeveel clexane ter preventie voor een vrouw van 110 kg?",
            "en als zij zwanger is?",
            "hoeveel clexane ter preventie voor een vrouw van 110 kg als zij zwanger is?",
        ),
        (
            "first bolus of lipid in a man of 85 kg?",
            "and for a child of 18 kg?",
            "first bolus of lipid for a child of 18 kg?",
        ),
        (
            "hoe lang blijft iemand met griep in isolatie?",
            "en bij kinkhoest?",
            "hoe lang blijft iemand met kinkhoest in isolatie?",
        ),
        ("wie bel ik 's nachts voor een tolk?", "en overdag?", "wie bel ik voor een tolk overdag?"),
        ("hoe krijg ik overdag een tolk?", "en om 4 uur 's nachts?", "hoe krijg ik een tolk om 4 uur 's nachts?"),
        ("wie bel ik tijdens de kantooruren?", "en in het weekend?", "wie bel ik in het weekend?"),
        (
            "canule van 3 dagen oud valt uit, wat nu?",
            "en als die er al 2 weken in zat?",
            "canule valt uit, wat nu als die er al 2 weken in zat?",
        ),
        (
            "hoeveel dagen moet brilique gestopt worden?",
            "en aspirine 80?",
            "hoeveel dagen moet aspirine gestopt worden?",
        ),
        ("hoe isoleren bij mrsa?", "en met koorts?", "hoe isoleren bij mrsa met koorts?"),
        (
            "schort aan bij een mrsa-patiënt?",
            "en wie alleen een glas brengt?",
            "schort mrsa-patiënt wie alleen een glas brengt?",
        ),
    ],
)
def test_what_the_question_was_about_is_carried_over_and_what_is_said_anew_replaces_its_kind(
    previous: str, question: str, query: str
) -> None:
    assert standalone(question, previous) == query


def test_a_chain_of_follow_ups_keeps_its_topic_and_only_the_last_group() -> None:
    query: str | None = None
    for question in (
        "Hoeveel paracetamol iv bij een volwassene?",
        "en bij een kind van 12 kg?",
        "en bij een pasgeborene?",
        "max per dag?",
    ):
        query = standalone(question, query)
    assert query == "paracetamol iv pasgeborene max per dag?"


@pytest.mark.parametrize("question", ["", "   ", "?", "…"])
def test_a_question_without_words_is_left_alone(question: str) -> None:
    assert standalone(question, "picc") == question.strip()


@pytest.mark.parametrize(
    "question",
    [
        "en hoe lang blijft een staal voor de bloedbank geldig?",
        "And when does the pharmacy open on Sundays?",
        "picc en mri mag dat samen met een pacemaker",
        "Wat is de dosis van paracetamol?",
        "which pain scale for a child of 5 years",
        "Wat is een AIRMET?",
        "what is an introducer",
        "wat betekent SBAR?",
        "What does ECPR mean?",
    ],
)
def test_a_question_with_its_own_topic_is_left_alone(question: str) -> None:
    assert standalone(question, "gentamicine dosis volwassene") == question


def test_of_the_judged_questions_only_some_of_one_word_lean_on_another() -> None:
    """They stand alone, but so short that they would be searched for together with the question
    before."""
    wrong = [question.question for question in read_judged(HANDBOOK) if leans(question.question)]
    assert len(wrong) <= 0.03 * len(read_judged(HANDBOOK)), wrong
    assert "vancomycine dosis neonaat" not in wrong  # a drug is a topic


def test_the_follow_up_pairs_are_judged_in_two_languages_and_two_halves() -> None:
    with PAIRS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    known = {(q.document, str(q.page), q.span) for q in read_judged(HANDBOOK)}
    assert len(rows) >= 30
    assert all((row["document"], row["page"], row["span"]) in known for row in rows)
    for column, least in (("language", 20), ("split", 30)):
        counts = [sum(row[column] == value for row in rows) for value in {row[column] for row in rows}]
        assert len(counts) == 2
        assert min(counts) >= least
    assert len({(row["previous"], row["question"]) for row in rows}) == len(rows)


def test_no_rewriting_names_two_patient_groups_where_the_follow_up_names_one() -> None:
    with PAIRS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            said = {group for named in patients_in(row["question"]) for group in named.groups}
            found = {
                group for named in patients_in(standalone(row["question"], row["previous"])) for group in named.groups
            }
            if said:
                assert found == said, row


def test_whom_a_question_is_about_is_what_the_guard_says_too() -> None:
    """One table: a word that the guard knows is carried over and replaced as well."""
    for kind, _, word, _ in table():
        if kind == "patient":
            assert standalone("en bij een kind?", f"vancomycine dosis {word}") == "vancomycine dosis bij een kind?", (
                word
            )


def test_what_only_some_patients_have_is_a_topic_and_their_name_is_none() -> None:
    assert not leans("glucosespiegel dysmature")
    assert leans("glucosespiegel bij zwangere")
