"""The indication that a drug is asked for: its dose for one disease is none for another, nor what
prevents a clot what treats one.

By the table of concepts and by words; where a question names neither a disease nor whether it is to
treat or to prevent, nothing follows.
"""

from __future__ import annotations

import re

from rag_api.guard.concepts import concepts, concepts_in, is_named, mentions
from rag_api.guard.words import folded
from rag_api.text.word_match import content_words, held

_ILL = frozenset(("disease", "germ"))
_AILS = _ILL | {"symptom"}
_SHORTEST, _SURE = 4, 0.85  # letters of a name's words; how like a text's word must be
_TREATS = re.compile(
    r"\b(?:behandel(?:dos|schema)\w*|therapeutisch\w*|therapeutic\w*|treatment "
    r"(?:dose|dosage|dosing|regimen)|curatie(?:f|ve))\b"
)
_PREVENTS = re.compile(r"\b(?:profyla\w*|prophyla\w*|preventi\w*|ter voorkoming)\b")


def is_for_another_illness(question: str, *texts: str) -> bool:
    """Return whether a question names diseases or germs, and a whole document, its title and its
    text, nothing of what it says ails the patient, nor what that is a kind of."""
    asked = _ails(question)
    if not any(concepts()[line].kind in _ILL for line in asked):
        return False
    said = frozenset().union(*(concepts_in(text) for text in texts))
    if any(is_named(line, said) or any(is_named(one, frozenset((line,))) for one in said) for line in asked):
        return False
    return not any(_has_a_name(line, text) for line in asked for text in texts)


def _has_a_name(line: int, text: str) -> bool:
    """Also where a name is spelled otherwise, or is part of a word that the table reads as
    something else."""
    called = (content_words(name) for name in concepts()[line].names)
    return any(words and min(map(len, words)) >= _SHORTEST and held((tuple(words),), text) >= _SURE for words in called)


def ills_in(text: str) -> frozenset[int]:
    """The germs and diseases that a text may name."""
    return frozenset(line for line in concepts_in(text) if concepts()[line].kind in _ILL)


def _ails(text: str) -> frozenset[int]:
    """What is named that is a disease, germ or symptom and can mean nothing else."""
    named = (lines for lines, _ in mentions(text) if lines and all(concepts()[line].kind in _AILS for line in lines))
    return frozenset(line for lines in named for line in lines)


def is_of_the_other_intent(question: str, text: str) -> bool:
    """Return whether a text is about preventing what the question is about treating, or the other
    way round, and about nothing else."""
    asked, said = folded(question), folded(text)
    for ours, theirs in ((_TREATS, _PREVENTS), (_PREVENTS, _TREATS)):
        if ours.search(asked) and not theirs.search(asked):
            return bool(theirs.search(said)) and not ours.search(said)
    return False
