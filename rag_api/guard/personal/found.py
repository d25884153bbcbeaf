"""A part of a question that identifies a patient."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class IdentityKind(StrEnum):
    NAME = "name"
    BIRTH_DATE = "birth_date"
    NATIONAL_NUMBER = "national_number"
    PATIENT_NUMBER = "patient_number"
    PHONE = "phone"
    EMAIL = "email"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class Identifying:
    """Characters [start, end) of the question."""

    start: int
    end: int
    kind: IdentityKind


def apart(found: Iterable[Identifying]) -> tuple[Identifying, ...]:
    """Return them in order, none over another: what was found first stands, so the surest kinds
    come first."""
    kept: list[Identifying] = []
    for one in found:
        if all(one.end <= other.start or one.start >= other.end for other in kept):
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: one.start))
