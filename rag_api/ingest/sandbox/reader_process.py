"""Reads files in a process of its own, with limits on time and memory: a file that hangs or crashes
the reader stops nothing else.

Time is the processor's: on a busy machine a file may wait, and is not given up for it. Only one
that does nothing for long is.

One process reads file after file: starting one costs half a second. A fresh one follows when a file
breaks it or leaves half of its memory taken, and reads again what failed behind other files: none
is read otherwise for what was read before it. It has no network, no settings and no files but the
system's and those of a folder of its own (confine.py). What comes back is JSON and arrays
(answers.py).
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import numpy as np

from rag_api.domain import ReadDocument
from rag_api.errors import ReadingUnavailable, UnreadableDocument
from rag_api.ingest.common.job import Job
from rag_api.ingest.common.remedies import plain_message
from rag_api.ingest.sandbox.answers import decoded, encoded
from rag_api.ingest.sandbox.confine import confine, tell_unconfined
from rag_api.ingest.sandbox.own_folder import OwnFolder, empty
from rag_api.ingest.sandbox.starting import Elsewhere, Process, command, reaped, shared

if TYPE_CHECKING:
    from rag_api.ingest.readers.scanned import Ocr

OnPage = Callable[[int, int], None]
log = logging.getLogger(__name__)

_HEADER = struct.Struct("<QQ")  # bytes of JSON, bytes of boxes
_MAX_FILES = 200  # per process: what a library leaks goes with it
_MOST_LEFT = 0.5  # of its memory, that a file may leave taken to the next: engines of OCR keep what they had
_MAX_ANSWER = 2 << 30
_IMAGE = 3  # times the limit of a page's image: then reading it did not even stop by itself
WAITING = 10  # times the limit, in real time: then a file neither uses the processor nor gets it


class _PerhapsOfTheProcess(UnreadableDocument):
    """A failure that need not be the file's fault."""


class ReaderProcess:
    """A handle on a reader process; not for several threads at once. Close it, or use `with`."""

    def __init__(self, timeout: float, memory_mb: int) -> None:
        self.timeout, self.memory_mb = timeout, memory_mb
        self._process: Process | None = None
        self._folder: OwnFolder | None = None
        self._files = 0

    def __enter__(self) -> ReaderProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def process_id(self) -> int | None:
        """Of the process that reads; None while there is none, or a service has it."""
        return self._process.pid if isinstance(self._process, subprocess.Popen) else None

    def read(self, job: Job, on_page: OnPage | None = None) -> ReadDocument:
        """on_page: called with the page and how many there are before a page's image is read.
        Raises UnreadableDocument with any of its reasons, DiskFull, ReadingUnavailable."""
        process, folder = self._started()
        is_fresh = self._files == 0
        try:
            return self._read(process, folder, job, on_page)
        except _PerhapsOfTheProcess as error:
            if is_fresh:
                raise
            log.info("%s: read again by a fresh process", error.message)
        self._end()
        return self._read(*self._started(), job, on_page)

    def _read(self, process: Process, folder: OwnFolder, job: Job, on_page: OnPage | None) -> ReadDocument:
        try:
            given = folder.given(job)
            read = decoded(*self._ask(process, given, on_page))
            folder.fetch(job, given)
        finally:
            folder.clear()
        return read

    def _ask(self, process: Process, job: Job, on_page: OnPage | None) -> tuple[dict[str, Any], np.ndarray]:
        self._files += 1
        request = {"path": str(job.path), "name": job.name, "kind": job.kind, "max_pages": job.max_pages}
        request |= {"shown": str(job.shown or ""), "timeout": self.timeout, "ocr_seconds": job.ocr_seconds}
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            return self._answer(process, job, on_page)
        except TimeoutError as error:
            self._end()
            raise self._too_slow(job) from error
        except (EOFError, BrokenPipeError) as error:
            raise self._death(job) from error

    def close(self) -> None:
        with contextlib.suppress(ReadingUnavailable):  # then it has ended
            self._end()

    def _answer(self, process: Process, job: Job, on_page: OnPage | None) -> tuple[dict[str, Any], np.ndarray]:
        assert process.stdout is not None
        while True:
            deadline = time.monotonic() + WAITING * max(self.timeout, _IMAGE * job.ocr_seconds)
            size, rest = _HEADER.unpack(_exactly(process.stdout, _HEADER.size, deadline))
            if size + rest > _MAX_ANSWER:
                self._end()
                raise UnreadableDocument("too_large", f"{job.name}: holds too much text")
            answer = json.loads(_exactly(process.stdout, size, deadline))
            if "page" not in answer:
                break
            if on_page is not None:  # it is alive, and has its time anew
                on_page(answer["page"], answer["of"])
        tell_unconfined("Files are read", answer.pop("lacking", ""))
        boxes = np.frombuffer(_exactly(process.stdout, rest, deadline), np.float32).reshape(-1, 4)
        reason = answer.get("reason", "")
        if answer.pop("full", False) or self._files >= _MAX_FILES or reason == "too_much_memory":
            self._end()
        if reason:
            log.info("%s: %s", job.name, answer.get("detail", answer["message"]))
            failure = _PerhapsOfTheProcess if "detail" in answer else UnreadableDocument
            raise failure(reason, plain_message(answer["message"], str(job.path), job.name))
        return answer, boxes

    def _started(self) -> tuple[Process, OwnFolder]:
        if self._process is None or self._folder is None or self._process.poll() is not None:
            self._end()
            self._files = 0
            self._folder = OwnFolder()
            arguments = [str(self.memory_mb), str(self._folder.path)]
            if shared() is not None:
                self._process = Elsewhere("reader", arguments)
            else:
                self._process = subprocess.Popen(
                    command("reader", arguments),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=self._folder.environment,
                    bufsize=0,
                )
        return self._process, self._folder

    def _end(self) -> int:
        """Kill and reap the process; its peak memory in bytes, 0 where that cannot be told."""
        process, self._process = self._process, None
        folder, self._folder = self._folder, None
        if process is not None:
            process.kill()
        if folder is not None:
            folder.remove()
        if process is None:
            return 0
        try:
            if isinstance(process, Elsewhere):
                process.wait()
                return process.peak
            return reaped(process)
        finally:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            if isinstance(process, Elsewhere):
                process.close()

    def _death(self, job: Job) -> UnreadableDocument:
        """The process died on this file: of memory when it aborted (so PDFium does then) or had
        taken most of what it may."""
        process = self._process
        peak = self._end()
        code = process.returncode if process is not None else None
        if code == -signal.SIGABRT or peak > 0.5 * self.memory_mb * (1 << 20):
            return _PerhapsOfTheProcess("too_much_memory", f"{job.name}: needs more than {self.memory_mb} MB to read")
        if code in (-signal.SIGPROF, -signal.SIGALRM):
            return self._too_slow(job)
        log.info("%s: the reader ended with status %s", job.name, code)
        return _PerhapsOfTheProcess("broken", f"{job.name}: is damaged: the reader crashed on it")

    def _too_slow(self, job: Job) -> UnreadableDocument:
        return UnreadableDocument("too_slow", f"{job.name}: took longer than {self.timeout:g} seconds to read")


