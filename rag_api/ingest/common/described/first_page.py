"""First page of a document: what its table and labels say of it, and since when it has lapsed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from rag_api.ingest.common.described import expiry_notice
from rag_api.ingest.common.described.dates import parse_date

_LABELS = {
    "version": ("versie", "versienummer", "version", "versie nr", "revision"),
    "valid_from": (
        "geldig vanaf",
        "valid from",
        "ingangsdatum",
        "datum ingang",
        "effective date",
        "effective from",
        "publicatiedatum",
    ),
    "valid_until": (
        "geldig tot",
        "geldig t/m",
        "geldig tot en met",
        "valid until",
        "valid to",
        "expires",
        "vervaldatum",
        "review date",
    ),
    "owner": (
        "eigenaar",
        "documenteigenaar",
        "owner",
        "document owner",
        "verantwoordelijke",
        "auteur",
        "author",
        "beheerder",
    ),
    "department": ("dienst", "afdeling", "department", "ward", "service"),
    "target_groups": (
        "doelgroep",
        "patiëntengroep",
        "patiëntendoelgroep",
        "target group",
        "target groups",
        "patient group",
        "patients",
    ),
    "document_type": ("documenttype", "documentsoort", "type document", "document type", "soort document"),
    "supersedes": ("vervangt", "supersedes", "replaces"),
    # a title, when nothing better is
    "subject": ("betreft", "betreffende", "onderwerp", "subject", "concerns", "titel", "title"),
}
_FIELD_OF = {label: field for field, labels in _LABELS.items() for label in labels}
NOTHING = {"", "-", "–", "n.v.t.", "nvt", "n/a", "na", "geen", "none", "niet van toepassing"}
_VERSION_LINE = re.compile(r"^(?:versie|version)\s+(\d+(?:\.\d+)*)\b", re.IGNORECASE)


def from_first_page(lines: Iterable[Sequence[str]]) -> dict[str, str]:
    """The first page's table, and the day from which it says that it is no longer in force. lines:
    each line's cells, of which a label and its value stand side by side or parted by a colon."""
    found: dict[str, str] = {}
    rows = list(lines)
    ended = parse_date(expiry_notice.since(" ".join(cells) for cells in rows))
    below = [
        (one[0], two[0]) for one, two in pairwise(rows) if len(one) == len(two) == 1 and _says_subject(one[0], two[0])
    ]
    for pairs in [*map(_pairs, rows), below]:
        for label, value in pairs:
            field = _FIELD_OF.get(label.strip(" :").casefold())
            if field and value.strip().casefold() not in NOTHING:
                found.setdefault(field, value.strip())
    for cells in rows:
        if version := _VERSION_LINE.match(cells[0].strip() if cells else ""):
            found.setdefault("version", version.group(1))
    if ended is not None and ended <= (parse_date(found.get("valid_until", "")) or ended):
        found["valid_until"] = ended.isoformat()
    return found


def _says_subject(label: str, value: str) -> bool:
    """A label alone on its line, and below it what is no other label."""
    return _FIELD_OF.get(label.strip(" :").casefold()) == "subject" and len(value.split()) > 2


def _pairs(cells: Sequence[str]) -> Iterable[tuple[str, str]]:
    yield from zip(cells[::2], cells[1::2], strict=False)
    for cell in cells:
        label, colon, value = cell.partition(":")
        if colon and len(label) < 30 and len(value) < 120:
            yield label, value
