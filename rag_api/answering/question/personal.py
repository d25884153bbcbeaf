"""Questions and other words of staff that hold a patient's identity, before it is stored or sent
on: who wrote it is warned, or it is left out.

Ages stay, and a date of birth becomes the age that it tells: a dose depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from rag_api.domain import PersonalChoice
from rag_api.errors import PersonalDataFound, Wrong
from rag_api.guard.personal import Identifying, IdentityKind, identifying
from rag_api.guard.personal.births import born
from rag_api.text.language import Language, detect

Policy = Literal["warn", "mask", "refuse", "off"]
LEFT_OUT = "[…]"
_AGES: dict[Language, tuple[tuple[str, str], ...]] = {
    "nl": (("dag", "dagen"), ("maand", "maanden"), ("jaar", "jaar")),
    "en": (("day", "days"), ("month", "months"), ("year", "years")),
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A question that may be stored, and the kinds of what was left out of it, or kept because its
    asker said so."""

    text: str
    removed: tuple[IdentityKind, ...] = ()
    kept: tuple[IdentityKind, ...] = ()


def checked(text: str, choice: PersonalChoice, policy: Policy, where: str = "question") -> Checked:
    """Raises PersonalDataFound where the asker must be asked first. `where`: the field's name."""
    found = identifying(text) if policy != "off" else ()
    if not found:
        return Checked(text)
    kinds = tuple(dict.fromkeys(one.kind for one in found))
    if policy == "mask" or choice == PersonalChoice.REMOVE:
        return Checked(without(text, found, date.today()), removed=kinds)
    if policy == "warn" and choice == PersonalChoice.KEEP:
        return Checked(text, kept=kinds)
    raise PersonalDataFound(
        [_wrong(text, one, where) for one in found], without(text, found, date.today()), may_keep=policy == "warn"
    )


def written(text: str, choice: PersonalChoice, policy: Policy, where: str) -> str:
    """Return what is kept of words about a document or an answer: nothing is left out of them that
    their writer did not see go. Raises PersonalDataFound."""
    return checked(
        text, choice, policy if policy != "mask" or choice == PersonalChoice.REMOVE else "refuse", where
    ).text


def without(text: str, found: Sequence[Identifying], today: date) -> str:
    """Return the text with what identifies somebody left out."""
    language = detect(text)
    for one in reversed(found):
        text = text[: one.start] + _instead(text[one.start : one.end], one.kind, language, today) + text[one.end :]
    return text


def _instead(words: str, kind: IdentityKind, language: Language, today: date) -> str:
    """An age for a date of birth: that is what picks the procedure."""
    day = born(words) if kind == IdentityKind.BIRTH_DATE else None
    return LEFT_OUT if day is None or day > today else f"[{age(day, today, language)}]"


def age(day: date, today: date, language: Language) -> str:
    """In days up to four weeks, in months up to two years, then in years."""
    months = (today.year - day.year) * 12 + today.month - day.month - (today.day < day.day)
    days = (today - day).days
    number, (one, more) = (
        (days, _AGES[language][0])
        if days < 29
        else (months, _AGES[language][1])
        if months < 24
        else (months // 12, _AGES[language][2])
    )
    return f"{number} {one if number == 1 else more}"


def _wrong(text: str, one: Identifying, where: str) -> Wrong:
    words = text[one.start : one.end]
    place = {"text": words, "start": str(one.start), "end": str(one.end)}
    return Wrong(f"body.{where}", f"{one.kind.replace('_', ' ')}: {words}", one.kind.value, place)
