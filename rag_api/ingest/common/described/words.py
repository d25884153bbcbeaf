"""Words that tell a text's language, and those that may name what it is about."""

from __future__ import annotations

import re

from rag_api.ingest.common.described.dates import MONTHS

TYPES = {
    "richtlijn": "guideline", "patiëntenfolder": "leaflet", "patientenfolder": "leaflet", "folder": "leaflet", "patient leaflet": "leaflet",
    "werkinstructie": "instruction", "work instruction": "instruction", "werkwijze": "instruction",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_DUTCH = (
    "de het een en van in is dat op te zijn met voor niet aan er om ook als dan bij door naar uit wordt worden "
    "moet tot of na over"
)
_ENGLISH = (
    "the of and a to in is that for it with as be are on by this or from at not have an should must which was "
    "were if when"
)
_STOP = {"nl": frozenset(_DUTCH.split()), "en": frozenset(_ENGLISH.split())}
_NAMELESS = frozenset().union(*_STOP.values(), MONTHS, TYPES, TYPES.values())


def language_of(text: str) -> str:
    """ "nl", "en", or "" when it is neither, or too short to say: by the share of the commonest
    words."""
    words = [word.casefold() for word in _WORD.findall(text[:20_000])]
    if len(words) < 4:
        return ""
    shares = {language: sum(word in stop for word in words) / len(words) for language, stop in _STOP.items()}
    best = max(shares, key=lambda language: shares[language])
    other = min(shares.values())
    return best if shares[best] >= 0.08 and shares[best] > 1.4 * other else ""


def naming_words(text: str) -> frozenset[str]:
    """What may name something: no number, month, kind of document or word that every text has."""
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(word for word in words if len(word) > 2 and word not in _NAMELESS)
