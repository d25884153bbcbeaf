"""Words that a question says and a quoted passage does not: its specific words that stand there
under no known name.

A hint for the reader's eye, never a verdict: under a passage about another condition than the one
asked for it stands oftener than under one that answers, and under those too (docs/evaluation.md has
the counts). Specific are words that are rare in general Dutch and English (`wordfreq`). A word is
named by itself, inflected, misspelt or within a compound, by what the hospital's lists and the
table of drugs call it, and a patient by any word for the same patients.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from functools import cache

from wordfreq import get_frequency_dict

from rag_api.domain import TargetGroup
from rag_api.guard.drugs import is_drug
from rag_api.guard.words import folded
from rag_api.guard.words import words as group_words
from rag_api.text.bm25_analyzer import LANGUAGES, stem, words
from rag_api.text.word_match import ALIKE, Called, likeness

SPECIFIC = 3.9  # Zipf's scale: eight in a million words; chosen on WardQA's validate part
RARE = 5.0  # Zipf's scale, for the decision: what is commoner tells nothing
MOST = 4  # words of a hint: more say that nothing fits at all
PART = 4  # letters that a part of a compound has at least
_TYPED = re.compile(r"[^\W\d_][\w'-]*")
_LINKS = ("", "s", "en", "n", "e")  # between the parts of a Dutch compound


def unnamed(
    question: str, sought: Sequence[Called], passage: str, *, crossed: bool = False, about: Collection[TargetGroup] = ()
) -> tuple[str, ...]:
    """Return the words as they are typed, in the question's order. `sought`: the question's words
    with their names; `passage`: all that stands in the quoted block, its title and its headings;
    `about`: the patients whom its document says it is for. `crossed`: it is in another language
    than the question, where only drugs have the same names."""
    called = {names[0][0]: names for names in sought}
    there = frozenset(words(passage))
    found = dict[str, None]()
    for typed in _TYPED.findall(question):
        for word in words(typed):
            wanted = word in called and is_specific(word) and (not crossed or is_drug(folded(word)))
            if wanted and not _is_named(called[word], word, there, about):
                found[typed] = None
    return tuple(found)[:MOST]


def rarity(question: str, sought: Sequence[Called], passage: str) -> float:
    """Return how far the rarest word that the passage does not name lies below RARE on Zipf's
    scale; 0 when all are named or common."""
    called = {names[0][0]: names for names in sought}
    there = frozenset(words(passage))
    asked = {
        word: max(0.0, RARE - _most(word))
        for word in words(question)
        if word in called and word.isalpha() and len(word) > 2
    }
    return max(
        (rare for word, rare in asked.items() if rare and not _is_named(called[word], word, there, ())), default=0.0
    )


def is_specific(word: str) -> bool:
    """Return whether it is rare in general Dutch and in general English alike."""
    return len(word) > 2 and word.isalpha() and _most(word) < SPECIFIC


def _is_named(names: Called, word: str, there: Collection[str], about: Collection[TargetGroup]) -> bool:
    return (
        any(_is_spelled(name, there) for name in names)
        or _is_in_compounds(word, there)
        or _is_patient(word, there, about)
    )


def _is_spelled(name: Sequence[str], there: Collection[str]) -> bool:
    """Each of its words stands there, perhaps misspelt: alike and with the same first letter
    ("knieprothese" is not "prothese")."""
    return all(likeness(word, " ".join(other for other in there if other[0] == word[0])) >= ALIKE for word in name)


def _is_in_compounds(word: str, there: Collection[str]) -> bool:
    """A longer word holds it or its stem ("gespoeld" holds that of "spoelen"), or it is made of two
    parts that words of the passage hold: "heupprothese" of "prothese van de heup"."""
    stems = {word, *(stem(word, language) for language in LANGUAGES)}
    if any(len(one) >= PART and _is_part(one, there) for one in stems):
        return True
    cuts = range(PART, len(word) - PART + 1)
    return any(_is_part(_without_link(word[:cut], there), there) and _is_part(word[cut:], there) for cut in cuts)


def _without_link(part: str, there: Collection[str]) -> str:
    shorter = [part.removesuffix(link) for link in _LINKS if part.endswith(link)]
    return next((one for one in shorter if len(one) >= PART and _is_part(one, there)), part)


def _is_part(part: str, there: Collection[str]) -> bool:
    return any(part in word for word in there)


def _is_patient(word: str, there: Collection[str], about: Collection[TargetGroup]) -> bool:
    """Another word for the same patients stands there, or the document is for them."""
    known = group_words("patient")
    groups = known.get(folded(word), frozenset())
    return bool(groups & frozenset(about)) or any(groups & known.get(other, frozenset()) for other in there)


def _most(word: str) -> float:
    return max(_zipf(word, language) for language in LANGUAGES)


@cache
def _zipf(word: str, language: str) -> float:
    """Return the logarithm to ten of how often it comes in a thousand million words; 0 below one in
    a million."""
    frequency = _frequencies(language).get(word, 0.0)
    return math.log10(1e9 * frequency) if frequency else 0.0


@cache
def _frequencies(language: str) -> dict[str, float]:
    return get_frequency_dict(language, "small")
