"""Documents whose file cannot be read just now, as it is being copied or its row of metadata.csv is
being edited: their version before keeps answering for a day. A file in a folder that is whole and
cannot be read is another matter: what it replaces is no longer what the hospital says. An upload
that cannot be read replaces nothing: who sent it is told at once.

What ends early is seen by its kind: a PDF and a ZIP (DOCX, XLSX, PPTX) end with what makes them
readable. A text that breaks off in the middle cannot be told from a short one.
"""

from __future__ import annotations

import time

from rag_api.domain import DocumentStatus, code_of
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.notes import note
from rag_api.ingest.sources.report import Outcome
from rag_api.ingest.sources.run import Item, ReadItem, Run
from rag_api.ingest.sources.sidecar import SIDECAR
from rag_api.ingest.sources.sources import UPLOADED

_PASSING = ("broken", "empty", "wrong_metadata")  # reasons that may be over in a minute
PATIENCE = 24 * 3600.0  # seconds since the file changed: longer than from one nightly run to the next
_END = 2048  # bytes in which a PDF's last line stands


def may_pass(one: ReadItem, error: UnreadableDocument) -> bool:
    """Whether the version before stays: of an upload for good, of a file in a folder for now."""
    if _is_upload(one.item):
        return one.item.known is not None and one.item.known.status == DocumentStatus.INDEXED
    return error.reason in _PASSING and _has_version(one.item) and _is_fresh(one.item, error.reason)


def keep_version(run: Run, one: ReadItem, error: UnreadableDocument) -> None:
    known = one.item.known
    assert known is not None
    if _is_upload(one.item):
        message = f"{error.message}; the version before stays in force"
        run.done(Outcome(one.item.source.name, "failed", known.id, error.reason, message, kept=True))
        return
    others = [warning for warning in known.warnings if code_of(warning) != "kept"]
    run.repo.keep(known.id, [note("kept", why=error.message), *others])
    message = f"{error.message}; its version before still answers for now, and the file is tried again"
    run.done(Outcome(one.item.source.name, "failed", known.id, error.reason, message, kept=True))


def refuse_half(item: Item) -> None:
    """Raises UnreadableDocument for a PDF without an end that would take the place of a whole one,
    while it may still be being copied."""
    if not _has_version(item) or not _is_fresh(item, "broken"):
        return
    try:
        with item.source.path.open("rb") as file:
            file.seek(max(0, item.bytes - _END))
            ended = b"%%EOF" in file.read()
    except OSError:
        return  # which is said when it is read
    if not ended:
        raise UnreadableDocument("broken", f"{item.source.name}: its end is missing, as if it were still being copied")


def _has_version(item: Item) -> bool:
    """One that answers, of a file in a folder. An object of a store is whole."""
    return (
        not item.source.url
        and item.known is not None
        and item.known.status == DocumentStatus.INDEXED
        and item.source.folder not in ("", UPLOADED)
    )


def _is_upload(item: Item) -> bool:
    return item.source.folder == UPLOADED


def _is_fresh(item: Item, reason: str) -> bool:
    """By when the file, or what is said of it, came to be as it is here: a copy may carry an older
    date of change."""
    path = item.source.path.parent / SIDECAR if reason == "wrong_metadata" else item.source.path
    try:
        state = path.stat()
    except OSError:
        return True  # gone again
    return time.time() - max(state.st_mtime, state.st_ctime) < PATIENCE
