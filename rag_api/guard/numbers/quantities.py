"""text -> the quantities in it: numbers with their units, as a Dutch or an English reader reads
them.

"1.000" is a thousand in a Dutch text and one in an English one; "0,5 g" is 500 mg; "15 mg/kg" is
not 15 mg. Values are exact fractions, in the unit of their dimension (units.csv), so that equal
quantities compare equal however they are written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from rag_api.guard.tables import rows_of
from rag_api.guard.words import folded

_COUNTS = {  # without "een" and "one", that are articles and pronouns more often than numbers
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "en": "two three four five six seven eight nine ten eleven twelve",
}
_WORDS = {word: Fraction(value) for names in _COUNTS.values() for value, word in enumerate(names.split(), 2)}
_WORDS |= {
    "half": Fraction(1, 2),
    "halve": Fraction(1, 2),
    "anderhalf": Fraction(3, 2),
    "anderhalve": Fraction(3, 2),
    "twice": Fraction(2),
}
_WORDS |= {f"{word}{end}": _WORDS[word] for word in _COUNTS["nl"].split() for end in ("maal", "maals")}
_FRACTIONS = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3)}
# between thousands; an ordinary space does so only before 000, else it may part two cells
_SPACED = "\u00a0\u202f\u2009"
# Digits with their separators, not part of a word or code ("B12", "CO2").
_NUMBER = re.compile(
    rf"(?<![^\W\d])(?<!\d[.,])(?<!\d)(?:\d{{1,3}}(?:[{_SPACED}]\d{{3}}| "
    rf"000)+(?!\d)|\d+)(?:[.,]\d+)*[½¼¾⅓⅔]?|[½¼¾⅓⅔]"
)
_COUNT = re.compile(r"(?<![\w-])(?:" + "|".join(sorted(_WORDS, key=len, reverse=True)) + r")(?![\w-])")
_JOIN = re.compile(r" ?(?:-|–|—|/|à) ?| (?:tot|tot en met|t/m|to|through|of|or|en|and) ")
# "1. Geef ...", "[2]": the answer's own numbering
_MARKER = re.compile(r"(?m)^[ \t]*\(?\d{1,2}[.)](?=[ \t])|\[\d{1,2}\]")
_PER = re.compile(r" ?/ ?| per ")
_DAILY = re.compile(r" ?(?:daags|daily|dagelijks)(?!\w)")
# What tells the period of a dose, beside the number or further on ("dagdosis", "in 24 uur");
# minutes.
_PERIODS = (
    (1440, re.compile(r"dag|daag|etmaal|(?<!\d)24 ?(?:u|h)|day|daily")),
    (60, re.compile(r"(?:per|/|an|elk|every|each) ?(?:uur|u|hour|h)(?!\w)|hourly|uurdosis")),
    (1, re.compile(r"(?:per|/) ?min")),
    (10080, re.compile(r"week|wekelijks")),
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """text[start:end] is the number and its unit. `value` is in the dimension's own unit, and
    `dimension` empty without a unit.

    per: what it is taken per, without periods: ("kg",) of "15 mg/kg/dag"; period: minutes, None
    when it names none."""

    start: int
    end: int
    written: str  # the number as it stands
    number: Fraction | None  # None: no number after all, a date or a code
    value: Fraction | None
    dimension: str = ""
    per: tuple[str, ...] = ()
    period: Fraction | None = None
    is_word: bool = False  # "drie"

    @property
    def unit(self) -> tuple[str, Fraction] | None:
        """The dimension and how much of it the written unit is; None without a unit."""
        return (
            (self.dimension, self.value / self.number)
            if self.dimension and self.value is not None and self.number
            else None
        )


@cache
def _units() -> dict[str, tuple[str, Fraction]]:
    rows = rows_of("units.csv")
    return {
        folded(word): (row["dimension"], _factor(row["factor"])) for row in rows for word in row["words"].split("|")
    }


@cache
def unit_words() -> frozenset[str]:
    """Every way of writing a unit, in small letters."""
    return frozenset(_units())


def _factor(text: str) -> Fraction:
    return Fraction(1, 60) if text.startswith("0.01666") else Fraction(text)


@cache
def _unit_pattern() -> re.Pattern[str]:
    longest_first = sorted(_units(), key=lambda word: (-len(word), word))
    return re.compile(rf"[ {_SPACED}-]?(?P<unit>{'|'.join(map(re.escape, longest_first))})(?![^\W\d_])(?!\d)")


def number_of(written: str, language: str) -> Fraction | None:
    """The value of digits with separators; None for what is no single number ("01.02.2025")."""
    part = _FRACTIONS.get(written[-1:])
    if part is not None:
        whole = number_of(written[:-1], language) if written[:-1] else Fraction(0)
        return None if whole is None else whole + part
    digits = "".join(c for c in written if not c.isspace())
    marks = [c for c in digits if c in ".,"]
    if not marks:
        return Fraction(digits)
    if len(set(marks)) == 2:
        return _both_marks(digits)
    mark, groups = marks[0], digits.split(marks[0])
    thousands = (
        all(len(group) == 3 for group in groups[1:]) and 1 <= len(groups[0]) <= 3 and not groups[0].startswith("0")
    )
    if thousands and (len(marks) > 1 or mark == ("," if language == "en" else ".")):
        return Fraction("".join(groups))
    return Fraction(".".join(groups)) if len(marks) == 1 else None


def _both_marks(digits: str) -> Fraction | None:
    """ "1.234,5" and "1,234.5": the last mark is the decimal one."""
    decimal = "." if digits.rfind(".") > digits.rfind(",") else ","
    whole, _, rest = digits.rpartition(decimal)
    groups = whole.split("," if decimal == "." else ".")
    if decimal in whole or any(len(group) != 3 for group in groups[1:]):
        return None
    return Fraction(f"{''.join(groups)}.{rest}")


def quantities(text: str, language: str) -> list[Quantity]:
    """In order. A number before a range's end has the end's unit: both of "10 tot 15 mg/kg" are per
    kilogram."""
    plain = folded(text)
    markers = {position for m in _MARKER.finditer(text) for position in range(*m.span())}
    starts = sorted([*_NUMBER.finditer(plain), *_COUNT.finditer(plain)], key=lambda m: m.start())
    found = [_read(plain, text, m, language) for m in starts if m.start() not in markers]
    for at in range(len(found) - 2, -1, -1):
        one, following = found[at], found[at + 1]
        if not one.dimension and following.dimension and _JOIN.fullmatch(plain[one.end : following.start]):
            found[at] = _with_unit(one, following)
    return [q for q in found if q.dimension or not q.is_word]


def _with_unit(one: Quantity, following: Quantity) -> Quantity:
    value = one.number * following.unit[1] if one.number is not None and following.unit else one.value
    return replace(one, value=value, dimension=following.dimension, per=following.per, period=following.period)


def _read(plain: str, text: str, m: re.Match[str], language: str) -> Quantity:
    word = _WORDS.get(m[0])
    number = word if word is not None else number_of(m[0], language)
    bare = Quantity(m.start(), m.end(), m[0], number, number, is_word=word is not None)
    if word is not None and m[0].endswith(("maal", "maals", "twice")):
        return _per(plain, replace(bare, dimension="times", end=m.end()))
    unit = _unit_at(plain, text, m.end())
    if unit is None:
        return bare
    dimension, factor, end = unit
    value = None if number is None else number * factor
    return _per(plain, replace(bare, dimension=dimension, value=value, end=end), text)


def _unit_at(plain: str, text: str, at: int) -> tuple[str, Fraction, int] | None:
    m = _unit_pattern().match(plain, at)
    if m is None:
        return None
    if m["unit"] == "e" and (text[m.start("unit")] != "E" or m.start("unit") == at):  # "10e dag" is an ordinal
        return None
    return *_units()[m["unit"]], m.end()


def _per(plain: str, q: Quantity, text: str | None = None) -> Quantity:
    """With what follows "/" or "per": measures count, "per gift" and the like do not."""
    per, period, end = list(q.per), q.period, q.end
    while m := _PER.match(plain, end):
        amount = _NUMBER.match(plain, m.end())
        unit = _unit_at(plain, text or plain, amount.end() if amount else m.end()) or _unit_at(
            plain, text or plain, m.end()
        )
        if unit is None:
            break
        dimension, factor, end = unit
        count = (number_of(amount[0], "nl") or Fraction(1)) if amount else Fraction(1)
        if dimension in ("time", "months"):
            period = count * factor * (43830 if dimension == "months" else 1)
        else:
            per.append(f"{count * factor} {dimension}")
    if daily := _DAILY.match(plain, end):
        period, end = Fraction(1440), daily.end()
    return replace(q, per=tuple(sorted(per)), period=period, end=end)


def periods(text: str) -> frozenset[Fraction]:
    """The periods that a text tells, in minutes."""
    plain = folded(text)
    return frozenset(Fraction(minutes) for minutes, pattern in _PERIODS if pattern.search(plain))
