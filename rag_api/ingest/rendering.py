"""A kept file -> what is read of it, with the PDF that shows it beside it where one can be made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rag_api.domain import ReadDocument
from rag_api.ingest.office import MISSING, PACKAGES, convert
from rag_api.ingest.read import DOCX
from rag_api.ingest.reader import Job, Reader


def read_rendered(reader: Reader, job: Job, shown: Path) -> ReadDocument:
    """Read a file and, of a kind without pages, its rendering, which becomes `shown`. Raises UnreadableDocument."""
    text = reader.read(job)
    if job.kind != DOCX:
        return text
    if failed := convert(job.path, shown, reader.timeout, reader.memory_mb):
        shown.unlink(missing_ok=True)  # of an earlier reader, which may have read something else
        return replace(text, warnings=(*text.warnings, not_rendered(failed)))
    return reader.read(replace(job, shown=shown))


def not_rendered(failed: str) -> str:
    what = f"install {PACKAGES}" if failed == MISSING else "save it as PDF"
    return f"no rendering as PDF ({failed}): its place on the page cannot be shown; {what}"
