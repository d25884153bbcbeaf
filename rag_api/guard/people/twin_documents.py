"""Documents about the same for other patients: "Anafylaxie bij kinderen" and "Anafylaxie bij
volwassenen".

Found by their titles: without the words for patients, the words of one are those of the other, or
nearly. One must hold all of the other's, so that "Gentamicine, dosering en spiegels" and
"Vancomycine, dosering en spiegels" are no twins.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rag_api.domain import Metadata
from rag_api.guard.words import folded, pattern
from rag_api.text.bm25_analyzer import STOP_WORDS

NEARLY = 2 / 3  # of the longer title's words are the shorter one's
_WORD = re.compile(r"[^\W_]+")
_STOP = {folded(word) for words in STOP_WORDS.values() for word in words}


@lru_cache(maxsize=20_000)
def subject(title: str) -> frozenset[str]:
    """The words of a title that tell what it is about, without those that tell for whom."""
    text = pattern("patient", "state").sub(" ", folded(title))
    text = pattern("title").sub(" ", text)
    return frozenset(word for word in _WORD.findall(text) if word not in _STOP and len(word) > 1)


def same_subject(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return bool(shorter) and shorter <= longer and len(shorter) >= NEARLY * len(longer)


def are_twins(one: Metadata, other: Metadata) -> bool:
    """The same subject in the same language, for patients that do not all coincide."""
    if not one.target_groups or not other.target_groups or set(one.target_groups) & set(other.target_groups):
        return False
    languages = {one.language, other.language} - {""}
    return len(languages) < 2 and same_subject(subject(one.title), subject(other.title))
