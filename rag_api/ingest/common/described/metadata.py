"""Metadata that a document gives of itself, by rules in one place: the sidecar CSV first, then the
first page's table, then the file's properties, and its patients, when none of these names them, by
the title.

The first page goes before the properties because staff read it: properties are what a template left
behind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from rag_api.domain import Edit, Metadata, TargetGroup, Titles
from rag_api.guard.people.patient import patient_of
from rag_api.ingest.common.described.dates import parse_date
from rag_api.ingest.common.described.first_page import NOTHING, from_first_page
from rag_api.ingest.common.described.title_signs import NamingLine, best_first
from rag_api.ingest.common.described.words import TYPES, naming_words
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
_LONGEST = 300  # characters of a title
_PROPERTY, _OF_A_FILE, _SUBJECT = 2.0, -2.0, 4.0  # what they are worth among the signs of a title
_SENTENCE = re.compile(r"[^\W\d_]{2}[.!?]$|(?:\S+\s+){15}")


def target_groups(text: str) -> tuple[TargetGroup, ...]:
    return tuple(group for group, pattern in _GROUPS if re.search(pattern, text.casefold()))


def from_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """A file's properties by our field names; `Author` is the owner only where `Owner` is
    missing."""
    found: dict[str, str] = {}
    for name, field in _PROPERTIES.items():
        value = printable(str(properties.get(name, "")))
        if value.casefold() not in NOTHING:
            found.setdefault(field, value)
    title = _sensible_title(found.pop("title", ""))
    if title:
        found["title"] = title
    if found.get("owner", "").casefold() in _NO_OWNER:
        del found["owner"]
    return found


def printable(text: str) -> str:
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


def groups_in(text: str) -> tuple[str, ...]:
    """Return the groups that a sidecar or a list of sources names: parted by semicolons or
    commas."""
    return tuple(name.strip() for name in re.split(r"[;,]", text) if name.strip())


def describe(
    name: str,
    properties: Mapping[str, str],
    first_page: Sequence[Sequence[str]],
    headings: Sequence[NamingLine],
    language: str,
) -> Metadata:
    """Everything together. headings: what may be the title; language: what the text is in."""
    of_file, of_page = from_properties(properties), from_first_page(first_page)
    values = {**of_file, **of_page}
    if "supersedes" in of_file:  # the property holds a source name, the page what people call it
        values["supersedes"] = of_file["supersedes"]
    values["language"] = language or of_file.get("language", "")
    values["title"] = next(iter(titles_of(name, properties, first_page, headings).names), title_from_name(name))
    return _with_patients_of_title(metadata_from(values))


def titles_of(
    name: str, properties: Mapping[str, str], first_page: Sequence[Sequence[str]], headings: Sequence[NamingLine]
) -> Titles:
    """What it may be called, best first: the property, a subject line ("Betreft: ..."), the
    headings."""
    of_file, of_page = from_properties(properties), from_first_page(first_page)
    of_a_file = bool(_TITLE_NOISE.search(properties.get("Title", "").strip()))  # a program made it of the file's name
    given = (
        NamingLine(of_file.get("title", ""), given=_OF_A_FILE if of_a_file else _PROPERTY),
        NamingLine(of_page.get("subject", ""), given=_SUBJECT),
    )
    every = (replace(one, text=printable(one.text)[:_LONGEST]) for one in (*given, *headings))
    shown = naming_words(" ".join((PurePosixPath(name).stem, *(cell for cells in first_page for cell in cells))))
    names = best_first([one for one in every if not _BAD_TITLE.match(one.text)], name, shown)
    stated = target_groups({**of_file, **of_page}.get("target_groups", ""))
    return Titles(names, patients=not stated)


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
    values = {field: printable(value) for field, value in values.items()}
    document_type = values.get("document_type", "").casefold()
    return Metadata(
        title=values.get("title", "")[:_LONGEST],
        department=values.get("department", ""),
        document_type=TYPES.get(document_type, document_type),
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
