"""Words of a Word file that its print does not show, as notes to whoever loads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.notes import note
from rag_api.ingest.docx.package import Element, attribute, tag
from rag_api.ingest.docx.runs import Inline, Tally


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


def _characters(element: Element) -> int:
    return sum(len(one.text or "") for one in element.iter() if tag(one) == "w:t")


def leave_out_unseen(inline: Inline, notes: Mapping[str, Element | None]) -> None:
    """Notes that only a hidden mark refers to: Word does not print them."""
    unseen = {*inline.unseen_notes} - {*inline.notes}
    for kind, root in notes.items():
        for one in root if root is not None else ():
            if (kind, attribute(one, "id")) in unseen:
                inline.left_out(one, inline.tally.hidden)


def refuse_unread(inline: Inline, name: str, body: Element, notes: Mapping[str, Element | None]) -> None:
    """The last check that no word was lost: every character of the file's text was read, or left
    out by a rule."""
    known = {*inline.notes, *inline.unseen_notes}
    referred = [
        one for kind, root in notes.items() if root is not None for one in root if (kind, attribute(one, "id")) in known
    ]
    held = sum(map(_characters, (body, *referred)))
    if held > inline.tally.characters:
        raise UnreadableDocument(
            "broken", f"{name}: {held - inline.tally.characters} characters stand where no text should"
        )
