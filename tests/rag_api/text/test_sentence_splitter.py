"""Ends of sentences. A wrong cut can lose a "not", so most of these are about not cutting."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_api.text.sentence_splitter import LineKind, is_heading, sentences

pytestmark = pytest.mark.quick


def cut(text: str) -> list[str]:
    return [text[s.start : s.end].strip() for s in sentences(text)]


CLINICAL = (
    "Geef amoxicilline 500 mg p.o. 3x/d. gedurende 7 d. Bij allergie: zie prot. 12. Dr. Peeters verwittigen (tel. "
    "1234). "
    "Max. 10 mmol/u. i.v. Controleer na 15 min. de RR."
)


def test_clinical_dutch_is_cut_between_orders_and_never_inside_one() -> None:
    assert cut(CLINICAL) == [
        "Geef amoxicilline 500 mg p.o. 3x/d. gedurende 7 d.",
        "Bij allergie: zie prot. 12.",
        "Dr. Peeters verwittigen (tel. 1234).",
        "Max. 10 mmol/u. i.v.",
        "Controleer na 15 min. de RR.",
    ]


@pytest.mark.parametrize(
    "whole",
    [
        "Geef nooit meer dan max. 4 g per dag.",
        "Niet toedienen i.v. Kaliumchloride onverdund spuiten is dodelijk.",
        "Geef 1 g p.o. Dafalgan om de 6 u.",
        "Verwittig Dr. J. Janssens of prof. De Smet.",
        "Not for patients under 12 yrs. with e.g. Crohn's disease.",
        "Use approx. 3.5 ml of vit. B12 (see Fig. 2. It shows the site).",
        "Zie art. 12 en nr. 4 van het prot. 7b.",
        "Bel tel. 1234 of tel. 5678 i.g.v. Nood of twijfel.",
        "Dosis: 0.5 tot 1.5 mg/kg/u. i.v. via pomp",
        "Doses of 3 mg i.m. Haloperidol are not given.",
        "The half-life is approx. 6 hrs. in adults.",
        "Geen NSAID's bij o.a. Astma, ulcus e.d. Zonder overleg niet starten".replace(" Zonder", " zonder"),
    ],
)
def test_abbreviations_do_not_end_a_sentence(whole: str) -> None:
    assert cut(whole) == [whole]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Give 5 mg i.m. stat. Repeat after 5 min. if needed.",
            ["Give 5 mg i.m. stat.", "Repeat after 5 min. if needed."],
        ),
        ("Niet langer dan 48 uur! Stop daarna.", ["Niet langer dan 48 uur!", "Stop daarna."]),
        ("Is de patiënt nuchter? 2 uur is genoeg.", ["Is de patiënt nuchter?", "2 uur is genoeg."]),
        ('"Stop." De arts beslist.', ['"Stop."', "De arts beslist."]),
        ("Spoel na. Controleer.", ["Spoel na.", "Controleer."]),
        (
            "Voed om de 3 uur. Drinkt het kind niet, bel de arts. Kinine helpt niet.",
            ["Voed om de 3 uur.", "Drinkt het kind niet, bel de arts.", "Kinine helpt niet."],
        ),
        ("Geef 10 mg. Niet herhalen.", ["Geef 10 mg.", "Niet herhalen."]),
    ],
)
def test_sentences_end_where_they_end(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_list_items_table_rows_and_headings_stand_alone() -> None:
    text = (
        "4.2 Dosering\nNooit geven bij:\n- leverfalen\n- Gewicht < 10 kg\n10-20 kg\t15 mg/kg\t4x/dag\n1. Spoel de "
        "leiding.\n"
    )
    assert [(text[s.start : s.end].strip(), s.kind) for s in sentences(text)] == [
        ("4.2 Dosering", LineKind.HEADING),
        ("Nooit geven bij:", LineKind.PROSE),
        ("- leverfalen", LineKind.ITEM),
        ("- Gewicht < 10 kg", LineKind.ITEM),
        ("10-20 kg\t15 mg/kg\t4x/dag", LineKind.ROW),
        ("1. Spoel de leiding.", LineKind.ITEM),
    ]


def test_a_line_that_goes_on_in_lower_case_is_not_cut() -> None:
    assert cut("Dit mag niet\ngegeven worden aan kinderen.") == ["Dit mag niet\ngegeven worden aan kinderen."]


@pytest.mark.parametrize(
    "line", ["4.2 Dosering", "Contra-indicaties", "3. Treatment by drug", "1. Doel en toepassingsgebied"]
)
def test_titles_are_headings(line: str) -> None:
    assert is_heading(line)


@pytest.mark.parametrize(
    "line", ["Spoel de leiding na.", "- Leverfalen", "niet bij kinderen", "Let op:", "Bel 3000!", ""]
)
def test_what_says_something_is_no_heading(line: str) -> None:
    assert not is_heading(line)


@given(st.text(alphabet=st.sampled_from("aB1 .!?\n\t|-()•é:;…\u00a0💊"), max_size=120))
def test_spans_partition_any_text(text: str) -> None:
    spans = sentences(text)
    assert "".join(text[s.start : s.end] for s in spans) == text
    assert all(a.end == b.start for a, b in pairwise(spans))
    assert all(s.start < s.end for s in spans)


@given(st.lists(st.sampled_from([*CLINICAL.split(), "\n", "•", "(", ")", "12.", "Niet", "mg."]), max_size=40))
def test_every_span_but_the_last_ends_with_white_space(words: list[str]) -> None:
    text = " ".join(words)
    assert all(text[s.end - 1].isspace() for s in sentences(text)[:-1])


@pytest.mark.parametrize("part", [CLINICAL + " (zie ook) ", "geen einde " * 20, "nr. ", "(((. A "])
def test_a_very_long_line_is_cut_in_no_time(part: str) -> None:
    text = part * (400_000 // len(part))
    began = time.process_time()
    assert sentences(text)[-1].end == len(text)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "text",
    [
        "De nieuwe regeling geldt sinds\n1 januari 2022 voor alle diensten.",
        "Op het dak van de kliniek landen kleine helikopters\n(< 10.000 kg) van de dienst.",
        "Bel bij twijfel de\nInfectioloog van wacht.",
    ],
)
def test_a_line_that_cannot_end_where_it_ends_goes_on_in_the_next(text: str) -> None:
    assert len(sentences(text)) == 1
