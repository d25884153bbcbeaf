"""Dates as they stand in Belgian, Dutch and British documents."""

from __future__ import annotations

import re
from datetime import date

MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan januari january", "feb februari february", "mrt maart mar march", "apr april", "mei may", "jun juni june", "jul juli july",
         "aug augustus august", "sep sept september", "okt oktober oct october", "nov november", "dec december"), start=1,
    )
    for name in names.split()
}  # fmt: skip


def parse_date(text: str) -> date | None:
    """Return the first: the day before the month, or ISO."""
    if found := re.search(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b", text):
        year, month, day = found.groups()
    elif found := re.search(r"\b(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})\b", text):
        day, month, year = found.groups()
    elif (found := re.search(r"\b(\d{1,2})\s+([a-z]+)\.?\s+(\d{4})\b", text.casefold())) and found.group(2) in MONTHS:
        day, month, year = found.group(1), str(MONTHS[found.group(2)]), found.group(3)
    else:
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
