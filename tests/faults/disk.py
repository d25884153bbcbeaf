"""A full disk under everything that Bedside and its database write: questions still get their
sources, an upload hears why it fails."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.faults.answering import PATIENCE, QUESTIONS, Seen, ask
from tests.faults.installation import Installation, until

ASKED, AT_A_TIME = 250, 3
SIZE = "320m"  # of the disk: what a small installation needs, and some
INSIDE = "BEDSIDE_FAULTS_OWN_MOUNTS"


@dataclass(frozen=True, slots=True)
class Filled:
    asked: int
    shown: int
    outcomes: dict[str, int]
    stored_later: int
    said_unstored: int
    slowest_failure: float
    lost: int
    doubled: int
    upload: str  # what it heard
    upload_after: str  # and once there was room again
    well_after: float


def own_mounts() -> None:
    """Start this command anew where it may mount: as root, else as root of a namespace of its own.
    Raises OSError where neither may be."""
    if os.environ.get(INSIDE) or (os.geteuid() == 0 and _works("unshare", "--mount")):
        return
    unshare = ["unshare", "--user", "--map-root-user", "--mount", "--kill-child"]
    if not _works(*unshare):
        raise OSError("no file system can be mounted here: a full disk cannot be tried")
    os.execvpe(unshare[0], [*unshare, sys.executable, *sys.orig_argv[1:]], os.environ | {INSIDE: "1"})


def _works(*unshare: str) -> bool:
    return subprocess.run([*unshare, "true"], capture_output=True).returncode == 0


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A disk of its own in that folder."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0755", "bedside-faults", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """To the last byte."""
    ballast = folder / "ballast"
    with ballast.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 20))
    with ballast.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(512))
    return ballast


def answer_on_a_full_disk(bedside: Installation) -> Filled:
    before = {answer_id for (answer_id,) in bedside.query("select id from answers")}
    ballast = fill(bedside.data)
    seen = _asked(bedside)
    upload = _upload(bedside, "op-volle-schijf.txt")
    ballast.unlink()
    began = time.monotonic()
    bedside.services["postgres"].wait()
    until(lambda: _one(bedside, "na de volle schijf").shown, PATIENCE)
    well_after = time.monotonic() - began
    promised = {one.answer_id for one in seen if one.shown and "not_stored" not in one.notices}
    until(lambda: promised <= _ids(bedside), PATIENCE)
    stored = _ids(bedside)
    return Filled(
        asked=len(seen),
        shown=sum(one.shown for one in seen),
        outcomes=dict(Counter(one.outcome for one in seen)),
        stored_later=sum("stored_later" in one.notices for one in seen),
        said_unstored=sum("not_stored" in one.notices for one in seen),
        slowest_failure=round(max((one.silence for one in seen if one.failed), default=0.0), 1),
        lost=len(promised - stored),
        doubled=max(0, len(stored - before) - len(seen) - 1),  # one was asked when there was room again
        upload=upload,
        upload_after=_upload(bedside, "na-volle-schijf.txt"),
        well_after=round(well_after, 1),
    )


def _ids(bedside: Installation) -> set[str]:
    return {str(answer_id) for (answer_id,) in bedside.query("select id from answers")}


def _asked(bedside: Installation) -> list[Seen]:
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(lambda at: _one(bedside, str(at)), range(ASKED)))


def _one(bedside: Installation, mark: str) -> Seen:
    with httpx.Client(timeout=PATIENCE) as client:
        return ask(client, bedside.url, f"{QUESTIONS[len(mark) % len(QUESTIONS)]} (schijf {mark})", "sources")


def _upload(bedside: Installation, name: str) -> str:
    text = f"Procedure {name}\n\n" + "De verpleegkundige controleert de infuuspomp om het uur. " * 2000
    try:
        response = httpx.post(
            f"{bedside.url}/documents", files={"file": (name, text.encode(), "text/plain")}, timeout=PATIENCE
        )
    except httpx.HTTPError as error:
        return f"broken: {type(error).__name__}"
    body = response.json()
    if response.status_code == 200:
        return str(body["items"][0]["outcome"])
    return f"{response.status_code} {body['code']}"
