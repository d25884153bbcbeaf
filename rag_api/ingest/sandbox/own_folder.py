"""The folder of one reader process: the only one that it may use. What it reads is copied there,
what it makes is fetched from there.

Nothing of ours is in it, so a file that took its reader over finds no other document, no setting
and no secret.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from rag_api.errors import UnreadableDocument, room
from rag_api.ingest.common.job import Job
from rag_api.ingest.common.kinds import TEXTS
from rag_api.ingest.sandbox.starting import shared

_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TESSDATA_PREFIX", "TZ", "PYTHONPATH", "PYTHONHOME")
_SINGLE = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")  # threads reserve memory


class OwnFolder:
    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="bedside-reader-", dir=shared())).resolve()

    @property
    def environment(self) -> dict[str, str]:
        return reader_environment(self.path)

    def given(self, job: Job) -> Job:
        """Return the job with the files copied here. Raises UnreadableDocument, DiskFull."""
        document = self.path / f"document{job.path.suffix}"
        shown = None if job.shown is None else self.path / "shown.pdf"
        try:
            with room():
                shutil.copyfile(job.path, document)
                if job.shown is not None and shown is not None and job.kind not in TEXTS:
                    shutil.copyfile(job.shown, shown)
        except (FileNotFoundError, PermissionError, IsADirectoryError) as error:
            raise UnreadableDocument("broken", f"{job.name}: cannot be opened") from error
        return replace(job, path=document, shown=shown)

    def fetch(self, job: Job, given: Job) -> None:
        """Put what was made of the file where it belongs, whole or not at all. Raises DiskFull."""
        if job.shown is None or given.shown is None or job.kind not in TEXTS:
            return
        part = job.shown.with_name(f"{job.shown.name}.part")
        with room():
            shutil.copyfile(given.shown, part)
            part.replace(job.shown)

    def clear(self) -> None:
        empty(self.path)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def reader_environment(home: Path) -> dict[str, str]:
    """Ours without settings and secrets, at home there."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, **_SINGLE, "HOME": str(home), "TMPDIR": str(home)}


def empty(folder: Path) -> None:
    """Remove all that is in it."""
    for path in folder.iterdir() if folder.is_dir() else ():
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() and not path.is_symlink() else path.unlink(
            missing_ok=True
        )