def _exactly(pipe: Any, count: int, deadline: float) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            raise TimeoutError
        part = os.read(pipe.fileno(), min(count - len(parts), 1 << 20))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)


# The process itself


def _serve(memory_mb: int, folder: Path) -> NoReturn:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the answers
    from rag_api.ingest.readers.read import read  # imports PDFium before memory is limited

    most = _address_space() + int(_MOST_LEFT * (memory_mb << 20))
    _limit(memory_mb)
    os.chdir(folder)
    lacking = confine(folder)
    for line in sys.stdin.buffer:
        job = json.loads(line)
        _give(job["timeout"])
        shown = Path(job["shown"]) if job["shown"] else None
        answer, boxes = dict[str, Any](), b""
        try:
            answer, boxes = encoded(
                read(Path(job["path"]), job["name"], job["kind"], job["max_pages"], shown, _ocr(job, answers))
            )
        except UnreadableDocument as error:
            answer = {"reason": error.reason, "message": error.message}
        except Exception as error:  # whatever a damaged file brings about is that file's failure
            if isinstance(error, MemoryError) or "alloc" in str(error):  # so libraries in C++ say it
                reason, said = "too_much_memory", f"needs more than {memory_mb} MB to read"
            else:
                reason, said = "broken", "is damaged, or made in a way that cannot be read"
            detail = f"{type(error).__name__}: {error!s:.200}"
            answer = {"reason": reason, "message": f"{job['name']}: {said}", "detail": detail}
        answer |= {"lacking": lacking, "full": _address_space() > most}
        _send(answers, json.dumps(answer).encode(), boxes)
        _give(0)
    empty(folder)  # whoever started this is gone, and perhaps was killed
    sys.exit(0)


def _ocr(job: dict[str, Any], answers: BinaryIO) -> Ocr | None:
    """Each image is told of, and has its own time."""
    if not job["ocr_seconds"]:
        return None
    from rag_api.ingest.readers.scanned import Ocr

    def on_page(page: int, of: int) -> None:
        _send(answers, json.dumps({"page": page, "of": of}).encode(), b"")
        _give(max(job["timeout"], _IMAGE * job["ocr_seconds"]))

    return Ocr(job["ocr_seconds"], on_page)


def _give(seconds: float) -> None:
    """From here on so much of the processor's time, and many times that to wait for it; 0: as much
    as it takes. More ends the process, wherever it is."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    # if nobody is left who would kill it
    signal.setitimer(signal.ITIMER_REAL, seconds * WAITING + 5 if seconds else 0)


def _send(answers: BinaryIO, text: bytes, boxes: bytes) -> None:
    answers.write(_HEADER.pack(len(text), len(boxes)))
    answers.write(text)
    answers.write(boxes)
    answers.flush()


def _limit(memory_mb: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # a system without it: the time limit remains
        import resource

        limit = (memory_mb << 20) + _address_space()
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _address_space() -> int:
    """What the process has reserved before it reads anything: much more than it uses."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 1 << 29


if __name__ == "__main__":
    _serve(int(sys.argv[1]), Path(sys.argv[2]))
