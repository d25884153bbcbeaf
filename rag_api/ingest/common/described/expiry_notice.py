"""Notices of a document's first page on its own end: "VERVALLEN OP 8 JANUARI 2025", "Withdrawn",
"Niet meer gebruiken".

An old version that was kept beside the new one looks like any other document but for this line.
With a day it is the last day of its validity; without one its loader is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

_IT_IS = (
    r"(?:(?:dit|deze|this) (?:document|versie|version|procedure|richtlijn|guideline|policy|protocol) "
    r"(?:is|was|werd|has been) )?"
)
_ENDED = (
    r"(?:vervallen|ingetrokken|niet meer (?:geldig|van kracht)|buiten gebruik|withdrawn|expired|obsolete|no "
    r"longer (?:valid|in force))"
)
_SINCE = re.compile(
    rf"\W*{_IT_IS}{_ENDED}\s+(?:op|sinds|per|vanaf|on|since|from|as of)\b:?\s+(?P<day>.{{4,24}})", re.IGNORECASE
)
_UNDATED = re.compile(
    rf"\W*(?:{_IT_IS}(?:{_ENDED})|{_IT_IS}(?:vervangen door|superseded by|replaced by)\b.{{2,80}}|niet meer "
    rf"gebruiken|no longer in use|"
    rf"(?:oude|verouderde|old|outdated|obsolete) (?:versie|version)|"
    r"(?:enkel|alleen|only) (?:bewaard )?(?:voor|for) (?:het |the )?archie[fv]e?)\W*",
    re.IGNORECASE,
)
_FIRST = 12  # lines
_SENTENCE = re.compile(r"(?<=[.!])\s+")


def since(lines: Iterable[str]) -> str:
    """The day, as written, from which it is no longer in force; empty where no line says one."""
    for line in islice(lines, _FIRST):
        if (found := _SINCE.match(line)) is not None:
            return found["day"]
    return ""


def said_undated(lines: Iterable[str]) -> str:
    """The words that say so without a day: a line, or a sentence of one; empty where none does."""
    parts = (part for line in islice(lines, _FIRST) for part in _SENTENCE.split(line.strip()))
    return next((part.strip() for part in parts if _UNDATED.fullmatch(part)), "")
