"""Dates of birth. Any other date is a procedure's; a patient's age is no date and stays: a dose
depends on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from rag_api.guard.personal.found import Identifying, IdentityKind

_MONTHS = (
    ("jan", "januari", "january"), ("feb", "februari", "february"), ("mrt", "maart", "mar", "march"), ("apr", "april"), ("mei", "may"),
    ("jun", "juni", "june"), ("jul", "juli", "july"), ("aug", "augustus", "august"), ("sep", "sept", "september"),
    ("okt", "oktober", "oct", "october"), ("nov", "november"), ("dec", "december"),
)  # fmt: skip
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_NAMED = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_DATE = re.compile(
    rf"(?i)(?<![\w.,/-])(?:(?P<d>\d{{1,2}})\s?[-/. ]\s?(?P<m>\d{{1,2}})\s?[-/. ]\s?(?P<y>\d{{4}}|\d{{2}})|(?P<y2>(?:19|"
    rf"20)\d{{2}})[-/.](?P<m2>\d{{1,2}})[-/.](?P<d2>\d{{1,2}})"
    rf"|(?P<d3>\d{{1,2}})\s(?P<n3>{_NAMED})\.?\s(?P<y3>\d{{4}})|(?P<n4>{_NAMED})\.?\s(?P<d4>\d{{1,2}}),?\s(?P<y4>\d{{4}})"
    r"|(?P<d5>\d{2})(?P<m5>\d{2})(?P<y5>(?:19|20)\d{2}))(?![\w/]|[.,-]\d)"
)
_CUE = re.compile(
    r"(?i)(?:(?<!\w)(?:geb(?:oren|\.)?[\s.]*(?:op|te|dat(?:um)?\.?|datum)?|geboortedatum|geboortedat\.?|geb\.?\s?datum|"
    r"d\.?o\.?b\.?|born(?: on)?|date of birth|birth\s?date|"
    r"polsbandje[\w\s]{0,30}|wristband[\w\s]{0,30})|°|\*)[\s:=(]*$"
)
_AFTER_NAME = re.compile(r"^[\s,;(°*]{0,4}$")


def birth_dates(text: str, names: Sequence[Identifying]) -> Iterator[Identifying]:
    """Those that the text calls one, and those that follow a name at once."""
    ends = [name.end for name in names]
    for match in _DATE.finditer(text):
        before = text[: match.start()]
        after_name = any(end <= match.start() and _AFTER_NAME.match(text[end : match.start()]) for end in ends)
        if day_of(match) is not None and (_CUE.search(before) or after_name):
            yield Identifying(match.start(), match.end(), IdentityKind.BIRTH_DATE)


def day_of(match: re.Match[str]) -> date | None:
    """None for what is no day of any calendar; "4.5.37" was nine years before "4.5.46"."""
    part = match.groupdict()
    year = next(int(part[name]) for name in ("y", "y2", "y3", "y4", "y5") if part[name])
    month = next((int(part[name]) for name in ("m", "m2", "m5") if part[name]), 0)
    named = part["n3"] or part["n4"]
    month = month or _MONTH_OF[(named or "jan").lower()]
    day = next(int(part[name]) for name in ("d", "d2", "d3", "d4", "d5") if part[name])
    if year < 100:
        year += 2000 if year <= date.today().year % 100 else 1900
    try:
        return date(year, month, day)
    except ValueError:
        return None


def born(text: str) -> date | None:
    """Return the day that a found date of birth names."""
    match = _DATE.fullmatch(text.strip())
    return day_of(match) if match else None
