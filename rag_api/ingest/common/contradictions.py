"""Contradictions between what is said of a file and the file's own words. What is said counts; a
patient group or date turned round is told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rag_api.domain import Metadata, Note, ReadDocument, TargetGroup
from rag_api.ingest.common.described.metadata import metadata_from, patients_in
from rag_api.ingest.common.notes import note
from rag_api.text.title_key import title_key

_WORD = re.compile(r"[^\W\d_]{4,}")


def contradictions(text: ReadDocument, given: Mapping[str, str], by: str) -> tuple[Note, ...]:
    """Warnings for a document. given: by metadata field, as texts; by: what says it."""
    own, said = text.metadata, metadata_from(given)
    return (*_patients(own, said, by), *_dates(own, said, by), *_title(text, said.title, by))


def _patients(own: Metadata, said: Metadata, by: str) -> Iterator[Note]:
    of_title = patients_in(said.title)
    if said.target_groups and own.target_groups and set(said.target_groups) != set(own.target_groups):
        yield note("other_patients", by=by, said=_named(said.target_groups), own=_named(own.target_groups))
    elif of_title and (other := said.target_groups or own.target_groups) and not set(of_title) & set(other):
        whose = "its own patients" if said.target_groups else "the file itself"
        yield note(
            "other_patients_in_title",
            by=by,
            title=repr(said.title),
            said=_named(of_title),
            whose=whose,
            own=_named(other),
        )


def _dates(own: Metadata, said: Metadata, by: str) -> Iterator[Note]:
    for label, one, other in (("from", said.valid_from, own.valid_from), ("until", said.valid_until, own.valid_until)):
        if one and other and one != other:
            yield note(f"other_{label}", by=by, said=one, own=other)


def _title(text: ReadDocument, title: str, by: str) -> Iterator[Note]:
    """None of its words stands in the file, or as good as none: it may be another document's."""
    words = set(_WORD.findall(title.casefold()))
    if not words or title_key(title) in {title_key(name) for name in text.titles.names}:
        return
    there = " ".join((*text.titles.names, text.text)).casefold()
    if sum(word in there for word in words) * 2 < len(words):
        yield note("other_title", by=by, title=repr(title))


def _named(groups: tuple[TargetGroup, ...]) -> str:
    return " and ".join(groups)
