"""Words of a Word file that its print does not show, as notes to whoever loads it."""

from __future__ import annotations

from collections.abc import Sequence

from rag_api.ingest.common.notes import note
from rag_api.ingest.docx.package import Element, tag
from rag_api.ingest.docx.runs import Tally


def said_of(tally: Tally) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What was left out, and what is missing only where there is no rendering."""
    own = []
    if tally.deleted:
        own.append(note("tracked_deletions", words=quoted(tally.deleted)))
    elif tally.changes:
        own.append(note("tracked_changes"))
    if tally.hidden:
        own.append(note("hidden_in_word", words=quoted(tally.hidden)))
    if tally.comments:
        own.append(note("comments", count=tally.comments))
    if tally.objects:
        own.append(note("embedded_objects", count=tally.objects))
    pale = (note("hidden_in_word", words=quoted(tally.pale)),) if tally.pale else ()
    large = (note("large_pictures", count=tally.pictures),) if tally.pictures else ()
    return tuple(own), (*pale, *large)


def quoted(texts: Sequence[str]) -> str:
    shown = " / ".join(texts)
    return f"“{shown if len(shown) <= 200 else shown[:199] + '…'}”"


def characters(element: Element) -> int:
    return sum(len(one.text or "") for one in element.iter() if tag(one) == "w:t")
