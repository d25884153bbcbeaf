"""Wholeness of an answer is judged by all that it must hold and nothing that it must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.quality.whole import WholeQuestion, outcome, read_whole, whole_report
from rag_api.errors import InvalidInput

pytestmark = pytest.mark.quick

ROWS = (
    "id,question,kind,needs,misleads,after\nw1,wat nu,list,spoel met water||ontsmet,knijp,\nw2,en 's "
    "nachts,followup,bel 3000,,wie bellen\n"
)


def test_an_answer_is_whole_when_it_holds_every_part_and_right_when_nothing_in_it_misleads(tmp_path: Path) -> None:
    path = tmp_path / "whole.csv"
    path.write_text(ROWS, encoding="utf-8")
    first, second = read_whole(path)
    assert (second.after, second.needs, second.misleads) == ("wie bellen", ("bel 3000",), ())
    assert outcome(first, True, "1. Spoel met\nwater.\n2. Ontsmet.").right
    half = outcome(first, True, "Spoel met water en knijp.")
    assert (half.whole, half.lacks, half.misleads) == (False, ("ontsmet",), ("knijp",))
    refused = outcome(second, False, "")
    report = whole_report([half, refused, outcome(first, True, "spoel met water, ontsmet, knijp niet")])
    assert (report["n"], report["answered"], report["whole"], report["misleading"], report["right"]) == (3, 2, 1, 2, 0)


def test_a_set_without_what_is_needed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "whole.csv"
    path.write_text("id,question\n1,x\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="needs"):
        read_whole(path)


def test_a_part_that_was_copied_up_to_the_end_of_a_line_is_held_by_the_whole_word() -> None:
    needed = WholeQuestion("w", "allergie?", "row", ("is not an al-",), ("na 30 mi-",))
    assert outcome(needed, True, "It is not an allergy.").right
    assert outcome(needed, True, "It is not an allergy. Herhaal na 30 minuten.").misleads == ("na 30 mi-",)
    assert not outcome(needed, True, "It is an allergy.").whole
