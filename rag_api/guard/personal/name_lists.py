"""First and family names as lists give them, and words that look like names and are none
(not_names.csv: eponyms, brands, wards)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files

from rag_api.guard.drugs import is_drug
from rag_api.guard.words import folded

# Who is ill in the Low Countries and in Britain; Faker has names for each by its statistics office.
LOCALES = (
    "nl_BE",
    "nl_NL",
    "fr_BE",
    "fr_FR",
    "en_GB",
    "en_US",
    "en_IE",
    "tr_TR",
    "pl_PL",
    "it_IT",
    "es_ES",
    "de_DE",
    "pt_PT",
    "ro_RO",
)


@dataclass(frozen=True, slots=True)
class NameLists:
    """All folded."""

    first: frozenset[str]
    family: frozenset[str]
    other: frozenset[str]  # eponyms, brands, places: no patient unless a title stands before them
    ordinary: frozenset[str]  # words of every day that are names too


@cache
def name_lists() -> NameLists:
    """Read once, in half a second; `warm` does it before anybody asks."""
    first: set[str] = set()
    family: set[str] = set()
    for locale in LOCALES:
        names = import_module(f"faker.providers.person.{locale}").Provider
        for attribute in ("first_names", "first_names_male", "first_names_female"):
            first.update(folded(name) for name in getattr(names, attribute, ()))
        family.update(folded(name) for name in getattr(names, "last_names", ()))
    words = _not_names()
    other = words["eponym"] | words["brand"] | words["place"] | words["calendar"]
    return NameLists(
        frozenset(first), frozenset(family), frozenset(other), frozenset(words["ordinary"] | words["calendar"])
    )


def _not_names() -> dict[str, set[str]]:
    text = files(__package__).joinpath("not_names.csv").read_text(encoding="utf-8")
    return {
        row["kind"]: {folded(word) for word in row["words"].split("|")} for row in csv.DictReader(text.splitlines())
    }


def is_nobody(word: str) -> bool:
    """A folded word that names a disease, a device, a drug or a place of the hospital."""
    lists = name_lists()
    return word in lists.other or any(part in lists.other for part in word.split("-")) or is_drug(word)
