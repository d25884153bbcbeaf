"""A kept file -> what is read of it, with the PDF that shows it beside it where one can be made."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from rag_api.domain import Note, ReadDocument
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.job import Job
from rag_api.ingest.common.kinds import CONVERTED_TO, SLIDES, TEXTS, WORD_KINDS, Kind
from rag_api.ingest.common.notes import note
from rag_api.ingest.sandbox.office import MISSING, PACKAGES, SLOW, convert
from rag_api.ingest.sandbox.reader_process import OnPage, ReaderProcess

_ENDINGS = {Kind.DOCX: ".docx", Kind.XLSX: ".xlsx"}


def read_rendered(reader: ReaderProcess, job: Job, shown: Path, on_page: OnPage | None = None) -> ReadDocument:
    """Read a file and, of a kind without pages, its rendering, which becomes `shown`. on_page: as
    `ReaderProcess.read`. Raises UnreadableDocument."""
    kind = Kind(job.kind)
    if kind in CONVERTED_TO:
        with tempfile.TemporaryDirectory(prefix="office-", dir=shown.parent) as folder:
            newer = Path(folder) / f"newer{_ENDINGS[CONVERTED_TO[kind]]}"
            _must(convert(job.path, newer, reader.timeout, reader.memory_mb), job)
            return read_rendered(reader, replace(job, path=newer, kind=CONVERTED_TO[kind]), shown)
    if kind in SLIDES:
        _must(convert(job.path, shown, reader.timeout, reader.memory_mb), job)
    if kind in SLIDES or kind in TEXTS:
        return reader.read(replace(job, shown=shown))
    return reader.read(job, on_page) if kind not in WORD_KINDS else _words(reader, job, shown)


def _words(reader: ReaderProcess, job: Job, shown: Path) -> ReadDocument:
    """Read a Word file as it is written, then, where a rendering can be made, as it is printed."""
    text, refused = _written(reader, job)
    if failed := convert(job.path, shown, reader.timeout, reader.memory_mb):
        shown.unlink(missing_ok=True)  # of an earlier reader, which may have read something else
        if text is None:
            assert refused is not None
            raise refused
        return replace(text, warnings=(*text.warnings, _not_rendered(failed)))
    return reader.read(replace(job, shown=shown))


def _written(reader: ReaderProcess, job: Job) -> tuple[ReadDocument | None, UnreadableDocument | None]:
    try:
        return reader.read(job), None
    except UnreadableDocument as error:
        if error.reason != "only_rendered":
            raise
        return None, error


def _not_rendered(failed: str) -> Note:
    return note("no_office", packages=PACKAGES) if failed == MISSING else note("no_rendering", why=failed)


def _must(failed: str, job: Job) -> None:
    """Raises UnreadableDocument when LibreOffice was needed and did not do it."""
    if failed == MISSING:
        raise UnreadableDocument(
            "unsupported", f"{job.name}: only LibreOffice opens files of its kind; install {PACKAGES}"
        )
    if failed.startswith(SLOW):
        raise UnreadableDocument("too_slow", f"{job.name}: {failed}")
    if failed:
        raise UnreadableDocument(
            "broken", f"{job.name}: LibreOffice cannot open it; it may be damaged or need a password"
        )
