"""Two readings of a line -> which letters of it are in doubt.

Grave are words that a dose or a prohibition hangs on: with a digit, a unit, a comparison, "niet",
"geen", "not", "never". Where the two readers differ on one, or the first is not sure enough of it,
it is in doubt. Of other words the readers may differ when the first is quite sure. With one reader
alone the first must be surer. What only the second reads casts doubt on the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from rag_api.guard.numbers.quantities import unit_words
from rag_api.ingest.ocr.paddle import Reading
from rag_api.ingest.ocr.tesseract import Second


@dataclass(frozen=True, slots=True)
class LetterLimits:
    """The least probability of each letter that is believed. Fitted on the development half
    (docs/evaluation.md)."""

    grave: float = 0.70  # both readers agree
    other: float = 0.40
    differing: float = 0.90  # of a word that is not grave and that they read otherwise
    grave_alone: float = 0.97  # the first reader alone
    other_alone: float = 0.70
    white: float = 0.65  # of white space beside what is grave: something may stand there


LIMITS = LetterLimits()
_NEGATION_WORDS = """
niet nooit geen zonder behalve tenzij noch mag moet alleen enkel not no never none nor cannot without except unless stop only must don't
"""
_NEGATIONS = frozenset(_NEGATION_WORDS.split())
_GRAVE = re.compile(r"[\d<>≤≥±%‰½¼¾⅓⅔×+=²³µ↑↓]")
_SAME = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "`": "'", "–": "-", "—": "-", "−": "-", "μ": "µ", "●": "•"}
)
_EDGES = ".,;:!?()[]{}'\"|_*-•·…~\\/"
_BETWEEN = "\x1f"  # stands for white space between two digits, which alone tells "5 10" from "510"


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: str  # without marks at its edges, in small letters
    grave: bool


def doubtful(first: Reading, second: Second | None, limits: LetterLimits = LIMITS) -> NDArray[np.bool_]:
    """[letters of the first reading]"""
    ours = _tokens(first.text)
    theirs = _tokens(" ".join(word for word, _ in second.words)) if second is not None else []
    alone = not theirs
    differing, gravely = (set[int](), set[int]()) if alone else _differing(ours, theirs)
    found = np.zeros(len(first.text), bool)
    for n, token in enumerate(ours):
        sure = float(first.sure[token.start : token.end].min())
        least = (
            (limits.grave_alone if alone else limits.grave)
            if token.grave
            else limits.other_alone
            if alone
            else limits.other
        )
        found[token.start : token.end] = (
            sure < max(least, limits.differing if n in differing else 0)
            or n in gravely
            or _crowded(first, token, limits)
        )
    return found


def _crowded(first: Reading, token: _Token, limits: LetterLimits) -> bool:
    """Whether the white space beside a grave word may hold something."""
    around = first.sure[max(0, token.start - 1) : token.start], first.sure[token.end : token.end + 1]
    return token.grave and any(float(white.min(initial=1.0)) < limits.white for white in around)


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    for match in re.finditer(r"\S+", text.translate(_SAME)):
        word = match.group().strip(_EDGES).casefold()
        after_number = bool(found) and found[-1].text[-1:].isdigit()
        if word:
            found.append(_Token(match.start(), match.end(), word, _is_grave(word, after_number)))
        elif _GRAVE.search(match.group()):
            found.append(_Token(match.start(), match.end(), match.group(), True))
    return found


def _is_grave(word: str, after_number: bool) -> bool:
    if _GRAVE.search(word) or word in _NEGATIONS:
        return True
    return any(part in unit_words() and (len(part) > 1 or after_number or "/" in word) for part in word.split("/"))


def _differing(ours: Sequence[_Token], theirs: Sequence[_Token]) -> tuple[set[int], set[int]]:
    """Which of our tokens are read otherwise, and which of them so that a dose or a prohibition may
    hang on it."""
    one, two = list(_letters(ours)), list(_letters(theirs))
    matcher = SequenceMatcher(None, [letter for letter, _ in one], [letter for letter, _ in two], autojunk=False)
    differing: set[int] = set()
    gravely: set[int] = set()
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            continue
        touched = {n for _, n in one[a:b]} or {n for _, n in (*one[max(0, a - 1) : a], *one[a : a + 1])}
        there = {n for _, n in two[c:d]}
        differing |= touched
        if any(ours[n].grave for n in touched) or any(theirs[n].grave for n in there):
            gravely |= touched
    return differing, gravely


def _letters(tokens: Sequence[_Token]) -> Iterator[tuple[str, int]]:
    """All letters in a row, each with the number of its token."""
    for n, token in enumerate(tokens):
        if n and token.text[0].isdigit() and tokens[n - 1].text[-1].isdigit():
            yield _BETWEEN, n
        for letter in token.text:
            yield letter, n
