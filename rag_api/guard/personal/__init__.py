"""question -> what in it identifies a patient: name, date of birth, numbers, telephone, e-mail,
address. Ages stay: a dose depends on them.

By rules, in about a millisecond. Knows nothing of what is then done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rag_api.guard.personal.births import birth_dates
from rag_api.guard.personal.found import Identifying, IdentityKind, apart
from rag_api.guard.personal.name_lists import name_lists
from rag_api.guard.personal.names import names
from rag_api.guard.personal.numbers import emails, national_numbers, patient_numbers, phones
from rag_api.guard.personal.places import addresses

Also = Callable[[str], Iterable[Identifying]]

__all__ = ["Also", "Identifying", "IdentityKind", "identifying", "warm"]


def identifying(text: str, also: Also | None = None) -> tuple[Identifying, ...]:
    """Return what identifies somebody, in order; `also` looks for more."""
    sure = [*emails(text), *national_numbers(text), *patient_numbers(text), *addresses(text), *phones(text)]
    named = [*names(text), *(also(text) if also is not None else ())]
    born = birth_dates(text, named)
    return apart([*born, *sure, *named])


def warm() -> None:
    """Read the lists of names now, not at somebody's first question."""
    name_lists()
