"""Numbers of an answer that stand in none of the passages that it was written from.

A number counts as found when a passage holds the same quantity, in whatever unit and notation: 0,5
g for 500 mg, 1.000 in Dutch for 1,000 in English, either end of a range. "15 mg" is not found in
"15 mg/kg", nor "180 ml" in "180 mg". A number that stands without a unit, as in a table's cell, has
any of the units in the passage's brackets ("Dosis (mg)"), or without those any unit of the passage.
Ages and weights that the question gives are its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rag_api.domain import Unsupported
from rag_api.guard.numbers.quantities import Quantity, periods, quantities
from rag_api.guard.people.patient import Patient

_IN_BRACKETS = re.compile(r"[(\[] ?(?:in )?([^\W\d][^()\[\]]{0,12}?) ?[)\]]")
_AROUND = 90  # characters before and after a number in which its period may be told


@dataclass(frozen=True, slots=True)
class SupportPassage:
    text: str
    language: str  # "" is taken for Dutch: there a point may part thousands


@dataclass(frozen=True, slots=True)
class _Known:
    quantity: Quantity
    periods: frozenset[Fraction]  # told beside it
    units: frozenset[tuple[str, Fraction]]  # that it may have when none stands beside it


def unsupported(
    answer: str, passages: Sequence[SupportPassage], language: str, patient: Patient | None = None
) -> tuple[Unsupported, ...]:
    """In order; ages and weights of the question's `patient` are known. answer[start:end] is the
    number with its unit."""
    known = [one for passage in passages for one in _known(passage)]
    own = {written for e in (patient or Patient()).evidence for written in _written(e.text, language)}
    return tuple(
        Unsupported(q.start, q.end, answer[q.start : q.end])
        for q in quantities(answer, language)
        if not any(_holds(k, q, answer) for k in known) and (q.number, q.dimension) not in own
    )


def _known(passage: SupportPassage) -> list[_Known]:
    found = quantities(passage.text, passage.language)
    units = _units(" ".join(f"1 {unit}" for unit in _IN_BRACKETS.findall(passage.text))) or _units(passage.text)
    return [_Known(q, periods(_beside(passage.text, q)), units) for q in found]


def _units(text: str) -> frozenset[tuple[str, Fraction]]:
    return frozenset(q.unit for q in quantities(text, "nl") if q.unit)


def _written(text: str, language: str) -> list[tuple[object, str]]:
    return [(q.number, q.dimension) for q in quantities(text, language)]


def _beside(text: str, q: Quantity) -> str:
    return text[max(0, q.start - _AROUND) : q.end + _AROUND]


def _holds(known: _Known, q: Quantity, answer: str) -> bool:
    k = known.quantity
    if q.number is None or k.number is None:
        return q.written == k.written
    if not q.dimension:
        return q.number == k.number
    if not k.dimension:
        return q.number == k.number and q.unit in known.units
    return (q.dimension, q.value, q.per) == (k.dimension, k.value, k.per) and _same_period(known, q, answer)


def _same_period(known: _Known, q: Quantity, answer: str) -> bool:
    """A dose a day is none an hour; a period that one of them leaves out must be told beside it."""
    k = known.quantity
    if q.period == k.period:
        return True
    if q.period is not None and k.period is not None:
        return False
    return k.period in periods(_beside(answer, q)) if q.period is None else q.period in known.periods
