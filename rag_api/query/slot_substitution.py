"""A follow-up question that names another thing of the same kind puts it in the place of the first:
"en bij rsv?" after "hoelang isoleren bij griep", "en na een knie?" after "hoelang spuitjes na een
heupprothese".

Both together would find what is said of the first. What a patient may have beside something else
(an allergy, a failing kidney) is added to it, not put in its place. Kinds are told by the table of
concepts; knows no patients and no drugs (followup.py).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from rag_api.guard.concepts import concepts, concepts_in, meant, places
from rag_api.guard.words import folded

# Kinds of which one takes another's place; what is not named here is added.
_LIKE = {
    "germ": "disease",
    "disease": "disease",
    "device": "thing",
    "procedure": "thing",
    "site": "thing",
    "material": "thing",
}
_LIKE |= {"general": "thing"} | {kind: kind for kind in ("place", "test", "isolation", "diet")}
_BESIDE = re.compile(
    r"allerg|insuffici|falen|failure|impair|overgevoelig|hypersens|obes|dialys|diabet|suikerziek|parkinson|epilep|dement|astma|asthma|copd|"
    r"bloeding|bleeding|hypert|zwanger|pregnan|koorts|fever|pijn|pain|kanker|cancer"
)
_PREPOSITIONS = "bij|voor|na|met|zonder|tijdens|onder|via|op|in|after|for|with|without|during|on"
_SLOT = re.compile(
    rf"(?P<word>{_PREPOSITIONS})\s+(?:(?:een|de|het|a|an|the)\s+)?(?P<thing>[^?.,;]+?)\s*[?.]*", re.IGNORECASE
)
_BARE = re.compile(
    r"(?:(?:een|de|het|a|an|the)\s+)?(?P<thing>[^\W\d_][\w-]*(?:\s+[^\W\d_][\w-]*){0,2})\s*[?.]*", re.IGNORECASE
)
# A number that is no amount, age or time; of what it may be (mmol/l, mg/dl, %) nothing need be
# said.
_VALUE = re.compile(
    r"(?<![\w.,/-])\d+(?:[.,]\d+)?(?![\w.,/-]*\d)(?!\s*-?(?:kg|kilo|gram|g|mg|mcg|µg|microgram|ml|cc|l|liter|e|ie|eenheden|units?|tabl\w*|"
    r"druppels?|puffs?|keer|x|maal|times|j|jr|jaar|jarige?|years?|yrs?|y|m|mnd|maand\w*|months?|w|wk|weken|week|weeks?|d|dgn|dag|dagen|days?|u|uur|uren|"
    r"h|hours?|min|minut\w*|s|sec\w*)(?![\w/]))",
    re.IGNORECASE,
)
_SITE = 3  # letters of a part of the body that a longer word may begin with
_REST = 4  # letters of what is left of that word


def in_its_place(previous: str, rest: str) -> str | None:
    """Return the question before with what `rest` names ("bij rsv?") in the place of what it named;
    None where nothing has a place."""
    if (moved := _at_another_site(previous, rest)) is not None:
        return moved
    slot = _SLOT.fullmatch(rest.strip())
    if slot is None and (bare := _BARE.fullmatch(rest.strip())) is not None:
        return _in_place_of_its_like(previous, bare["thing"])
    if slot is None or _BESIDE.search(folded(slot["thing"])):
        return None
    places = list(
        re.finditer(
            rf"\b{slot['word']}\s+(?:(?:een|de|het|a|an|the)\s+)?(?P<thing>[^?.,;]+?)(?=\s+(?:{_PREPOSITIONS})\b|[?.,;]|$)",
            previous,
            re.IGNORECASE,
        )
    )
    if not places:
        return _in_place_of_its_like(previous, slot["thing"], ("disease",))
    if _BESIDE.search(folded(places[-1]["thing"])) or not _kinds(slot["thing"]) & _kinds(places[-1]["thing"]):
        return None
    last = places[-1]
    return f"{previous[: last.start('thing')]}{slot['thing']}{previous[last.end('thing') :]}".rstrip(" ?.") + "?"


def _in_place_of_its_like(previous: str, thing: str, among: Collection[str] = frozenset(_LIKE.values())) -> str | None:
    """What is named without a word that says where it belongs ("and noro?"), or behind another one
    ("with flu", "and in measles?"), for the last thing of its kind. among: the kinds of which one
    is."""
    previous = unicodedata.normalize("NFKC", previous)  # where names stand is told of a text as long as this
    kinds = _kinds(thing) & set(among)
    if not kinds or _BESIDE.search(folded(thing)):
        return None
    named = [
        (start, end)
        for lines, words, start, end in places(previous)
        if kinds & {_LIKE[concepts()[line].kind] for line in lines if concepts()[line].kind in _LIKE}
        and not _BESIDE.search(words)
    ]
    if not named:
        return None
    start, end = named[-1]
    return f"{previous[:start]}{thing}{previous[end:]}".rstrip(" ?.") + "?"


def with_its_number(previous: str, rest: str) -> str | None:
    """Return the question before with the value that `rest` gives ("als ie op 48 staat") in the
    place of its own ("suiker 62"); None unless each gives one, without what else could be measured:
    an amount, an age, a time."""
    new, old = _VALUE.findall(rest), list(_VALUE.finditer(previous))
    if len(new) != 1 or len(old) != 1 or len(re.findall(r"\d+(?:[.,]\d+)?", rest)) != 1:
        return None
    return f"{previous[: old[0].start()]}{new[0]}{previous[old[0].end() :]}"


def _kinds(text: str) -> set[str]:
    return {_LIKE[concepts()[line].kind] for line in concepts_in(text) if concepts()[line].kind in _LIKE}


def _at_another_site(previous: str, rest: str) -> str | None:
    """A part of the body alone ("en na een knie?") in the place of another, also within a word:
    heupprothese, knieprothese."""
    words = re.findall(r"[^\W\d_]+", rest)
    if not words or len(words) > _SITE or not _is_site(words[-1]):
        return None
    for match in re.finditer(r"[^\W\d_]+", previous):
        for length in range(len(match[0]), _SITE - 1, -1):
            whole = length == len(match[0])
            if (whole or len(match[0]) - length >= _REST) and _is_site(match[0][:length]):
                return (
                    f"{previous[: match.start()]}{words[-1].lower()}{previous[match.start() + length :]}".rstrip(" ?.")
                    + "?"
                )
    return None


def _is_site(word: str) -> bool:
    lines = meant(word)
    return bool(lines) and all(
        concepts()[line].kind == "site" and folded(word) in map(folded, concepts()[line].names) for line in lines
    )
