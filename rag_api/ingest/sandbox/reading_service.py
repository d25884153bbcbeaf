"""`python -m rag_api.ingest.sandbox.reading_service SOCKET`: starts the processes that open files,
for services without the programs.

Each connection is one process: it names what is wanted and hands over its ends of two pipes; it
hears how the process ended. A connection that is closed ends its process. Only the two modules of
this folder can be started. It holds no secret and needs no network.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from rag_api.ingest.ocr.second import second_reader
from rag_api.ingest.sandbox.office import office
from rag_api.ingest.sandbox.own_folder import reader_environment
from rag_api.ingest.sandbox.starting import command, reaped

_MOST = 1 << 16
_LEFT = 3600.0  # seconds: a folder that nobody touched for so long is of one that was killed


def serve(path: Path) -> None:
    """Until the process ends."""
    _sweep(path.parent)
    bound = path.with_name("_")
    bound.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(bound))
        listener.listen(64)
        bound.replace(path)  # a path that is there answers: between the two a client would be refused
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_one, args=(connection, path.parent), daemon=True).start()


def _sweep(folder: Path) -> None:
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            if path.is_dir() and time.time() - path.stat().st_mtime > _LEFT:
                shutil.rmtree(path, ignore_errors=True)


def _one(connection: socket.socket, folder: Path) -> None:
    pipes: list[int] = []
    with connection, contextlib.suppress(OSError):  # who asked is gone
        said, pipes, _, _ = socket.recv_fds(connection, _MOST, 2)
        try:
            asked = json.loads(said)
        except ValueError:  # somebody who only looked whether this is alive
            asked = {}
        try:
            answer = _answered(asked, pipes, connection, folder)
        finally:
            for pipe in pipes:
                with contextlib.suppress(OSError):
                    os.close(pipe)
        if answer:
            connection.sendall(json.dumps(answer).encode() + b"\n")


def _answered(asked: dict[str, Any], pipes: list[int], connection: socket.socket, folder: Path) -> dict[str, Any]:
    match asked.get("what"):
        case "programs":
            return {"office": office(), "second": second_reader()}
        case "reader":
            memory, own = asked["arguments"]
            home = Path(own).resolve()
            if home.parent != folder.resolve() or len(pipes) != 2:
                return {"code": 1, "peak": 0}
            started = subprocess.Popen(
                command("reader", [str(int(memory)), str(home)]),
                stdin=pipes[0],
                stdout=pipes[1],
                stderr=subprocess.DEVNULL,
                env=reader_environment(home),
                start_new_session=True,
            )
        case "office":
            program = office() or ""
            started = subprocess.Popen(
                command("office", [os.path.realpath(program), *map(str, asked["arguments"])]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=reader_environment(Path("/tmp")),  # noqa: S108 - its home is the folder that it is given
                start_new_session=True,
            )
        case _:
            return {}
    while pipes:  # the process has them: its end is to be seen at the other ends
        os.close(pipes.pop())
    return _ended(started, connection)


def _ended(process: subprocess.Popen[bytes], connection: socket.socket) -> dict[str, Any]:
    ends = os.pidfd_open(process.pid)
    try:
        waited: list[int | socket.socket] = [ends, connection]
        select.select(waited, [], [])
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # also what it started; nobody waits for those
        peak = reaped(process)
    finally:
        os.close(ends)
    return {"code": process.returncode, "peak": peak}


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
