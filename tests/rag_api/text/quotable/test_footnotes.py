"""The footnotes that a passage's marks point to, and nothing that only looks like one."""

from __future__ import annotations

import pytest

from rag_api.text.blocks import blocks_of
from rag_api.text.quotable.footnotes import MOST, footnotes

pytestmark = pytest.mark.quick


def notes(text: str, passage: str) -> list[str]:
    start = text.index(passage)
    return [text[a:b].strip() for a, b in footnotes(text, blocks_of(text), start, start + len(passage))]


TABLE = "Middel\tDosis\nmorfine\t5 mg ¹\npiritramide\t15 mg²,³\nketamine\t10 mg\n\n"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("morfine\t5 mg ¹", ["¹ Boven 75 jaar: 2,5 mg."]),
        ("piritramide\t15 mg²,³", ["² Niet bij astma.", "³ Kind: 0,1 mg/kg."]),
        ("ketamine\t10 mg", []),
    ],
)
def test_a_rows_marks_bring_their_footnotes_in_their_order(row: str, expected: list[str]) -> None:
    assert notes(f"{TABLE}¹ Boven 75 jaar: 2,5 mg.\n\n² Niet bij astma.\n\n³ Kind: 0,1 mg/kg.\n", row) == expected


def test_footnotes_behind_each_other_in_one_paragraph_are_told_apart() -> None:
    assert notes(
        f"{TABLE}¹ Boven 75 jaar: 2,5 mg. ² Niet bij astma. ³ Kind: 0,1 mg/kg.\n", "piritramide\t15 mg²,³"
    ) == [
        "² Niet bij astma.",
        "³ Kind: 0,1 mg/kg.",
    ]


def test_the_next_footnote_of_that_mark_is_meant() -> None:
    text = "Geef 1 g.¹\n\n¹ Onder 50 kg: 15 mg/kg.\n\nGeef 2 g.¹\n\n¹ Niet bij leverfalen.\n"
    assert notes(text, "Geef 1 g.¹") == ["¹ Onder 50 kg: 15 mg/kg."]
    assert notes(text, "Geef 2 g.¹") == ["¹ Niet bij leverfalen."]


@pytest.mark.parametrize(
    "passage", ["Geef 1000 mg/m² in 1 uur.", "Bij meer dan 10 x 10⁹ cellen niet.", "Meet 2 cm³ af."]
)
def test_exponents_are_no_marks(passage: str) -> None:
    assert notes(f"{passage}\n\n² Niet bij astma.\n\n³ Kind: minder.\n\n⁹ Nooit.\n", passage) == []


def test_a_star_is_a_mark_but_a_list_of_stars_is_none() -> None:
    assert notes("Kalium 40 mmol *\n\n* Enkel centraal.\n", "Kalium 40 mmol *") == ["* Enkel centraal."]
    assert notes("Kalium 40 mmol *\n\n* Bel de arts.\n* Noteer het uur.\n", "Kalium 40 mmol *") == []


def test_what_begins_with_a_mark_is_no_footnote_of_itself_and_there_is_an_end() -> None:
    assert notes("² Niet bij astma.\n\n² Kind: minder.\n", "² Niet bij astma.") == []
    marks = "¹²³⁴⁵⁶"
    text = (
        " ".join(f"woord{mark}" for mark in marks)
        + "\n\n"
        + "".join(f"{mark} Noot {n}.\n\n" for n, mark in enumerate(marks))
    )
    assert len(notes(text, text.splitlines()[0])) == MOST
