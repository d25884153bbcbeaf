"""Marks that identify a patient are found in questions, and what identifies nobody is left
alone."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from evaluation.sets.personal import measure, read_labelled
from rag_api.answering.question.personal import Checked, age, checked, without
from rag_api.domain import PersonalChoice
from rag_api.errors import InvalidInput, PersonalDataFound
from rag_api.guard.personal import IdentityKind, identifying
from rag_api.guard.personal.numbers import is_bsn, is_register_number

pytestmark = pytest.mark.quick

TODAY = date(2026, 3, 1)
WITH_NAME = "Hoeveel paracetamol krijgt Karel Dumoulin?"


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind.value, text[one.start : one.end]) for one in identifying(text)]


def test_the_held_back_questions_are_found_and_left_alone_as_was_measured() -> None:
    """The floor: what docs/evaluation.md reports. At least 200 with and 200 without stand in the
    whole set."""
    whole = measure(read_labelled(half="all"))
    assert whole["with_identity"]["questions"] >= 200
    assert whole["without"]["questions"] >= 200
    held_back = measure(read_labelled())
    kinds = {name: (kind["found"], kind["of"]) for name, kind in held_back["kinds"].items()}
    assert kinds["name"] >= (89, 93)
    assert kinds["birth_date"] >= (10, 11)
    sure = ("patient_number", "national_number", "phone", "email", "address")
    assert all(kinds[name][0] == kinds[name][1] > 0 for name in sure), kinds
    assert held_back["with_identity"]["stopped"] >= 103
    assert held_back["without"]["stopped"] == 0


@pytest.mark.parametrize(
    "text",
    [
        "kind van 5 jaar en 18 kg", "zuigeling van 3 maanden", "a 6-year-old of 20 kg", "vrouw 82 jaar", "neonaat 2 dagen oud",
        "Apgar 5 na 1 minuut", "Foley lekt", "ziekte van Crohn", "patiënt met Parkinson", "Bricker vervangen", "RR 165/110",
        "protocol van 12/03/2023", "bel 070 245 245",
        "lotnummer 123456782", "dr. Peeters is van wacht", "ingang Leopoldstraat open?", "dossier 12 van de map",
    ],
)  # fmt: skip
def test_an_age_an_eponym_or_a_service_is_nobody(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mevr. De Backer is gevallen", ("name", "De Backer")),
        ("mr singh nil by mouth", ("name", "singh")),
        ("Mr Parkinson needs his glasses", ("name", "Parkinson")),
        ("Lotte, 5 jaar, heeft koorts", ("name", "Lotte")),
        ("geb. 12/03/1941", ("birth_date", "12/03/1941")),
        ("DOB June 3, 1981", ("birth_date", "June 3, 1981")),
        ("dossiernr. 88213406", ("patient_number", "88213406")),
        ("bel 0478 12 34 56", ("phone", "0478 12 34 56")),
        ("mail naar jan@example.be", ("email", "jan@example.be")),
        ("thuis in Kerkstraat 18, 9000 Gent", ("address", "Kerkstraat 18, 9000 Gent")),
        ("BSN is 123456782", ("national_number", "123456782")),
    ],
)
def test_each_kind_is_found_whole(text: str, expected: tuple[str, str]) -> None:
    assert found(text) == [expected]


def test_national_numbers_are_known_by_their_check_digits() -> None:
    assert is_register_number("41031211816")
    assert is_register_number("02051507764"), "born in 2002"
    assert not is_register_number("41031211817")
    assert is_bsn("123456782")
    assert not is_bsn("123456789")
    assert found("wat is 41.03.12-118.16") == [("national_number", "41.03.12-118.16")]
    assert found("wat is 41.03.12-118.17") == []
    assert found("wat is 123456789") == []


def test_a_date_of_birth_becomes_the_age_that_picks_the_dose() -> None:
    text = "Karel Dumoulin geb. 17 juni 2019, dosis paracetamol?"
    assert without(text, identifying(text), TODAY) == "[…] geb. [6 jaar], dosis paracetamol?"
    assert age(date(2026, 2, 20), TODAY, "nl") == "9 dagen"
    assert age(date(2025, 11, 1), TODAY, "en") == "4 months"
    assert age(date(2025, 3, 2), TODAY, "en") == "11 months"
    assert age(date(2008, 3, 1), TODAY, "nl") == "18 jaar"


def test_the_asker_is_asked_before_anything_is_done() -> None:
    with pytest.raises(PersonalDataFound) as raised:
        checked(WITH_NAME, PersonalChoice.STOP, "warn")
    assert raised.value.code == "personal_data"
    assert raised.value.instead == "Hoeveel paracetamol krijgt […]?"
    assert [(row.code, row.values["text"]) for row in raised.value.rows] == [("name", "Karel Dumoulin")]


def test_a_setting_masks_refuses_or_looks_for_nothing() -> None:
    masked = Checked("Hoeveel paracetamol krijgt […]?", removed=(IdentityKind.NAME,))
    assert checked(WITH_NAME, PersonalChoice.STOP, "mask") == masked
    assert checked(WITH_NAME, PersonalChoice.KEEP, "mask") == masked
    assert checked(WITH_NAME, PersonalChoice.REMOVE, "refuse") == masked
    assert checked(WITH_NAME, PersonalChoice.KEEP, "warn") == Checked(WITH_NAME, kept=(IdentityKind.NAME,))
    assert checked(WITH_NAME, PersonalChoice.STOP, "off") == Checked(WITH_NAME)
    with pytest.raises(PersonalDataFound) as raised:
        checked(WITH_NAME, PersonalChoice.KEEP, "refuse")
    assert raised.value.code == "personal_data_refused"


def test_a_file_of_labelled_questions_that_cannot_be_meant_is_refused(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "own.csv"
    path.write_text("question,identity\nwaar is Jan?,name=Piet\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="does not hold 'Piet'"):
        read_labelled(path)


QUESTIONS = Path(__file__).parents[3] / "fixtures" / "personal"


def test_few_questions_of_abbreviations_scores_units_drugs_and_eponyms_name_somebody() -> None:
    """Written before what finds names was looked at."""
    clinical, named = (
        (QUESTIONS / name).read_text(encoding="utf-8").splitlines() for name in ("clinical.txt", "named.txt")
    )
    assert (len(clinical), len(named)) == (300, 60)
    assert len([text for text in clinical if identifying(text)]) <= 2
    assert (
        len([text for text in named if any(one.kind == IdentityKind.NAME for one in identifying(text))]) >= 50
    )  # those left are of staff, mostly


@pytest.mark.parametrize("word", ["QTcF", "NaCl", "PaCO2", "SpO2", "HbA1c", "ScvO2", "CellCept", "NovoRapid", "BiPAP"])
@pytest.mark.parametrize(
    "said",
    ["patiënt {} boven 500", "pt {} 3,1 wat nu", "mw {} 520 haloperidol?", "bij {} hoger dan 7", "{} boven 500?"],
)
def test_a_word_with_a_capital_or_a_figure_within_is_no_name(word: str, said: str) -> None:
    assert identifying(said.format(word)) == ()


@pytest.mark.parametrize(
    "name", ["McDonald", "VanDamme", "O'Brien", "DeVries", "Al-Hassan", "MacLeod", "Élodie-Anne", "Smet"]
)
def test_a_capital_behind_what_family_names_begin_with_is_a_names(name: str) -> None:
    assert identifying(f"mevr {name} heeft pijn") != ()


def test_a_score_that_is_spelled_as_a_title_names_nobody() -> None:
    assert identifying("mRS Richtlijn kind") == ()
    assert identifying("MRS Richter paracetamol?") != ()
