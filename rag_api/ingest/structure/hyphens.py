"""A hyphen at the end of a line: does it part a syllable, belong to the word, or stand for a word
left out?

The document itself is the best witness ("spoedopname" or "spoed-opname" elsewhere in it); rules of
Dutch and English spelling decide the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from enum import Enum

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LEFT = re.compile(r"\w+(?:[-'’]\w+)*$")
_RIGHT = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# Of a web or mail address, whose hyphens are all its own: what stands before the line's end, and
# what after.
_ADDRESS = re.compile(r"(?:://|\bwww\.|@|[^\W_]\.[^\W\d_]{2,}/|\w\.\w+)\S*-$", re.IGNORECASE)
_ADDRESS_GOES_ON = re.compile(
    r"[\w.-]*@\w|[\w-]+(?:\.[\w-]+)*\.(?:nl|be|eu|com|org|net|info|gov|edu|uk|de|fr|int|care|health)(?![\w-])",
    re.IGNORECASE,
)
_SUSPENDING = {"en", "of", "and", "or", "tot", "to", "resp", "noch", "dan", "als", "versus", "vs"}
_KEEPING = {
    "non",
    "niet",
    "oud",
    "self",
    "well",
    "high",
    "low",
    "long",
    "short",
    "cross",
    "half",
    "semi",
    "quasi",
    "vice",
}
# high-er and long-est are syllables, high-risk is not
_SUFFIXES = ("er", "est", "ing", "ed", "en", "age", "ly", "ness")
_BETWEEN = {"naar", "tot", "voor", "to", "of", "by", "and", "the"}  # door-to-needle
_UP = {"up", "off", "out", "in", "on", "by", "down"}  # follow-up, check-in: in Dutch too
_BEFORE_UP = {
    "follow", "check", "back", "start", "work", "stand", "take", "hand", "log", "drop", "drive", "set", "run", "wash", "flare", "switch",
    "pop", "rule", "build", "make", "clean", "pick", "step", "read", "plug", "add", "lock", "cut",
}  # fmt: skip
_AFTER_ARTS = ("assistent", "onderzoek", "specialist", "microbio", "docent", "patholo", "epidemio", "in opleiding")
_MERGING = {
    "over", "down", "under", "in", "out", "up", "on", "off", "with", "for", "to", "an", "be", "there", "here", "where", "some",
    "any", "every",
}  # fmt: skip
# zee-egel, auto-ongeluk
_CLASHES = {a + b for a, bs in {"a": "aeiu", "e": "eiu", "i": "ei", "o": "eiou", "u": "iu"}.items() for b in bs}


class Hyphen(Enum):
    DROP = ""  # intrave- neus
    KEEP = "-"  # CT- scan
    SUSPENDED = "- "  # in- en uitgang


def lexicon(lines: Iterable[str]) -> Counter[str]:
    """How often each word stands unbroken in the document, in small letters; compounds with a
    hyphen count as such."""
    words: Counter[str] = Counter()
    broken = False
    for line in lines:
        found = _WORD.findall(line.casefold())
        first, broken = broken, line.endswith(("-", "\u00ad"))
        words.update(found[int(first) : len(found) - int(broken)])
    return words


def judge(before: str, after: str, words: Counter[str], language: str) -> Hyphen:
    """`before` ends with the hyphen; `after` is the next line."""
    if before.endswith("\u00ad"):
        return Hyphen.DROP
    if _ADDRESS.search(before) or _ADDRESS_GOES_ON.match(after):
        return Hyphen.KEEP
    left, right = _LEFT.search(before[:-1]), _RIGHT.match(after)
    if left is None:
        return Hyphen.SUSPENDED
    if right is None:
        return Hyphen.KEEP
    one, two = left.group().casefold(), right.group().casefold()
    joined, kept = words[one + two], words[f"{one}-{two}"]
    if joined != kept:
        return Hyphen.DROP if joined > kept else Hyphen.KEEP
    if two in _SUSPENDING and after[right.end() :].strip():  # "in- en uitgang": something must follow
        return Hyphen.SUSPENDED
    return Hyphen.KEEP if _belongs(left.group(), right.group(), words, language) else Hyphen.DROP


def _belongs(left: str, right: str, words: Counter[str], language: str) -> bool:
    """By spelling alone: this hyphen is part of the word."""
    last = left.rsplit("-", 1)[-1]  # of a compound like "COVID-19-"
    one, two = last.casefold(), right.casefold()
    if len(last) < 2 or not last.isalpha() or last[1:] != last[1:].lower() or right[0].isupper():
        return True
    if one in _KEEPING and len(two) > 3 and not two.startswith(_SUFFIXES):
        return True
    if (two in _UP and one in _BEFORE_UP) or (one.endswith("arts") and two.startswith(_AFTER_ARTS)):
        return True
    if one in _BETWEEN and "-" in left:
        return True
    if language == "en" and two in ("up", "off", "in", "on", "by"):  # back-up, follow-up, drive-by
        return True
    if language == "en":
        return bool(words[one] and words[two] and len(one) > 2 and len(two) > 2 and one not in _MERGING)
    return one[-1] + two[0] in _CLASHES and len(two) > 3  # "perine-um" is one word
