"""A salt of the blood, or its glucose, that a question says is too high or too low, and what is
about the other way round.

How potassium is given is no answer for a patient who has too much of it, nor what is done about too
little sugar for one who has 450. By words ("te hoge kalium", "hyperkalaemia") or by a value that is
out of range; what may be a dose ("40 mmol") is no value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_api.guard.numbers.salts import GLUCOSE, NO_DOSE, SALTS, MeasuredSalt, Salt, Scale
from rag_api.guard.words import folded

_MEASURED: tuple[MeasuredSalt, ...] = (*SALTS, GLUCOSE)
_HIGH, _LOW = r"hoog|hoge|high|raised|elevated|verhoogde?", r"laag|lage|low|verlaagde?|tekort"
_BETWEEN = r"(?:\s+(?:is|was|zijn|veel|te|too|way|very|erg|heel|much|van|the|level|gehalte|spiegel)){0,4}"
_SPELLED = r"(?:gehalte|spiegel|waarde)?"


@dataclass(frozen=True, slots=True)
class Level:
    """What is too high, or too low."""

    of: MeasuredSalt
    high: bool
    unit: str = ""  # of the value that it was told by

    @property
    def names(self) -> tuple[str, ...]:
        """What that is called, in both languages."""
        return tuple(f"{'hyper' if self.high else 'hypo'}{name}" for name in self.of.levels)


def level_in(question: str) -> Level | None:
    """Return which one; None where it says of none, or of one that it is both."""
    text = folded(question)
    known = (one for one in _MEASURED if one.scales)
    found = [
        Level(one, high, _unit(text, one)) for one in known for high in (True, False) if _says(text, one, high=high)
    ]
    return found[0] if len(found) == 1 else None


def _unit(text: str, measured: MeasuredSalt) -> str:
    return next((scale.unit for _, scale in _values(text, measured)), "")


def _says(text: str, measured: MeasuredSalt, *, high: bool) -> bool:
    names, how = _any(measured), _HIGH if high else _LOW
    if re.search(rf"\b{'hyper' if high else 'hypo'}(?:-?\s*(?:of|en|or|and|/|,)\s*hyp(?:o|er))?{measured.stem}", text):
        return True
    if re.search(rf"\b(?:{how})\s+(?:serum)?(?:{names})\b|\b(?:{names}){_SPELLED}{_BETWEEN}\s+(?:{how})\b", text):
        return True
    return any(number >= scale.high if high else number <= scale.low for number, scale in _values(text, measured))


def _values(text: str, measured: MeasuredSalt) -> list[tuple[float, Scale]]:
    said = rf"\b(?:{_any(measured)}){_SPELLED}(?:\s+(?:van|of|is|at))?\s*[=:]?\s*(\d{{1,3}}(?:[.,]\d+)?){NO_DOSE}\s*(mg/dl|mmol/l)?"
    values = ((match[1].replace(",", "."), match[2] or "") for match in re.finditer(said, text))
    return [(float(value), scale) for value, unit in values for scale in measured.scales if scale.fits(value, unit)]


def _any(measured: MeasuredSalt) -> str:
    return "|".join(dict.fromkeys(measured.names))


def is_about_the_other(level: Level, text: str) -> bool:
    """Return whether a title or sentence is about the same the other way round: of what is too high
    a lack of it and, of a salt, how it is given; and says nothing of the level itself. Glucose is
    given for too much of it too, beside insulin."""
    said, names = folded(text), _any(level.of)
    own, other = ("hyper", "hypo") if level.high else ("hypo", "hyper")
    if re.search(rf"\b{own}{level.of.stem}", said):
        return False
    if re.search(rf"\b{other}{level.of.stem}", said):
        return True
    given = (
        rf"\b(?:{names})[\s-]?(?:chloride|substitutie|suppletie|infuus|replacement|supplement\w*|substitution)|\bkcl\b|"
    )
    given += rf"\b(?:suppletie|substitutie|replacement|substitution) (?:van|of) (?:{names})\b"
    return level.high and isinstance(level.of, Salt) and bool(re.search(given, said))
