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
        "next review",
        "volgende herziening",
    ),
    # of the next review, or of the last: it is an end where the document begins before it
    "review": ("herzieningsdatum", "revisiedatum", "revision date"),
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
_LABELLED = re.compile(  # a label and its colon, wherever they stand in a line
    rf"(?<!\S)({'|'.join(sorted((label for labels in _LABELS.values() for label in labels), key=len, reverse=True))})\s*:",
    re.IGNORECASE,
)
_BETWEEN = " \t|·•;,/–-"  # what stands between two fields of a line
_LONGEST = 120  # characters of a value
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
    review, begins = found.pop("review", ""), parse_date(found.get("valid_from", ""))
    if begins is not None and (parse_date(review) or begins) > begins:
        found.setdefault("valid_until", review)
    if ended is not None and ended <= (parse_date(found.get("valid_until", "")) or ended):
        found["valid_until"] = ended.isoformat()
    return found


def _says_subject(label: str, value: str) -> bool:
    """A label alone on its line, and below it what is no other label."""
    return _FIELD_OF.get(label.strip(" :").casefold()) == "subject" and len(value.split()) > 2


def _pairs(cells: Sequence[str]) -> Iterable[tuple[str, str]]:
    if labelled := _labelled(cells):
        yield from labelled
        return
    cells = _even(cells)
    yield from zip(cells[::2], cells[1::2], strict=False)
    for cell in cells:
        label, colon, value = cell.partition(":")
        if colon and len(label) < 30 and len(value) < _LONGEST:
            yield label, value


def _labelled(cells: Sequence[str]) -> list[tuple[str, str]]:
    """Of a line with several labels before colons: each with what stands until the next."""
    line = "\n".join(cells)
    found = [label for label in _LABELLED.finditer(line) if _is_field(line, label)]
    if len(found) < 2:
        return []
    ends = [*(label.start() for label in found[1:]), len(line)]
    values = [line[label.end() : end].strip() for label, end in zip(found, ends, strict=True)]
    texts = [value.partition("\n")[0].strip(_BETWEEN) for value in values]
    return [(label[1], text) for label, text in zip(found, texts, strict=True) if len(text) < _LONGEST]


def _is_field(line: str, label: re.Match[str]) -> bool:
    """It begins or ends its cell, or shares it with another: "Bel de dienst: 4711" is no field."""
    begins, ends = line.rfind("\n", 0, label.start()) + 1, line.find("\n", label.end())
    cell = line[begins : ends if ends >= 0 else len(line)]
    return begins == label.start() or cell.endswith(label[0]) or len(_LABELLED.findall(cell)) > 1


def _even(cells: Sequence[str]) -> Sequence[str]:
    """With the label that a value's cell ends with in a cell of its own: a line of labels and
    values has as many of both, and each field once."""
    named = {_FIELD_OF.get(cell.strip(" :").casefold()) for cell in cells}
    if len(cells) % 2 == 0 or not cells or cells[0].strip(" :").casefold() not in _FIELD_OF:
        return cells
    for place in range(1, len(cells) - 1, 2):
        value, _, label = cells[place].rpartition(" ")
        if value and _FIELD_OF.get(label.casefold()) not in {None, *named}:
            return [*cells[:place], value, label, *cells[place + 1 :]]
    return cells
