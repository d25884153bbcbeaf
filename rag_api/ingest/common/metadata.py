"""Metadata that a document gives of itself, by rules in one place: the sidecar CSV first, then the
first page's table, then the file's properties, and its patients, when none of these names them, by
the title.

The first page goes before the properties because staff read it: properties are what a template left
behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import PurePosixPath

from rag_api.domain import Edit, Metadata, TargetGroup, Titles
from rag_api.guard.people.patient import patient_of
from rag_api.ingest.common import expiry_notice
from rag_api.ingest.common.notes import note

GROUPS = "groups"  # said beside the metadata, in a sidecar or a list of sources: who may read the document
FIELDS = (
    "title",
    "department",
    "document_type",
    "target_groups",
    "version",
    "valid_from",
    "valid_until",
    "owner",
    "language",
    "supersedes",
)

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
_PROPERTIES = {  # the first that a file has counts
    "Title": "title",
    "Department": "department",
    "DocumentType": "document_type",
    "TargetGroups": "target_groups",
    "Version": "version",
    "ValidFrom": "valid_from",
    "ValidUntil": "valid_until",
    "Owner": "owner",
    "Author": "owner",
    "Language": "language",
    "Supersedes": "supersedes",
}
_GROUPS = (
    (TargetGroup.ADULT, r"volwassen|adult"),
    (TargetGroup.CHILD, r"kind|child|pediatr|paediatr"),
    (TargetGroup.NEONATE, r"neona|pasgeboren|newborn|prematu"),
    (TargetGroup.PREGNANCY, r"zwanger|pregnan|obstetr"),
)
_TYPES = {
    "richtlijn": "guideline", "patiëntenfolder": "leaflet", "patientenfolder": "leaflet", "folder": "leaflet", "patient leaflet": "leaflet",
    "werkinstructie": "instruction", "work instruction": "instruction", "werkwijze": "instruction",
}  # fmt: skip
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan januari january", "feb februari february", "mrt maart mar march", "apr april", "mei may", "jun juni june", "jul juli july",
         "aug augustus august", "sep sept september", "okt oktober oct october", "nov november", "dec december"), start=1,
    )
    for name in names.split()
}  # fmt: skip
_NOTHING = {"", "-", "–", "n.v.t.", "nvt", "n/a", "na", "geen", "none", "niet van toepassing"}
_BAD_TITLE = re.compile(
    r"^(untitled|naamloos|document\d*|titel|title|presentatie\d*|template|sjabloon|inhoud(?:sopgave)?|(?:table of "
    r")?contents|[\W\d_]*|"
    r"\S+@\S+)$",
    re.IGNORECASE,
)
_TITLE_NOISE = re.compile(r"^microsoft (word|powerpoint) - |\.(docx?|pdf|indd|pptx?|xlsx?|tmp|odt|rtf)$", re.IGNORECASE)
_NO_OWNER = {
    "anonymous",
    "anoniem",
    "unknown",
    "user",
    "admin",
    "administrator",
    "gebruiker",
    "python-docx",
    "(anonymous)",
}
_VERSION_LINE = re.compile(r"^(?:versie|version)\s+(\d+(?:\.\d+)*)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^\W\d_]{2}[.!?]$|(?:\S+\s+){15}")
_WORD = re.compile(r"[^\W\d_]+")
_DUTCH = (
    "de het een en van in is dat op te zijn met voor niet aan er om ook als dan bij door naar uit wordt worden "
    "moet tot of na over"
)
_ENGLISH = (
    "the of and a to in is that for it with as be are on by this or from at not have an should must which was "
    "were if when"
)
_STOP = {"nl": frozenset(_DUTCH.split()), "en": frozenset(_ENGLISH.split())}
_NAMELESS = frozenset().union(*_STOP.values(), _MONTHS, _TYPES, _TYPES.values())


def language_of(text: str) -> str:
    """ "nl", "en", or "" when it is neither, or too short to say: by the share of the commonest
    words."""
    words = [word.casefold() for word in _WORD.findall(text[:20_000])]
    if len(words) < 4:
        return ""
    shares = {language: sum(word in stop for word in words) / len(words) for language, stop in _STOP.items()}
    best = max(shares, key=lambda language: shares[language])
    other = min(shares.values())
    return best if shares[best] >= 0.08 and shares[best] > 1.4 * other else ""


def naming_words(text: str) -> frozenset[str]:
    """What may name something: no number, month, kind of document or word that every text has."""
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(word for word in words if len(word) > 2 and word not in _NAMELESS)


def parse_date(text: str) -> date | None:
    """Dates as they stand in Belgian, Dutch and British documents: the day before the month, or
    ISO."""
    if found := re.search(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b", text):
        year, month, day = found.groups()
    elif found := re.search(r"\b(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})\b", text):
        day, month, year = found.groups()
    elif (found := re.search(r"\b(\d{1,2})\s+([a-z]+)\.?\s+(\d{4})\b", text.casefold())) and found.group(2) in _MONTHS:
        day, month, year = found.group(1), str(_MONTHS[found.group(2)]), found.group(3)
    else:
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def target_groups(text: str) -> tuple[TargetGroup, ...]:
    return tuple(group for group, pattern in _GROUPS if re.search(pattern, text.casefold()))


def from_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """A file's properties by our field names; `Author` is the owner only where `Owner` is
    missing."""
    found: dict[str, str] = {}
    for name, field in _PROPERTIES.items():
        value = _printable(str(properties.get(name, "")))
        if value.casefold() not in _NOTHING:
            found.setdefault(field, value)
    title = _sensible_title(found.pop("title", ""))
    if title:
        found["title"] = title
    if found.get("owner", "").casefold() in _NO_OWNER:
        del found["owner"]
    return found


def _printable(text: str) -> str:
    """Without control characters and halves of pairs, which a database refuses; white space becomes
    single spaces."""
    return " ".join("".join(c if c.isprintable() or c.isspace() else "" for c in text).split())


def _sensible_title(title: str) -> str:
    """Without what word processors put around a file's name; empty when only a name like
    "document1.docx" is left."""
    bare = _TITLE_NOISE.sub("", _TITLE_NOISE.sub("", title.strip())).strip()
    if _BAD_TITLE.match(bare) or (bare != title.strip() and " " not in bare):
        return ""
    return bare


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
            if field and value.strip().casefold() not in _NOTHING:
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


def groups_in(text: str) -> tuple[str, ...]:
    """Return the groups that a sidecar or a list of sources names: parted by semicolons or
    commas."""
    return tuple(name.strip() for name in re.split(r"[;,]", text) if name.strip())


def describe(
    name: str,
    properties: Mapping[str, str],
    first_page: Sequence[Sequence[str]],
    headings: Sequence[str],
    language: str,
    given: Mapping[str, str] | None = None,
) -> Metadata:
    """Everything together. headings: of the first page, the likeliest title first; language: what
    the text is in; given: the sidecar's row."""
    of_file, of_page = from_properties(properties), from_first_page(first_page)
    values = {**of_file, **of_page}
    if "supersedes" in of_file:  # the property holds a source name, the page what people call it
        values["supersedes"] = of_file["supersedes"]
    values["language"] = language or of_file.get("language", "")
    values["title"] = next(iter(titles_of(name, properties, first_page, headings).names), title_from_name(name))
    return _with_patients_of_title(metadata_from({**values, **(given or {})}))


