"""A text's blocks: headings, paragraphs, lists, tables and notes as a tree, in which every word
stands once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_api.domain import Block, BlockKind
from rag_api.text.blocks import LEAVES, above, blocks_of, headings, leaves, packed, unpacked

pytestmark = pytest.mark.quick


def outline(text: str, blocks: tuple[Block, ...]) -> list[str]:
    """Each block on a line, set in by its depth."""
    lines = []
    for index, block in enumerate(blocks):
        words = text[block.start : block.end].strip() if block.kind in LEAVES else ""
        lines.append(
            f"{'  ' * len(list(above(blocks, index)))}{block.kind}{'*' if block.header else ''} {words}".rstrip()
        )
    return lines


def check(text: str, blocks: tuple[Block, ...]) -> None:
    """Every word in exactly one leaf, in order; whatever holds others reaches around them; parents
    stand before their children."""
    at = 0
    for leaf in leaves(blocks):
        assert not text[at : leaf.start].strip()
        assert at <= leaf.start <= leaf.end
        at = leaf.end
    assert not text[at:].strip()
    for index, block in enumerate(blocks):
        assert -1 <= block.parent < index
        if block.parent >= 0:
            holder = blocks[block.parent]
            assert holder.start <= block.start
            assert holder.kind in LEAVES or block.end <= holder.end
        assert block.start <= block.end <= len(text)


def test_a_document_is_a_tree_of_headings_lists_tables_and_notes() -> None:
    text = (
        "4 Dosering\nGeef traag.\n4.1 Kinderen\nNiet geven bij:\n- koorts\n- pijn\n\nGewicht\tDosis\n10 kg\t75 mg\n20 "
        "kg\t150 mg\n\n"
        "Let op: nooit onverdund.\n5 Nazorg\nBel de arts.\n"
    )
    assert outline(text, blocks_of(text)) == [
        "heading 4 Dosering",
        "  paragraph Geef traag.",
        "  heading 4.1 Kinderen",
        "    paragraph Niet geven bij:",
        "    list",
        "      item - koorts",
        "      item - pijn",
        "    table",
        "      row*",
        "        cell* Gewicht",
        "        cell* Dosis",
        "      row",
        "        cell 10 kg",
        "        cell 75 mg",
        "      row",
        "        cell 20 kg",
        "        cell 150 mg",
        "    note",
        "      paragraph Let op: nooit onverdund.",
        "heading 5 Nazorg",
        "  paragraph Bel de arts.",
    ]


def test_an_item_marked_otherwise_is_part_of_the_item_above_it() -> None:
    text = "1. Bel de arts.\na) overdag\nb) 's nachts\n2. Spoel\n"
    assert outline(text, blocks_of(text)) == [
        "list",
        "  item 1. Bel de arts.",
        "    item a) overdag",
        "    item b) 's nachts",
        "  item 2. Spoel",
    ]


def test_a_list_that_counts_anew_after_white_space_is_another_one() -> None:
    text = "1. Bel\n2. Spoel\n\n1. Weeg\n2. Meet\n"
    assert [block.kind for block in blocks_of(text)].count(BlockKind.LIST) == 2


@pytest.mark.parametrize(
    "between", ["Let op: nooit ijs.\n\n", "Middel\tDosis\nmorfine\t5 mg\n\n", "Dit duurt een uur.\n\n"]
)
def test_a_list_that_counts_on_behind_what_interrupts_it_is_one(between: str) -> None:
    text = f"Werkwijze\n1. Bel\n2. Spoel:\na) met water\n\n{between}b) met zeep\n3. Meld\n"
    blocks = blocks_of(text)
    (list_,) = [block for block in blocks if block.kind == BlockKind.LIST]
    assert text[list_.start : list_.end] == text[text.index("1. Bel") :]
    check(text, blocks)


def test_a_list_below_another_heading_or_far_away_is_another_one() -> None:
    for between in ("3 Verder\n\n", "Woord. " * 100 + "\n\n"):
        kinds = [block.kind for block in blocks_of(f"Werkwijze\n1. Bel\n2. Spoel\n\n{between}3. Meld\n4. Weeg\n")]
        assert kinds.count(BlockKind.LIST) == 2


def test_a_documents_own_question_heads_what_answers_it() -> None:
    text = "Mag ik autorijden?\nNee, de eerste 24 uur niet.\n"
    blocks = blocks_of(text)
    assert [block.kind for block in blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH]
    assert headings(blocks, 1) == [0]


parts = st.sampled_from(
    ["4 Dosering", "4.1 Kinderen", "Bij koorts?", "Geef 1 g. Wacht.", "Niet bij:", "- koorts", "• pijn", "1. bel", "a) hier", "\n", "\n\n",
     "A\tB\tC", "1\t2", "x | y", "Let op: nooit.", "  ", "🙂", ""]
)  # fmt: skip


@given(
    st.lists(st.tuples(parts, st.sampled_from(["\n", "\n\n", " ", ""])), max_size=25).map(
        lambda two: "".join(a + b for a, b in two)
    )
)
def test_every_word_stands_in_exactly_one_leaf_in_order(text: str) -> None:
    check(text, blocks_of(text))


def test_packed_blocks_come_back_as_they_were() -> None:
    blocks = blocks_of("4 Dosis\n- é: 1\n- twee\n\nA\tB\n1\t2\n")
    assert unpacked(packed(blocks)) == blocks
