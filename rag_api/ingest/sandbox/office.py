"""Files of office programs -> PDF or a newer format, with LibreOffice where it is installed, in a
process with limits; here, or where files are opened (starting.py).

Its time is the processor's: on a busy machine it may wait, and is not given up for it. Only where
it does nothing for long it is ended."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from rag_api.errors import room
from rag_api.ingest.sandbox.confine import tell_unconfined
from rag_api.ingest.sandbox.starting import Elsewhere, Process, command, programs, shared

UNCONFINED = "unconfined"  # a file in which the process below says what it could not take away from LibreOffice
UNREADABLE = 3  # how the process below ends when the file is at fault
MISSING = "LibreOffice is not installed"
SLOW = "LibreOffice took longer than"  # how both kinds of taking too long begin
WAITING = 10  # times the limit, in real time: then LibreOffice neither uses the processor nor gets it
_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)  # its own status, or as the script that starts it says it
PACKAGES = "libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui"


def office() -> str | None:
    """Return LibreOffice's command, or None. Raises ReadingUnavailable."""
    if shared() is not None:
        return str(found) if (found := programs()["office"]) else None
    return shutil.which("soffice") or shutil.which("libreoffice")


def convert(path: Path, target: Path, timeout: float, memory_mb: int = 1024) -> str:
    """Write `target` in the format that it is named after, whole or not at all. Return "" or, in
    words, why not. Raises DiskFull, ReadingUnavailable."""
    program = office()
    if program is None:
        return MISSING
    with tempfile.TemporaryDirectory(prefix="office-", dir=shared() or target.parent) as kept, room():
        folder = Path(kept).resolve()
        source = folder / f"document{path.suffix}"
        shutil.copyfile(path, source)
        form = target.suffix.removeprefix(".")
        failed = _run(program, [str(one) for one in (folder, source, form, math.ceil(timeout), memory_mb)], timeout)
        if (note := folder / UNCONFINED).is_file():
            tell_unconfined("LibreOffice runs", note.read_text("utf-8"))
        made = source.with_suffix(target.suffix)
        if failed or not made.is_file() or made.stat().st_size == 0 or (made == source):
            return failed or "LibreOffice could not open it"
        part = target.with_name(f"{target.name}.part")
        shutil.copyfile(made, part)  # the folder may lie on another disk
        os.replace(part, target)
        return ""


def _run(program: str, arguments: list[str], timeout: float) -> str:
    """In a session of its own, so that its children end with it."""
    process: Process
    if shared() is not None:
        process = Elsewhere("office", arguments)
    else:
        single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        process = subprocess.Popen(
            command("office", [os.path.realpath(program), *arguments]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True, env={**os.environ, **single},
        )  # fmt: skip
    try:
        status = process.wait(WAITING * timeout)
    except subprocess.TimeoutExpired:
        return (
            f"{SLOW} {WAITING * timeout:g} seconds, most of them waiting; load it again when the machine is less busy"
        )
    finally:
        if isinstance(process, Elsewhere):
            process.close()  # which ends it
        elif process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if status in _KILLED:
        return f"{SLOW} {timeout:g} seconds of the processor's time; raise BEDSIDE_READ_TIMEOUT, or save it as PDF anew"
    return "" if status == 0 else "it is damaged" if status == UNREADABLE else f"LibreOffice ended with status {status}"