def titles_of(
    name: str, properties: Mapping[str, str], first_page: Sequence[Sequence[str]], headings: Sequence[str]
) -> Titles:
    """What it may be called, best first: the property, a subject line ("Betreft: ..."), the
    headings. A property comes last that a program made of the name of a file, or of whose words the
    first page and the file's name have less than half."""
    of_file, of_page = from_properties(properties), from_first_page(first_page)
    shown = naming_words(" ".join(cell for cells in first_page for cell in cells)) | naming_words(
        PurePosixPath(name).stem
    )
    named = (of_file.get("title", ""),)
    words = naming_words(named[0])
    known = not shown or 2 * len(words & shown) >= max(1, len(words))  # else a template's, or an earlier name
    known = known and not _TITLE_NOISE.search(properties.get("Title", "").strip())
    said = (*(named if known else ()), of_page.get("subject", ""), *headings, *named)
    sensible = (" ".join(_printable(title).split())[:300] for title in said if not _BAD_TITLE.match(title.strip()))
    stated = target_groups({**of_file, **of_page}.get("target_groups", ""))
    return Titles(tuple(dict.fromkeys(title for title in sensible if title)), patients=not stated)


def _with_patients_of_title(metadata: Metadata) -> Metadata:
    """A document that names its patients nowhere but in its title ("Anafylaxie bij kinderen") is
    for those."""
    return metadata if metadata.target_groups else replace(metadata, target_groups=patients_in(metadata.title))


