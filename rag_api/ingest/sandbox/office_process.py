"""The process that LibreOffice runs in: limits first, then the file, then LibreOffice in place of
this process.

`python -m rag_api.ingest.sandbox.office_process COMMAND FOLDER SOURCE FORMAT SECONDS MEMORY_MB`;
everything it writes is below FOLDER. A DOCX has its tracked changes accepted first.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import sys
import time
from pathlib import Path

from rag_api.errors import UnreadableDocument
from rag_api.ingest.sandbox.accept_changes import accept_changes
from rag_api.ingest.sandbox.confine import confine
from rag_api.ingest.sandbox.office import UNCONFINED, UNREADABLE

_SOCKETS = Path("/tmp")  # noqa: S108 - where LibreOffice puts its socket, whatever it is told
_LARGEST = 1 << 30  # bytes of one file that it may write


def main(command: str, folder: Path, source: Path, form: str, seconds: int, memory_mb: int) -> None:
    _limit(seconds, memory_mb)
    if lacking := confine(folder, [Path(command).parent], [_SOCKETS]):
        (folder / UNCONFINED).write_text(lacking, encoding="utf-8")
    if source.suffix in (".docx", ".docm"):
        try:
            accepted = source.with_name("accepted.docx")
            accept_changes(source, accepted, source.name)
            os.replace(accepted, source)
        except UnreadableDocument:
            sys.exit(UNREADABLE)
    home = folder / "home"
    home.mkdir(exist_ok=True)
    environment = {
        name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH") if name in os.environ
    }
    environment |= {"HOME": str(home), "TMPDIR": str(folder), "XDG_CONFIG_HOME": str(home), "XDG_CACHE_HOME": str(home)}
    os.chdir(folder)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"  # its own: two may run at once
    os.execve(  # noqa: S606
        command,
        [
            command,
            profile,
            "--headless",
            "--norestore",
            "--nolockcheck",
            "--convert-to",
            form,
            "--outdir",
            str(folder),
            str(source),
        ],
        environment,
    )


def _limit(seconds: int, memory_mb: int) -> None:
    for what, limit in (
        # starting this process is not the file's fault
        (resource.RLIMIT_CPU, seconds + math.ceil(time.process_time())),
        (resource.RLIMIT_AS, (memory_mb + 2048) << 20),  # it reserves two gigabytes that it never uses
        (resource.RLIMIT_FSIZE, _LARGEST),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # a system without it: the time limit remains
            resource.setrlimit(what, (limit, limit))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4], int(sys.argv[5]), int(sys.argv[6]))
