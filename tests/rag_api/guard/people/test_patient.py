"""The patient that a question is about, by the table of words and the rules for ages and weights;
and what looks like a patient and is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_api.domain import TargetGroup
from rag_api.guard.people.patient import Patient, patient_of
from rag_api.guard.words import folded, table

pytestmark = pytest.mark.quick

A, C, N, P = TargetGroup.ADULT, TargetGroup.CHILD, TargetGroup.NEONATE, TargetGroup.PREGNANCY


@pytest.mark.parametrize(
    ("question", "groups"),
    [
        # words, Dutch
        ("hoeveel paracetamol iv mag een volwassene", {A}),
        ("dosis volw. met nierfalen", {A}),
        ("paracetamol iv kind hoeveel per gift?", {C}),
        ("KINDEREN met koorts", {C}),
        ("kleuter te lang nuchter", {C}),
        ("kinderdosering ondansetron", {C}),
        ("neonaat met sepsis", {N}),
        ("glucosegel dosis pasgeborene", {N}),
        ("genta preemie", {N}),
        ("labetalol bij een zwangere", {P}),
        ("mag paracetamol tijdens borstvoeding", {P, A}),
        ("eerste dosis enoxaparine na sectio", {P}),
        ("dreigende vroeggeboorte longrijping", {P}),
        ("baby met koorts", {N, C}),
        ("puber met overdosis", {C, A}),
        ("ex-prematuur met RSV", {C}),
        ("what did the 5 year USA study find", set()),
        ("10 year follow-up of hip prostheses", set()),
        # words, English
        ("oplaaddosis for an adult", {A}),
        ("elderly patient with delirium", {A}),
        ("how fast may it run in kids", {C}),
        ("the child's weight is unknown", {C}),
        ("newborn blood sugar 20 mg/dl", {N}),
        ("is ibuprofen allowed when breastfeeding", {P, A}),
        ("preterm labour tocolysis", {P}),
        ("infant with bronchiolitis", {N, C}),
        # ages
        ("3 jr koorts", {C}),
        ("patiënt van 3 jaar", {C}),
        ("6-jarige met astma", {C}),
        ("75 jarige na val", {A}),
        ("man 45j pijn op de borst", {A}),
        ("a 6 year old with DKA", {C}),
        ("2-year-old, croup", {C}),
        ("6yo asthma", {C}),
        ("pt van 17 jaar", {C, A}),
        ("18 maanden oud", {C}),
        ("kind 18 mnd", {C}),
        ("baby van 3 weken", {N}),
        ("kind van 10 dagen", {N}),
        ("3 weeks old with fever", {N}),
        ("10-day-old jaundice", {N}),
        ("baby van 1 maand", {N, C}),
        ("jonger dan 2 jaar", {C}),
        ("patients over 65 years", {A}),
        ("vrouw van 84, onrustig sinds gisteren", {A}),
        ("a man of 46 with a swollen face", {A}),
        ("vrouw van 28 weken ver", set()),
        ("vrouw van 31 wk", set()),
        ("vrouw van 26, zwanger", {P}),
        ("de man van 84% van de dosis", set()),
        # weights
        ("12 kg kind", {C}),
        ("paracetamol bij 12kg", {C}),
        ("gentamicine 7,5 kg", {C}),
        ("baby 6 kg hoeveel ml", {C}),
        ("dosis bij 3,2 kg", {N, C}),
        ("enoxaparine 120 kg", {A}),
        ("Clexane bij 110 kg", {A}),
        ("verloskamer 110 kg clexane", {P}),
        ("zwanger 110 kg clexane", {P}),
        ("45 kg vrouw", {A}),
        ("paracetamol man van 48 kg", {A}),
        ("woman, 45 kg, heparin", {A}),
        ("zwangere vrouw 45 kg", {P}),
        ("tenecteplase dosis 72kg", set()),
        ("volw van 45 kg", {A}),
        ("infant under 10 kg", {C}),
        # pregnancy notation and gestation
        ("G2P1 met hoge bloeddruk", {P}),
        ("g1 p0 contracties", {P}),
        ("AD 32 w bloedverlies", {P}),
        ("32+4 weken bloedverlies", {P}),
        ("36w2d hypertension", {P}),
        ("34 weeks gestation, magnesium", {P}),
        ("preemie 32 weken dag 3", {N}),
        ("neonaat AD 32 w", {N}),
        # together
        ("kinderen en volwassenen", {A, C}),
        ("zwangere van 16 jaar", {P}),
        ("baby die borstvoeding krijgt, hoe lang nuchter", {N, C}),
        ("dalspiegel gentamicine baby NICU", {N}),
    ],
)  # fmt: skip
def test_a_patient_is_recognised(question: str, groups: set[TargetGroup]) -> None:
    assert patient_of(question).groups == groups


@pytest.mark.parametrize(
    "question",
    [
        "sleutel van de kinderafdeling",
        "nummer kinderarts",
        "welke kinderstoel mag op kamer",
        "mag een zwangere collega bij deze patiënt binnen",
        "Ik ben zwanger, mag ik cytostatica toedienen",
        "can a pregnant nurse enter the MRI room",
        "vrouw, niet zwanger, RX thorax",
        "contrast for a non-pregnant patient",
        "mogen kinderen op bezoek komen",
        "visiting children on the ward",
        "12 kg gewicht van het toestel",
        "zak van 5 kg afval",
        "mag ik 20 kg tillen na operatie",
        "hoist for a load of 20 kg",
        "3 kg afgevallen in een maand",
        "what kind of dressing",
        "schok van 50 J",
        "defibrillation 20 J",
        "hoe lang bewaren, 3 jaar",
        "dossier 5 jaar geleden",
        "valid for 2 years",
        "na 2 jaar vervangen",
        "om de 2 jaar keuring",
        "patiënt 3 dagen koorts",
        "7 dagen antibiotica",
        "6 weken na de ingreep controle",
        "verdunnen ad 50 ml",
        "15 mg/kg per gift",
        "onderhoud 3 ml/kg/uur",
        "G5 % infuus",
        "vitamine B12",
        "premature extrasystolen behandelen",
        "",
        "???",
    ],
)
def test_what_only_looks_like_a_patient_is_none(question: str) -> None:
    assert patient_of(question).groups == frozenset()


def test_a_fever_of_three_days_makes_no_newborn() -> None:
    assert patient_of("baby 3 dagen koorts").groups == {N, C}
    assert patient_of("kind 5 dagen diarree").groups == {C}


def test_the_evidence_is_the_questions_own_words() -> None:
    question = "Paracetamol: kleuter, 3 jr, 14 kg?"
    found = patient_of(question).evidence
    assert [e.text for e in found] == ["kleuter", "3 jr", "14 kg"]
    assert all(question[e.start : e.end] == e.text for e in found)


def test_a_source_without_a_target_group_is_for_everyone_and_a_question_without_a_patient_excludes_nothing() -> None:
    child = Patient(frozenset({C}))
    assert child.excludes((A,))
    assert child.excludes((A, P, N))
    assert not child.excludes((A, C))
    assert not child.excludes(())
    assert not Patient().excludes((A,))
    assert not Patient(frozenset({N, C})).excludes((C,))


def test_every_word_of_the_table_is_recognised_in_capitals_and_between_other_words() -> None:
    for kind, _, word, groups in table():
        if kind in ("patient", "state"):
            found = patient_of(f"Vraag over {word.upper()} (dosis)").groups
            assert found, word
            assert found & groups, word


@given(st.text())
def test_any_text_is_read_without_an_error_and_its_evidence_stands_in_it(text: str) -> None:
    found = patient_of(text)
    assert len(folded(text)) == len(text)
    assert all(text[e.start : e.end] == e.text for e in found.evidence)


@given(
    st.integers(min_value=0, max_value=110),
    st.sampled_from(["{} jaar", "{} jr", "{}j", "{}-jarige", "{} years old", "{}yo", "{} jaar oud"]),
)
def test_an_age_in_years_is_the_same_however_it_is_written(years: int, form: str) -> None:
    groups = patient_of(f"patiënt van {form.format(years)} met pijn").groups
    expected = {N} if years == 0 else {C} if years < 16 else {A, C} if years < 18 else {A}
    assert groups == expected


@given(
    st.integers(min_value=18, max_value=99),
    st.sampled_from(["na {} jaar", "{} jaar geleden", "om de {} jaar", "within {} years", "{} years ago"]),
)
def test_a_duration_is_no_age(years: int, form: str) -> None:
    assert patient_of(f"vervangen {form.format(years)}").groups == frozenset()
