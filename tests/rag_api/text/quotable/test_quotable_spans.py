"""Context that a sentence must not be read without: introductions, headers, headings that turn it
over, the sentence before."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_api.domain import Block, BlockKind
from rag_api.text.quotable.quotable_spans import quotable, wholes
from services.contract.wire import MAX_LEAD

pytestmark = pytest.mark.quick


def read(text: str) -> list[str]:
    """Each quote as it would be read, a bar between its lead and itself."""
    return ["".join(text[a:b] for a, b in q.lead) + "|" + text[q.start : q.end].rstrip() for q in quotable(text)]


def test_a_list_item_brings_the_line_that_introduces_its_list() -> None:
    text = "Paracetamol kan. Niet geven bij:\n- koorts boven 39 °C\n- ernstige leverinsufficientie. Overleg dan.\n"
    assert read(text) == [
        "|Paracetamol kan.",
        "Niet geven bij:\n|- koorts boven 39 °C",
        "Niet geven bij:\n|- ernstige leverinsufficientie. Overleg dan.",
    ]


def test_a_list_without_an_introduction_brings_its_heading() -> None:
    assert read("3. Contra-indicaties\n• leverfalen\n• allergie\n") == [
        "3. Contra-indicaties\n|• leverfalen",
        "3. Contra-indicaties\n|• allergie",
    ]


def test_a_row_brings_its_tables_header_and_headers_are_no_quotes() -> None:
    text = (
        "2. Dosis\nGewicht\tDosis\tInterval\nKind tot 10 kg\t75 mg\t6 uur\nKind tot 20 kg\t150 mg\t6 uur\n\nDaarna "
        "niets.\n"
    )
    assert read(text) == [
        "2. Dosis\nGewicht\tDosis\tInterval\n|Kind tot 10 kg\t75 mg\t6 uur",
        "2. Dosis\nGewicht\tDosis\tInterval\n|Kind tot 20 kg\t150 mg\t6 uur",
        "|Daarna niets.",
    ]


def test_a_header_of_figures_heads_a_regular_table() -> None:
    text = "Schaal\nMEWS\t3\t2\t1\nPols\tonder 40\t41-50\t51-100\nTemperatuur\tonder 35\t35-36\t36-38\n"
    assert read(text)[0] == "Schaal\nMEWS\t3\t2\t1\n|Pols\tonder 40\t41-50\t51-100"


def test_where_nothing_is_known_of_how_it_looks_a_first_row_of_words_heads_words() -> None:
    rows = ["jeuk\tcetirizine", "pijn\tparacetamol", "onrust\thaloperidol"]
    assert read("Klacht\tMiddel\n" + "\n".join(rows) + "\n") == [f"Klacht\tMiddel\n|{row}" for row in rows]


def test_a_name_beside_a_number_heads_no_other_pairs_of_them() -> None:
    rows = ["Nummer\tA-9\tVersie\t3.0", "Vanaf\t15/05/2025\tTot\t14/05/2030", "Soort\tprotocol\tTaal\tnl"]
    assert read("Kaart\n" + "\n".join(rows) + "\n") == [f"Kaart\n|{row}" for row in rows]


def test_rows_of_figures_have_no_header() -> None:
    rows = ["10 kg\t75 mg", "20 kg\t150 mg", "30 kg\t225 mg"]
    assert read("Dosis\n" + "\n".join(rows) + "\n") == [f"Dosis\n|{row}" for row in rows]


@pytest.mark.parametrize(
    "above", ["paracetamol bij kinderen van 5 tot 30 kg", "Niet bij leverfalen. Paracetamol bij kinderen:"]
)
def test_a_row_brings_its_tables_caption_and_the_heading_above_it(above: str) -> None:
    rows = "Gewicht\tDosis\tInterval\nKind tot 10 kg\t75 mg\t6 uur\nKind tot 20 kg\t150 mg\t6 uur\n"
    caption = above.split(". ")[-1]
    lead = read(f"2. Dosis\n{above}\n{rows}")[-1]
    assert lead == f"2. Dosis\n{caption}\nGewicht\tDosis\tInterval\n|Kind tot 20 kg\t150 mg\t6 uur"


def test_a_list_brings_its_numbered_caption_but_neither_of_two() -> None:
    one, two = "Kader 1. Voor de start van de pomp.\n\n", "Kader 2. Na een uur op de afdeling.\n\n"
    items = "- Sluit de pomp aan.\n- Start de pomp.\n"
    assert read(f"Inleiding van de kaart.\n\n{one}{items}")[-2] == f"{one}|- Sluit de pomp aan."
    assert read(f"Inleiding van de kaart.\n\n{one}{two}{items}")[-2:] == ["|- Sluit de pomp aan.", "|- Start de pomp."]


def test_a_sentence_above_a_table_is_no_caption() -> None:
    rows = "Gewicht\tDosis\tInterval\nKind tot 10 kg\t75 mg\t6 uur\nKind tot 20 kg\t150 mg\t6 uur\n"
    lead, _, _ = read(f"2. Dosis\nGeef dit traag.\n{rows}")[-1].partition("|")
    assert lead == "2. Dosis\nGewicht\tDosis\tInterval\n"


def test_what_versions_changed_is_no_quote() -> None:
    assert read(
        "Einde.\n\nVersie\tDatum\tWijziging\n2.0\t01/02/2024\tdosis verlaagd\n1.0\t01/02/2020\teerste versie\n"
    ) == ["|Einde."]


def test_what_the_document_is_is_no_quote() -> None:
    text = (
        "Kaliumchloride\nDocumentnummer\tAPO-001\tVersie\t4.2\nDoelgroep\tvolwassenen\nGeldig "
        "vanaf\t01/03/2025\n\nGeef het traag.\n"
    )
    assert read(text) == ["|Geef het traag."]


def test_a_sentence_below_a_heading_that_turns_it_over_brings_the_heading() -> None:
    text = (
        "4. Contra-indicaties\nLeverfalen en allergie.\n\n5. Werkwijze\nSpoel de leiding.\n\n6. Kinderen\nGeef 15 "
        "mg/kg.\n"
    )
    assert read(text) == [
        "4. Contra-indicaties\n|Leverfalen en allergie.",
        "|Spoel de leiding.",
        "6. Kinderen\n|Geef 15 mg/kg.",
    ]


def test_a_sentence_that_points_back_is_one_with_the_sentence_before() -> None:
    text = "Een hoog bloedingsrisico is een INR boven 2. Deze patiënten krijgen geen LMWH. Noteer dat.\n"
    assert read(text) == [
        "|Een hoog bloedingsrisico is een INR boven 2.",
        "|Een hoog bloedingsrisico is een INR boven 2. Deze patiënten krijgen geen LMWH.",
        "|Noteer dat.",
    ]


def test_a_sentence_that_is_taken_back_is_not_read_alone() -> None:
    assert read("Geef 1 g paracetamol. Behalve bij leverfalen. Noteer dat.\n") == [
        "|Geef 1 g paracetamol. Behalve bij leverfalen.",
        "|Noteer dat.",
    ]


@pytest.mark.parametrize(
    "old",
    [
        "Wijzigingen sinds versie 5\n• Plafond 0,06 E/min is verlaagd.\n",
        "Changed since version 3\n• Phosphate 20 mmol over 2 h was withdrawn.\n",
        "Oude versie (6) – niet meer gebruiken:\n- Spuit van 20 000 E in 50 ml.\n",
        "- Version 2: stop caffeine at 33 weeks.\n",
        "- EPAP was 5 cmH2O (v4).\n",
        "Vervangt versie 2021, waarin 20 mg stond.\n",
    ],
)
def test_what_a_document_said_before_is_no_quote(old: str) -> None:
    assert read(f"{old}\nDosis\nGeef 1 g.\n") == ["|Geef 1 g."]


@pytest.mark.parametrize(
    "now",
    ["Wijziging van de dosis bij nierfalen: halveer.", "Gebruik versie 3 van het formulier.", "Vervang de naald."],
)
def test_what_only_speaks_of_a_change_or_a_version_is_one(now: str) -> None:
    assert read(f"{now}\n") == [f"|{now}"]


def test_where_the_first_row_has_no_name_rows_without_a_name_are_not_quoted() -> None:
    text = "Kind\tMiddel\tDosis\n\tibuprofen\t100 mg\n10 kg\tparacetamol\t150 mg\n\tibuprofen\t200 mg\n"
    cells = [
        ("Kind", "Middel", "Dosis"),
        ("ibuprofen", "100 mg"),
        ("10 kg", "paracetamol", "150 mg"),
        ("ibuprofen", "200 mg"),
    ]
    blocks, at = [Block(BlockKind.TABLE, 0, len(text))], 0
    for row, line in zip(cells, text.splitlines(keepends=True), strict=True):
        blocks.append(Block(BlockKind.ROW, at, at + len(line), 0, header=row[0] == "Kind"))
        parent = len(blocks) - 1
        for n, cell in enumerate(row):
            start = text.index(cell, at)
            blocks.append(
                Block(
                    BlockKind.CELL, start, start + len(cell), parent, column=n + 3 - len(row), header=row[0] == "Kind"
                )
            )
        at += len(line)
    quotes = [
        "".join(text[a:b] for a, b in (*quote.lead, (quote.start, quote.end))) for quote in quotable(text, blocks)
    ]
    assert quotes == ["Kind\tMiddel\tDosis\n10 kg\tparacetamol\t150 mg\n"]


words = st.sampled_from(
    [
        "Geef 1 g.",
        "Niet bij:",
        "- koorts",
        "• pijn",
        "\n",
        "\n\n",
        "A\tB",
        "1\t2",
        "Deze niet.",
        "2. Kop\n",
        "Behalve ik.",
        "🙂",
        "",
    ]
)


@given(st.lists(words, max_size=25).map("".join))
def test_quotes_and_leads_are_places_of_the_text_in_its_order(text: str) -> None:
    for quote in quotable(text):
        places = [*quote.lead, (quote.start, quote.end)]
        assert all(0 <= a < b <= len(text) for a, b in places)
        assert all(one[1] <= other[0] for one, other in pairwise(places))
        assert all(text[b - 1].isspace() for _, b in quote.lead)


def table_below(headers: int, apart: str = "") -> tuple[str, list[Block]]:
    """So many header rows, no two alike, and a row below them. apart: what stands between them."""
    text, blocks = "", [Block(BlockKind.TABLE, 0, 0)]
    for n in range(headers + 1):
        start, parent = len(text), len(blocks)
        text += f"Groep {n}\tDosis {n}\n"
        blocks.append(Block(BlockKind.ROW, start, len(text), 0, header=n < headers))
        tab = text.index("\t", start) + 1
        blocks += [Block(BlockKind.CELL, start, tab, parent), Block(BlockKind.CELL, tab, len(text), parent, column=1)]
        text += apart
    blocks[0] = Block(BlockKind.TABLE, 0, len(text))
    return text, blocks


def test_a_row_below_ten_header_rows_is_led_in_by_all_of_them_as_one_place() -> None:
    text, blocks = table_below(10)
    (row,) = quotable(text, blocks)
    assert [text[a:b] for a, b in row.lead] == [text[: row.start]]
    text, blocks = table_below(3)
    assert len(quotable(text, blocks)[0].lead) == 3


def test_what_may_not_be_told_all_that_leads_it_in_is_not_quoted() -> None:
    assert quotable(*table_below(10, apart="\n")) == []
    text, blocks = "", list[Block]()
    for depth in range(12):
        blocks.append(Block(BlockKind.LIST, len(text), 0, len(blocks) - 1))
        text += f"- Stap {depth}.\n"
        blocks.append(Block(BlockKind.ITEM, blocks[-1].start, len(text), len(blocks) - 1, level=depth, label="-"))
        text += "\n"
    blocks = [replace(block, end=len(text)) if block.kind == BlockKind.LIST else block for block in blocks]
    found = quotable(text, blocks)
    assert [text[q.start : q.end] for q in found] == [f"- Stap {depth}.\n" for depth in range(9)]
    assert all(len(unit.lead) <= MAX_LEAD for unit in wholes(text, blocks).values())


@pytest.mark.longer
def test_of_a_book_the_name_leads_in_no_more_than_can_be_told_with_it() -> None:
    book = "1. Zorg voor kinderen\nGeef 15 mg/kg.\n" + "Dat is zo.\n" * 20_000 + "Geef 5 ml.\n"
    first, *_, last = read(book)
    assert (first, last) == ("1. Zorg voor kinderen\n|Geef 15 mg/kg.", "|Geef 5 ml.")


@pytest.mark.longer
def test_what_stands_too_far_below_a_part_s_heading_that_turns_it_over_is_not_quoted() -> None:
    part = "2. Zorg voor kinderen\nGeef 15 mg/kg.\n" + "Dat is zo.\n" * 20_000 + "Geef 5 ml.\n"
    book = "1. Zorg\n" + "Dit is zo.\n" * 20_000 + part
    found = read(book)
    assert "2. Zorg voor kinderen\n|Geef 15 mg/kg." in found
    assert "|Geef 5 ml." not in found
