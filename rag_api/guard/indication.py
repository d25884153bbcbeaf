"""What a drug is asked for: its dose for one disease is none for another, nor what prevents a clot what treats one.

By the table of concepts and by words; where a question names neither a disease nor whether it is to treat or to prevent, nothing follows.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rag_api.guard.concepts import concepts, is_named, mentions
from rag_api.guard.words import folded

_ILL = frozenset(("disease", "germ"))
_AILS = _ILL | {"symptom"}
_TREATS = re.compile(
    r"\b(?:behandel(?:dos|schema)\w*|therapeutisch\w*|therapeutic\w*|treatment (?:dose|dosage|dosing|regimen)|curatie(?:f|ve))\b"
)
_PREVENTS = re.compile(r"\b(?:profyla\w*|prophyla\w*|preventi\w*|ter voorkoming)\b")


def is_for_another_illness(question: str, text: str) -> bool:
    """Return whether a question names diseases or germs, and a whole document nothing of what it says ails the patient, nor what that is a
    kind of."""
    asked = _ails(question)
    if not any(concepts()[line].kind in _ILL for line in asked):
        return False
    said = _ails(text)
    return not any(is_named(line, said) or any(is_named(one, frozenset((line,))) for one in said) for line in asked)


@lru_cache(maxsize=256)
def _ails(text: str) -> frozenset[int]:
    """What is named that is a disease, germ or symptom and can mean nothing else."""
    named = (lines for lines, _ in mentions(text) if lines and all(concepts()[line].kind in _AILS for line in lines))
    return frozenset(line for lines in named for line in lines)


def is_of_the_other_intent(question: str, text: str) -> bool:
    """Return whether a text is about preventing what the question is about treating, or the other way round, and about nothing else."""
    asked, said = folded(question), folded(text)
    for ours, theirs in ((_TREATS, _PREVENTS), (_PREVENTS, _TREATS)):
        if ours.search(asked) and not theirs.search(asked):
            return bool(theirs.search(said)) and not ours.search(said)
    return False
