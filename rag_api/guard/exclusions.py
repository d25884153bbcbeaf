"""Things that a question wants left out ("without sedation"), and whether a text speaks of that.

A passage on "with sedation" answers another question, and a document that nowhere says "without"
has no answer to it. The thing may be called otherwise ("zonder roesje", "without sedation").
"""

from __future__ import annotations

import re

from rag_api.guard.concepts import meant
from rag_api.guard.words import folded

_BETWEEN = r"(?:een |de |het |an? |the |any )?"
_WITHOUT = re.compile(rf"\b(?:zonder|without) {_BETWEEN}([^\W\d_]{{4,}})")
_LACKS = re.compile(rf"\b(?:zonder|without|geen|no) {_BETWEEN}([^\W\d_]{{4,}})")
_WITH = re.compile(rf"\b(?:met|with) {_BETWEEN}([^\W\d_]{{4,}})")
_DENIED = re.compile(r"\b(?:zonder|without|geen|no|niet|not|noch|nor)\b([^.;:\n]{0,40})")
_WORD = re.compile(r"[^\W\d_]{4,}")
_BEGINS = 6  # letters by which two words are one: "bijbetaling", "bijbetalen"


def excluded(question: str) -> tuple[str, ...]:
    """Return what it asks about being without."""
    return tuple(_WITHOUT.findall(folded(question)))


def says_without(text: str, thing: str) -> bool:
    """Return whether a text speaks of being without it."""
    denied = (word for found in _DENIED.findall(folded(text)) for word in _WORD.findall(found))
    return any(_is_same(word, thing) for word in denied)


def is_turned(question: str, text: str) -> bool:
    """Return whether a text says "with" of what the question is without, or the other way round,
    and nothing else of it."""
    asked, said = folded(question), folded(text)
    for ours, same, theirs in ((_LACKS, _WITHOUT, _WITH), (_WITH, _WITH, _WITHOUT)):
        for thing in ours.findall(asked):
            if any(_is_same(word, thing) for word in theirs.findall(said)):
                return not any(_is_same(word, thing) for word in same.findall(said))
    return False


def _is_same(word: str, other: str) -> bool:
    """By its letters or by what it means."""
    if word == other or (len(other) >= _BEGINS <= len(word) and word[:_BEGINS] == other[:_BEGINS]):
        return True
    return bool(meant(word) & meant(other))
