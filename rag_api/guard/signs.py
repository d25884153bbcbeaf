"""Words that staff type for a sign or a treatment that they do not name: "38,5" for a fever,
"tijdens bloed" for a transfusion.

By words (signs.csv; "~" stands for up to three words between) and by values (values.csv). What a
question denies ("geen koorts") is not there; what somebody has who is about to get something ("voor
de transfusie") is no sign of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from rag_api.guard.tables import rows_of
from rag_api.guard.words import folded

_WORD = r"[^\W\d_][\w'-]*"
_GAP = rf"(?:\s+{_WORD}){{0,3}}\s+"
# What is denied: what follows "no" with its like ("geen koorts of rillingen"), the next word of
# "not", what "nee" follows.
_ELSE = r"(?!(?:wel|maar|but|now|nu|tijdens|during|bij|met|with|na|after|en|and|of|or)\b)"
_DENIED = re.compile(
    rf"\b(?:geen|zonder|no|without|denies|ontkent|noch|nor)(?P<none>(?:\s+{_ELSE}{_WORD}){{1,2}}"
    rf"(?:(?:\s*,\s*{_WORD})*\s*,?\s+(?:of|or|noch|nor|en|and)\s+(?:geen\s+|no\s+)?{_ELSE}{_WORD})*)"
    rf"|\b(?:niet|not|nooit|never|isn't|hasn't)(?P<not>\s+(?:meer\s+|echt\s+|erg\s+|any\s+|so\s+)?{_WORD})"
    rf"|\b(?P<nay>{_WORD})\s*[:=]?\s*(?:nee|neen)\b|\b(?P<free>afebriel|afebriele|afebrile|koortsvrij|apyretisch|apyretic)\b"
)
_NOT_YET = re.compile(
    r"\b(?:voor|voorafgaand aan|alvorens|before|prior to|awaiting|wacht op)\s+(?:(?:de|het|een|the|a|an|start "
    r"van|start of)\s+){0,2}$"
)
_OTHER = ("temperature", "times")  # the only units that do not make a number another thing's


@dataclass(frozen=True, slots=True)
class Sign:
    name: str  # as the tables call it
    said: str  # the question's words
    coming: bool = False  # the patient is yet to get it


def readable(text: str) -> str:
    """Folded, and as long as the text that concepts are looked for in."""
    return folded(unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=256)
def signs_in(text: str) -> tuple[Sign, ...]:
    """What a question has words or a value for, by the tables, each once."""
    plain = readable(text)
    away = denied(plain)
    found = [
        *((name, match.start(), match.end()) for name, pattern in _words() for match in pattern.finditer(plain)),
        *_by_values(plain),
    ]
    there = (
        Sign(name, plain[start:end], is_to_come(plain, start))
        for name, start, end in found
        if not is_denied(start, end, away)
    )
    return tuple({sign.name: sign for sign in there}.values())


def denied(plain: str) -> tuple[tuple[int, int], ...]:
    """The places of what a readable text says is not there, without the word that says so: "geen
    reflexen" is itself a sign."""
    return tuple(match.span(match.lastgroup or 0) for match in _DENIED.finditer(plain))


def is_denied(start: int, end: int, away: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= start and end <= last for first, last in away)


def is_to_come(plain: str, start: int) -> bool:
    """Return whether what begins there is something that the patient is yet to get."""
    return bool(_NOT_YET.search(plain[:start]))


def known() -> frozenset[str]:
    """All that the tables have words or values for."""
    return frozenset(name for name, _ in _words()) | {value.name for value in _values()}


def _by_values(plain: str) -> Iterator[tuple[str, int, int]]:
    for value in _values():
        if value.unless is not None and value.unless.search(plain):
            continue
        for match in value.pattern.finditer(plain):
            group = next(name for name in ("n", "d", "b", "u") if match[name])
            if value.least <= float(match[group].replace(",", ".")) <= value.most:
                yield value.name, match.start(group), match.end(group)


@dataclass(frozen=True, slots=True)
class _Value:
    name: str
    least: float
    most: float
    # n: after what is measured; with decimals, d: after who has it, b: before when; u: before its
    # unit
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None


@cache
def _words() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((row["sign"], _pattern(row["said"], row["unless_followed_by"])) for row in rows_of("signs.csv"))


def _pattern(said: str, unless: str) -> re.Pattern[str]:
    after = rf"(?!\s+(?:{_WORD}\s+)?(?:{_any(unless)})\b)" if unless else ""
    return re.compile(rf"(?<![\w'-])(?:{_any(said)})(?![\w'-]){after}")


@cache
def _values() -> tuple[_Value, ...]:
    return tuple(
        _Value(
            row["sign"],
            float(row["least"]),
            float(row["most"]),
            _measured(row["of"], row["decimals_of"], row["decimals_before"], row["unit"]),
            re.compile(rf"(?<!\w)(?:{_any(row['unless'])})(?!\w)") if row["unless"] else None,
        )
        for row in rows_of("values.csv")
    )


def _measured(of: str, decimals_of: str, decimals_before: str, unit: str) -> re.Pattern[str]:
    """A number after what is measured, or before its own unit; not one of another unit, nor one
    that it is below."""
    between = (
        "van|is|was|of|at|tot|naar|to|op|nu|now|al|ineens|opeens|plots|suddenly|a|een|nog|maar|only|boven|above|over|meer "
        "dan"
    )
    between = rf"(?:\s+(?:{between})){{0,3}}\s*[:=>≥~]*\s*"
    others = "|".join(
        word for row in rows_of("units.csv") if row["dimension"] not in _OTHER for word in _alternatives(row["words"])
    )
    end = rf"(?![\w.,]*\d)(?!\s*(?:{others})(?!\w))(?!\s*[-–/+]\s*\d)"
    whole, decimals, free = (
        r"\d{1,3}(?:[.,]\d)?",
        r"\d{2}[.,]\d",
        r"(?<![\w.,<+/])(?<!\d[-–])(?<!< )(?<!onder )(?<!below )(?<!under )",
    )
    ways = [rf"(?<![\w'])(?:{_any(of)}){between}(?P<n>{whole}){end}"]
    ways.append(rf"(?<![\w'])(?:{_any(decimals_of)}){between}(?P<d>{decimals}){end}" if decimals_of else r"(?P<d>(?!))")
    ways.append(rf"{free}(?P<b>{decimals})\s+(?:{_any(decimals_before)})\b" if decimals_before else r"(?P<b>(?!))")
    ways.append(rf"{free}(?P<u>{whole})\s*(?:{_any(unit)})(?!\w)")
    return re.compile("|".join(ways))


def _any(words: str) -> str:
    return "|".join(_alternatives(words))


def _alternatives(words: str) -> list[str]:
    """The longest first, for folded text."""
    spelled = (folded(word) for word in sorted(words.split("|"), key=lambda word: (-len(word), word)))
    return [re.escape(word).replace(r"\ \~\ ", _GAP).replace(r"\ ", r"\s+") for word in spelled]
