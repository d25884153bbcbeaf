"""Dutch or English? For questions of a few words, without a model: words that only one of them has,
then letter patterns."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["nl", "en"]

# Words of both languages ("per", "is", "of", "in", "week") are left out: they say nothing.
_DUTCH = """
aan af afdeling als altijd baby bel bellen ben bij bijwerking bijwerkingen binnen bloed bloeding controle daarna dag
dagen dan dat de den deze die dit doe doen door dosering dosis druppels een eerst en er gebruik geef geen gegeven geven
graag haar hart hebben heeft het hij hoe hoelang hoevaak hoeveel hoever hoog iedereen iemand ik instelling jaar je kan
kind kinderen koorts kunnen laag leeftijd luchtweg maar mag maximale meer met mij mijn moet moeten mogelijk mogen na
naar niet nodig om ons ontslag onze oog ook op opname oud over pasgeborene patienten patiënt patiënten pijn pomp prijs
spiegel staal stap stappen starten stoppen streefwaarde suiker tegen tijdens toe toedienen toediening tot tussen uit
uren uur val van vanaf verpleegkundige volwassene volwassenen voor vulling waar waarom wanneer wat weken welk welke
werkt wie wij wonde worden wordt zijn zit zonder zwanger zwangere zwangerschap
"""
_ENGLISH = """
a about above adult adults after again age airway any are be bed before below between bleeding blood burn by call can
check child children contact could day days did discharge do does dose doses dosing drug during each every eye fall
fever first for from give given has have heart her high his hour hours how if infusion into isn it its level levels low
lung many max maximum may medication much must my need needed newborn nurse often old on or our pain pregnancy pregnant
price procedure pump range rate sample should side start step steps stop sugar take target than that the their them then
there these they this to treat treatment until use ward was weeks what when where which who whom why with without wound
year years you your
"""
_WORDS: dict[Language, frozenset[str]] = {"nl": frozenset(_DUTCH.split()), "en": frozenset(_ENGLISH.split())}

_PATTERNS: dict[Language, re.Pattern[str]] = {
    "nl": re.compile(
        r"ij|aa|oe(?!s)|uu|sch|eeu|oo[rgnk]|ui|[bcdfgklmnprstvwz]en\b|heid\b|ing(?:en)\b|atie\b|tie\b|isch\b|ijk\b|eling\b|kunde\b|[aeiou]ë|ieve?\b"
    ),
    "en": re.compile(
        r"th|wh|sh|[ts]ion|ough|[nrd]ge\b|[^aeiou\W]y\b|ck|ea[tdkr]|ould|ment\b|ness\b|ical?\b|ise\b|ize\b|ive\b|ously?\b|ed\b"
    ),
}


def detect(text: str) -> Language:
    """Return the text's language; where it tells nothing Dutch, in which most staff ask."""
    return language_said(text) or "nl"


def language_said(text: str) -> Language | None:
    """Return the language that the words tell; None for texts that tell nothing ("temp target post
    arrest")."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    known = sum((word in _WORDS["en"]) - (word in _WORDS["nl"]) for word in words)
    patterns = sum(len(_PATTERNS["en"].findall(word)) - len(_PATTERNS["nl"].findall(word)) for word in words)
    score = known + 0.3 * patterns  # above zero: English
    return None if abs(score) < 0.1 else "en" if score > 0 else "nl"
