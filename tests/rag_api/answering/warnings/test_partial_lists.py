"""Lists quoted in part: how many items stand in the answer and how many do not, and what is said of
it above the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag_api.answering.warnings.partial_lists import PartialList, partial_lists
from rag_api.answering.warnings.source_warnings import in_part
from rag_api.domain import Block, BlockKind, Citation
from rag_api.text.blocks import packed

pytestmark = pytest.mark.quick

ITEMS = ["Niet bij astma.\n", "Niet bij een maagzweer.\n", "- bloedend\n", "- doorgebroken\n", "Niet bij nierfalen.\n"]
LEVELS = [0, 0, 1, 1, 0]
BEFORE, AFTER = "Niet geven:\n", "Bel de arts.\n"
TEXT = BEFORE + "".join(ITEMS) + AFTER


def starts() -> list[int]:
    return [len(BEFORE) + sum(map(len, ITEMS[:n])) for n in range(len(ITEMS) + 1)]


def structure() -> str:
    at = starts()
    blocks = [Block(BlockKind.PARAGRAPH, 0, len(BEFORE)), Block(BlockKind.LIST, at[0], at[-1])]
    blocks += [Block(BlockKind.ITEM, at[n], at[n + 1], parent=1, level=LEVELS[n]) for n in range(len(ITEMS))]
    return packed([*blocks, Block(BlockKind.PARAGRAPH, at[-1], len(TEXT))])


def cited(*quotes: str) -> list[PartialList]:
    citations = []
    for words in quotes:
        start = TEXT.index(words)
        citations.append(Citation(0, len(words), "d", start, start + len(words), words, 1, (), 2))
    return partial_lists(citations, {"d": TEXT}, {"d": structure()})


def test_items_that_are_not_quoted_are_counted() -> None:
    assert cited(ITEMS[0]) == [PartialList(1, 3, 2)]
    assert cited(ITEMS[0], ITEMS[4]) == [PartialList(2, 3, 2)]


def test_an_item_is_quoted_where_what_stands_deeper_in_it_is() -> None:
    assert cited("bloedend") == [PartialList(1, 3, 2)]
    assert cited("maagzweer", "bloedend") == [PartialList(1, 3, 2)]


def test_a_whole_list_and_words_outside_of_it_are_not_in_part() -> None:
    assert cited("".join(ITEMS)) == []
    assert cited(ITEMS[0], "bloedend", ITEMS[4]) == []
    assert cited(AFTER) == []


def test_rows_of_a_table_that_are_not_quoted_are_counted_without_its_header_and_names_of_groups() -> None:
    rows = [("Stof", "Dosis"), ("Volwassenen",), ("A", "1 g"), ("B", "2 g"), ("C", "3 g")]
    text, blocks = "", [Block(BlockKind.TABLE, 0, 0)]
    for row in rows:
        at = len(blocks)
        blocks.append(Block(BlockKind.ROW, len(text), len(text), parent=0, header=row == rows[0]))
        for column, cell in enumerate(row):
            blocks.append(
                Block(
                    BlockKind.CELL, len(text), len(text) + len(cell) + 1, parent=at, column=column, columns=3 - len(row)
                )
            )
            text += f"{cell}\n"
        blocks[at] = replace(blocks[at], end=len(text))
    blocks[0] = replace(blocks[0], end=len(text))

    def of(*quotes: str) -> list[PartialList]:
        places = [(text.index(words), len(words)) for words in quotes]
        return partial_lists(
            [Citation(0, n, "d", at, at + n, "", 1, (), 1) for at, n in places], {"d": text}, {"d": packed(blocks)}
        )

    assert of("Stof\nDosis\n", "Volwassenen\n", "B\n2 g\n") == [PartialList(1, 3, 1, rows=True)]
    assert of("A\n1 g\nB\n2 g\nC\n3 g\n") == []
    (told,) = in_part(of("B\n2 g\n"), "nl")
    assert (told.code, told.text) == (
        "table_in_part",
        "Deze tabel is niet volledig (1 van de 3 rijen): open de bron voor de andere.",
    )


def test_a_document_whose_text_is_not_at_hand_is_passed_over() -> None:
    assert partial_lists([Citation(0, 1, "other", 0, 1, "N", 1, (), 1)], {"d": TEXT}, {}) == []


def test_the_reader_is_told_of_the_list_that_lacks_most() -> None:
    (told,) = in_part([PartialList(2, 3, 1), PartialList(1, 10, 4)], "en")
    assert (told.code, told.about) == ("list_in_part", (4,))
    assert told.text == "This list is not complete (1 of 10 items): open the source for the others."
    assert in_part([], "nl") == []
