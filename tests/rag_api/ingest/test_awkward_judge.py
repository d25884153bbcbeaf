"""The judge of made documents names each kind of fault: without that, its silence says nothing."""

import pytest

from tests.rag_api.awkward.judge import judge
from tests.rag_api.awkward.made import Made

_MADE = Made("made.pdf", b"", (("Geef 5 mg.", "Nooit 50 mg."), ("Let op",)), ("blz. 1",))
_WHOLE = "Geef 5 mg.\nNooit 50 mg.\nLet op\n"


def test_what_is_all_there_has_no_fault() -> None:
    assert judge(_MADE, _WHOLE, ["blz. 1"]).faults == ()
    assert judge(_MADE, f"Let op\nblz. 1\n{_WHOLE.removesuffix('Let op' + chr(10))}", []).faults == ()


@pytest.mark.parametrize(
    ("stored", "fault"),
    [
        (_WHOLE.replace("Nooit 50 mg.\n", ""), "lost"),
        (_WHOLE.replace("Let op", "Let op\nLet op"), "doubled"),
        ("Nooit 50 mg.\nGeef 5 mg.\nLet op\n", "out of order"),
        (_WHOLE.replace("Nooit 50", "Nooit\n50"), "broken"),
        (_WHOLE.replace("50 mg.\nLet", "50 mg. Let"), "on one line"),
        (_WHOLE + "Geef 500 mg.", "added"),
    ],
)
def test_each_fault_is_named(stored: str, fault: str) -> None:
    assert any(told.startswith(fault) for told in judge(_MADE, stored, ["blz. 1"]).faults)


def test_a_line_that_was_cut_without_a_word_is_lost() -> None:
    assert judge(_MADE, _WHOLE, []).faults == ("lost (0 stored, 0 cut, of 1): 'blz. 1'",)
