"""Dutch or English? For questions of a few words, without a model: words that only one of them has, then letter patterns."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["nl", "en"]

# Words of both languages ("per", "is", "of", "in", "week") are left out: they say nothing.
_DUTCH = """
aan af als altijd ben bij bijwerking bijwerkingen binnen daarna dag dagen dan dat de den deze die dit doe doen door
dosering dosis druppels een eerst en er gebruik geef geen gegeven geven graag haar hebben heeft het hij hoe hoelang
hoevaak hoeveel hoever iedereen iemand ik je kan kind kinderen koorts kunnen maar mag maximale meer met mij mijn moet
moeten mogelijk mogen na naar niet nodig om ons onze ook op opname over patient patienten patiënt patiënten pijn stap
stappen starten stoppen tegen tijdens toe toedienen tot tussen uit uren uur van vanaf verpleegkundige volwassene
volwassenen voor waar waarom wanneer wat weken welk welke werkt wie wij worden wordt zijn zit zonder zwanger zwangere
zwangerschap
"""
_ENGLISH = """
a about above adult adults after again any are be before below between by can child children contact could day days did
do does dose doses dosing drug during each every first for from give given has have her his hour hours how if into isn
it its long many max maximum may medication much must my need needed nurse often on or our pain pregnancy pregnant
procedure rate should side start step steps stop take than that the their them then there these they this to treat
treatment until use was weeks what when where which who whom why with without you your
"""
_WORDS: dict[Language, frozenset[str]] = {"nl": frozenset(_DUTCH.split()), "en": frozenset(_ENGLISH.split())}

_PATTERNS: dict[Language, re.Pattern[str]] = {
    "nl": re.compile(
        r"ij|aa|oe(?!s)|uu|sch|eeu|oo[rgnk]|ui|[bcdfgklmnprstvwz]en\b|heid\b|ing(?:en)\b|atie\b|tie\b|isch\b|ijk\b|eling\b|kunde\b|[aeiou]ë|ieve?\b"
    ),
    "en": re.compile(r"th|wh|sh|tion|ing\b|ough|[^aeiou\W]y\b|ck|ea[tdkr]|ould|ment\b|ness\b|ical?\b|ise\b|ize\b|ive\b|ously?\b|ed\b"),
}


def detect(text: str) -> Language:
    """A text that tells nothing counts as Dutch, the language most staff ask in."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    score = 0.0  # above zero: English
    for word in words:
        score += (word in _WORDS["en"]) - (word in _WORDS["nl"])
        score += 0.3 * (len(_PATTERNS["en"].findall(word)) - len(_PATTERNS["nl"].findall(word)))
    return "en" if score > 0 else "nl"
