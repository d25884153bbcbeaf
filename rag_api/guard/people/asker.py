"""The asker: what a function (functions.csv) says of the patients and departments that its holders
ask about.

A function only changes the order of sources, never what may be read: it may come from a page's
setting or from a proxy's header.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from rag_api.domain import TargetGroup, User
from rag_api.guard.tables import rows_of
from rag_api.guard.words import folded


@dataclass(frozen=True, slots=True)
class Function:
    """`groups`: the patients its holders care for, empty when they care for all; `departments`:
    whose documents they want first."""

    id: str
    nl: str
    en: str
    groups: frozenset[TargetGroup] = frozenset()
    departments: tuple[str, ...] = ()


@cache
def functions() -> tuple[Function, ...]:
    rows = rows_of("functions.csv")
    return tuple(
        Function(r["id"], r["nl"], r["en"], _groups(r["groups"]), tuple(filter(None, r["departments"].split("|"))))
        for r in rows
    )


def _groups(text: str) -> frozenset[TargetGroup]:
    return frozenset(TargetGroup(name) for name in text.split(";") if name)


def function_named(name: str) -> Function | None:
    """By id or by its name in either language, however it is written."""
    wanted = folded(name.strip())
    return next((one for one in functions() if wanted in (one.id, folded(one.nl), folded(one.en))), None)


def function_of(user: User) -> Function:
    """An unknown function asks about everyone."""
    return function_named(user.function) or Function(folded(user.function.strip()), user.function, user.function)


def departments_of(user: User) -> frozenset[str]:
    """Folded: the asker's own department, else those of the function."""
    if user.department.strip():
        return frozenset({folded(user.department.strip())})
    return frozenset(map(folded, function_of(user).departments))
