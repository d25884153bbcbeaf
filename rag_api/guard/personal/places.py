"""Addresses: a street with a house number. A street alone may be a gate of the hospital."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_api.guard.personal.found import Identifying, IdentityKind

_STREET = (
    r"(?:straat|laan|weg|plein|dreef|steenweg|lei|kaai|dijk|singel|gracht|hof|pad|baan|kade|plantsoen|wegel|rei|vest|berg|"
    r"veld|markt|park|dorp)"
)
_TOWN = (
    r"(?:\s*,\s*(?:[A-Z]-?)?\d{4}(?:\s?[A-Z]{2})?\s+[A-Z][\w-]+|\s*,\s*[A-Z][\w-]+(?:\s[A-Z]{1,2}\d{1,2}[A-Z]?\s\d[A-Z]{2})?|"
    r"\s+[A-Z][a-z][\w-]+)?"
)
_DUTCH = re.compile(
    rf"(?<!\w)(?:[A-Z][\w'’-]*\s){{0,3}}[A-Z][\w'’ë-]*{_STREET}\s+\d{{1,4}}\s?[a-zA-Z]?(?!\w)(?:\s+bus\s+\w+)?{_TOWN}"
)
_ENGLISH = re.compile(
    r"(?<!\w)\d{1,4}[a-z]?\s(?:[A-Z][\w'’-]+\s){1,3}(?:Street|Road|Rd|Lane|Avenue|Ave|Close|Drive|Way|Court|Crescent|Square|"
    r"Terrace|Gardens|Place)(?!\w)" + _TOWN
)


def addresses(text: str) -> Iterator[Identifying]:
    for pattern in (_DUTCH, _ENGLISH):
        for match in pattern.finditer(text):
            yield Identifying(match.start(), match.end(), IdentityKind.ADDRESS)
