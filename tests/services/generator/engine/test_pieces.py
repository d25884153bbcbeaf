"""A step's room is shared out so that little work passes much, and nobody waits for ever."""

from __future__ import annotations

import numpy as np
import pytest

from services.generator.engine.pieces import PATIENCE, PromptPiece, chains, in_turn, shared

pytestmark = pytest.mark.quick


def test_who_needs_the_least_is_first_and_who_came_first_among_equals() -> None:
    assert in_turn([300, 20, 90, 20], [0, 0, 0, 0]) == [1, 3, 2, 0]
    assert shared(100, [300, 20, 90, 20], [0, 0, 0, 0]) == [0, 20, 60, 20]
    assert shared(64, [300], [0]) == [64]
    assert shared(64, [], []) == []


def test_however_many_short_ones_come_a_long_one_waits_for_no_more_than_its_multiple() -> None:
    missing, computed, short, room = 400, 0, 10, 50
    while missing:
        given = shared(room, [missing, *[short] * 9], [computed, *[0] * 9])
        computed += sum(given)
        missing -= given[0]
        assert sum(given) == room
    assert computed <= PATIENCE * 400 + 400 + room


def test_a_step_of_pieces_has_each_behind_what_its_row_holds() -> None:
    step = chains(
        [PromptPiece(np.arange(5, 8, dtype=np.int32), 3, 10), PromptPiece(np.array([9], np.int32), 1, 0)], logits=1
    )
    assert step.token_ids.tolist() == [[5, 6, 7], [9, 0, 0]]
    assert step.positions[0].tolist() == [10, 11, 12]
    assert (step.slots, step.lengths, step.counts, step.logits_from) == ((3, 1), (10, 0), (3, 1), -1)
    assert step.adapters == ()
