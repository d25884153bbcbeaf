"""The wall clock of Bedside and of what it starts (its database too), put forward or back while it
works."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.generator.native.compiling import compiler
from tests.faults.services import HELD, Service

JUMP = 3600  # seconds
FILE, LIBRARY = "clock", "clock.so"


def prepare(folder: Path) -> dict[str, str]:
    """What a process's environment needs so that its clock can be put. Raises OSError without a C
    compiler."""
    file, library = folder / FILE, folder / LIBRARY
    put(folder, 0)
    file.chmod(0o644)
    subprocess.run(
        [*compiler(), "-shared", "-fPIC", "-O2", "-o", str(library), str(Path(__file__).parent / "clock.c"), "-ldl"],
        check=True,
    )
    return {"LD_PRELOAD": str(library), "BEDSIDE_FAULTS_CLOCK": str(file)}


def put(folder: Path, seconds: int) -> None:
    """In place: the file is mapped."""
    path = folder / FILE
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(seconds.to_bytes(8, "little", signed=True))


@contextmanager
def jump(folder: Path, seconds: int, service: Service) -> Iterator[None]:
    """There and back again."""
    put(folder, seconds)
    try:
        yield
        time.sleep(HELD)
    finally:
        put(folder, 0)
        service.wait()
