"""A table of contents is no answer; a table that only looks like one is quoted."""

from __future__ import annotations

import pytest

from rag_api.text.blocks import blocks_of
from rag_api.text.quotable.quotable_spans import quotable, wholes

pytestmark = pytest.mark.quick

ENTRIES = (
    ("1 Inleiding en doel", 2),
    ("2 Volwassenen met pijn", 3),
    ("2.1 Kinderen onder twaalf jaar", 3),
    ("3 Bijwerkingen", 7),
)
SAID = "De verpleegkundige meet bij aankomst de temperatuur en noteert ze."


def _rows(text: str) -> list[str]:
    blocks = blocks_of(text)
    several = [text[one.start : one.end] for one in (*quotable(text, blocks), *wholes(text, blocks).values())]
    return [said for said in several if "\t" in said]


def _document(entries: tuple[tuple[str, int], ...], headings: tuple[str, ...]) -> str:
    listed = "".join(f"{words}\t{page}\n" for words, page in entries)
    return f"Inhoud\n\n{listed}\n" + "".join(f"{heading}\n\n{SAID}\n\n" for heading in headings)


def test_entries_whose_headings_follow_are_not_quoted() -> None:
    assert _rows(_document(ENTRIES, tuple(words for words, _ in ENTRIES))) == []


@pytest.mark.parametrize(
    ("entries", "headings"),
    [
        (ENTRIES, ("Doel",)),
        (tuple((words, 9 - n) for n, (words, _) in enumerate(ENTRIES)), tuple(words for words, _ in ENTRIES)),
        (ENTRIES, tuple(words for words, _ in reversed(ENTRIES))),
        (ENTRIES[:2], tuple(words for words, _ in ENTRIES)),
    ],
    ids=["no such headings", "numbers go down", "another order", "two rows"],
)
def test_other_tables_that_end_in_numbers_are_quoted(
    entries: tuple[tuple[str, int], ...], headings: tuple[str, ...]
) -> None:
    assert _rows(_document(entries, headings))