def patients_in(title: str) -> tuple[TargetGroup, ...]:
    """None in a sentence: what it says of some patients does not make the document theirs."""
    if _SENTENCE.search(title):
        return ()
    named = patient_of(title)
    words = [e for e in named.evidence if not any(character.isdigit() for character in e.text)]
    return tuple(group for group in TargetGroup if words and group in named.groups)


def metadata_from(values: Mapping[str, str]) -> Metadata:
    values = {field: _printable(value) for field, value in values.items()}
    document_type = values.get("document_type", "").casefold()
    return Metadata(
        title=values.get("title", "")[:300],
        department=values.get("department", ""),
        document_type=_TYPES.get(document_type, document_type),
        target_groups=target_groups(values.get("target_groups", "")),
        version=values.get("version", ""),
        valid_from=parse_date(values.get("valid_from", "")),
        valid_until=parse_date(values.get("valid_until", "")),
        owner=values.get("owner", ""),
        language=values.get("language", "")[:2].casefold()
        if values.get("language", "")[:2].casefold() in ("nl", "en")
        else "",
        supersedes=values.get("supersedes", ""),
    )


def overridden(metadata: Metadata, given: Mapping[str, str]) -> Metadata:
    """What a file says, with the sidecar's row over it."""
    return metadata_from({**texts_of(metadata), **given}) if given else metadata


def edited(metadata: Metadata, edits: Mapping[str, Edit]) -> tuple[Metadata, tuple[str, ...]]:
    """With an admin's edits over it, and which of them no longer hold: where the file says
    something else than it did when it was edited, a new version speaks, and it is believed."""
    said = texts_of(metadata)
    outdated = {field for field, edit in edits.items() if said[field] not in (edit.said, "", edit.value)}
    kept = {field: edit.value for field, edit in edits.items() if field not in outdated}
    notes = tuple(
        note("edit_outdated", field=field, said=repr(said[field]), edit=repr(edits[field].value))
        for field in sorted(outdated)
    )
    return (metadata_from({**said, **kept}) if kept else metadata), notes


def texts_of(metadata: Metadata) -> dict[str, str]:
    """As a sidecar would have it."""
    return {
        "title": metadata.title, "department": metadata.department, "document_type": metadata.document_type, "version": metadata.version,
        "target_groups": ";".join(metadata.target_groups), "valid_from": metadata.valid_from.isoformat() if metadata.valid_from else "",
        "valid_until": metadata.valid_until.isoformat() if metadata.valid_until else "", "owner": metadata.owner,
        "language": metadata.language, "supersedes": metadata.supersedes,
    }  # fmt: skip


def title_from_name(name: str) -> str:
    """What a document is called that says nothing of itself."""
    return re.sub(r"[_\-\s]+", " ", PurePosixPath(name).stem).strip() or name
