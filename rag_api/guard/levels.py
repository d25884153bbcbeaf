"""A salt of the blood that a question says is too high or too low, and what is about the other way round.

How potassium is given is no answer for a patient who has too much of it. By words ("te hoge kalium", "hyperkalaemia") or by a value that is
out of range; what may be a dose ("40 mmol") is no value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_api.guard.salts import NO_DOSE, SALTS, Salt
from rag_api.guard.words import folded

_HIGH, _LOW = r"hoog|hoge|high|raised|elevated|verhoogde?", r"laag|lage|low|verlaagde?|tekort"
_BETWEEN = r"(?:\s+(?:is|was|zijn|veel|te|too|way|very|erg|heel|much|van|the|level|gehalte|spiegel)){0,4}"


@dataclass(frozen=True, slots=True)
class Level:
    """A salt that is too high, or too low."""

    salt: tuple[str, ...]
    stem: str
    high: bool

    @property
    def names(self) -> tuple[str, ...]:
        """What that is called, in both languages."""
        return tuple(f"{'hyper' if self.high else 'hypo'}{self.stem}{ending}" for ending in ("iëmie", "aemia"))


def level_in(question: str) -> Level | None:
    """Return which one; None where it says of none, or of one that it is both."""
    text = folded(question)
    found = {
        Level(salt.names, salt.stem, high)
        for salt in SALTS
        if salt.low is not None
        for high in (True, False)
        if _says(text, salt, high=high)
    }
    return found.pop() if len(found) == 1 else None


def _says(text: str, salt: Salt, *, high: bool) -> bool:
    assert salt.low is not None, "one whose values are compared"
    names, how = "|".join(salt.names), _HIGH if high else _LOW
    if re.search(rf"\b{'hyper' if high else 'hypo'}{salt.stem}", text):
        return True
    if re.search(rf"\b(?:{how})\s+(?:serum)?(?:{names})\b|\b(?:{names})(?:gehalte|spiegel|waarde)?{_BETWEEN}\s+(?:{how})\b", text):
        return True
    values = re.finditer(
        rf"\b(?:{names})(?:gehalte|spiegel|waarde)?(?:\s+(?:van|of|is|at))?\s*[=:]?\s*(\d{{1,3}}(?:[.,]\d+)?){NO_DOSE}", text
    )
    numbers = [float(match[1].replace(",", ".")) for match in values]
    return any(salt.least <= number <= salt.most and (number >= salt.high if high else number <= salt.low) for number in numbers)


def is_about_the_other(level: Level, text: str) -> bool:
    """Return whether a title or sentence is about the same salt the other way round: of one that is too high, a lack of it and how it is
    given; and says nothing of the level itself."""
    said, names = folded(text), "|".join(level.salt)
    own, other = ("hyper", "hypo") if level.high else ("hypo", "hyper")
    if re.search(rf"\b{own}{level.stem}", said):
        return False
    if re.search(rf"\b{other}{level.stem}", said):
        return True
    given = rf"\b(?:{names})[\s-]?(?:chloride|substitutie|suppletie|infuus|replacement|supplement\w*|substitution)|\bkcl\b|"
    given += rf"\b(?:suppletie|substitutie|replacement|substitution) (?:van|of) (?:{names})\b"
    return level.high and bool(re.search(given, said))
