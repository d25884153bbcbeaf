"""The halves of a judged set: choices are made on the validate half, and the test half is looked at
once they are made.

Whatever chooses (a threshold, a weight, one of two settings) calls refuse_test first; nothing else
decides it.
"""

from __future__ import annotations

from collections.abc import Iterable

from rag_api.errors import InvalidInput
from rag_api.evaluate.judged import Judged


def refuse_test(questions: Iterable[Judged], what: str) -> None:
    """Raises InvalidInput when one of them is of the test half: a figure that was tuned on says
    nothing of new questions any more."""
    if any(question.split == "test" for question in questions):
        raise InvalidInput(
            f"{what} is chosen on the validate half of a judged set, never on its test half: give --split validate"
        )
