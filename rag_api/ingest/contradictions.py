"""Where what is said of a file contradicts the file's own words. What is said counts; a patient group or date turned round is told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rag_api.domain import Metadata, ReadDocument, TargetGroup
from rag_api.ingest.metadata import metadata_from, patients_in
from rag_api.text.title_key import title_key

_WORD = re.compile(r"[^\W\d_]{4,}")


def contradictions(text: ReadDocument, given: Mapping[str, str], by: str) -> tuple[str, ...]:
    """Warnings for a document. given: by metadata field, as texts; by: what says it."""
    own, said = text.metadata, metadata_from(given)
    return tuple(f"{by} says {what}" for what in (*_patients(own, said), *_dates(own, said), *_title(text, said.title)))


def _patients(own: Metadata, said: Metadata) -> Iterator[str]:
    of_title = patients_in(said.title)
    if said.target_groups and own.target_groups and set(said.target_groups) != set(own.target_groups):
        yield f"that it is about {_named(said.target_groups)}, the file itself {_named(own.target_groups)}: check which patients it is for"
    elif of_title and (other := said.target_groups or own.target_groups) and not set(of_title) & set(other):
        whose = "its own patients" if said.target_groups else "the file itself"
        yield f"the title {said.title!r}, of {_named(of_title)}, and {whose} {_named(other)}: check which patients it is for"


def _dates(own: Metadata, said: Metadata) -> Iterator[str]:
    for label, one, other in (("from", said.valid_from, own.valid_from), ("until", said.valid_until, own.valid_until)):
        if one and other and one != other:
            yield f"that it is valid {label} {one}, the file itself {other}"


def _title(text: ReadDocument, title: str) -> Iterator[str]:
    """None of its words stands in the file, or as good as none: it may be another document's."""
    words = set(_WORD.findall(title.casefold()))
    if not words or title_key(title) in {title_key(name) for name in text.titles.names}:
        return
    there = " ".join((*text.titles.names, text.text)).casefold()
    if sum(word in there for word in words) * 2 < len(words):
        yield f"that it is called {title!r}, and the file does not hold most of those words: check whether it is the right document"


def _named(groups: tuple[TargetGroup, ...]) -> str:
    return " and ".join(groups)
