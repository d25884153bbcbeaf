"""A downtime pack asked what this server is asked: the same questions, each to both, and where the
answers differ. What came of it is noted for `bedside doctor` and /metrics.

The pack is opened as on a ward's PC, by its own script; this server answers as it would a member of
the pack's groups.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from rag_api.answering.ask_sequentially import answers_to
from rag_api.container import Container
from rag_api.domain import Answer, AnswerStatus, Judged, Mode, User
from rag_api.errors import InvalidInput
from rag_api.own_processes.processes import free_port
from rag_api.upkeep.pack.last_check import note, noted_error
from rag_api.upkeep.pack.manifest import public_pem, read_private, read_signed
from rag_api.upkeep.pack.runtime import START

PATIENCE = 300.0  # seconds for a pack to open, and for an answer
Tell = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class DifferingAnswer:
    """here, pack: how either answered, and the words where both did."""

    id: str
    question: str
    here: str
    pack: str


@dataclass(frozen=True, slots=True)
class PackCheck:
    """ready_seconds: from its start until the pack's first answer. peak_mb: memory of all its
    processes together, what they share once."""

    asked: int
    answered: int
    ready_seconds: float
    peak_mb: float
    differing: tuple[DifferingAnswer, ...]

    @property
    def alike(self) -> bool:
        return not self.differing


def check(container: Container, folder: Path, questions: Sequence[Judged], key_file: Path, tell: Tell) -> PackCheck:
    """Compare them and note what came of it, also where that is an error. Raises InvalidInput for a
    pack that does not open or answer."""
    data_dir = container.settings.data_dir
    with noted_error(data_dir, folder, len(questions)):
        found = compare(container, folder, questions, key_file, tell)
    note(data_dir, folder, found.asked, tuple(one.id for one in found.differing))
    return found


def compare(container: Container, folder: Path, questions: Sequence[Judged], key_file: Path, tell: Tell) -> PackCheck:
    """Raises InvalidInput."""
    if not key_file.is_file():
        raise InvalidInput(f"{key_file} is not there: name with --key the key that signed the pack.")
    key = read_private(key_file).public_key()
    asker = User(id="pack-check", name="Pack check", groups=read_signed(folder, key).groups)
    container.wait_for_generator()
    here = answers_to([one.question for one in questions], asker, container, Mode.VERBATIM)
    differing, answered, began, ready = [], 0, time.monotonic(), 0.0
    with opened_pack(folder, key) as (client, memory):
        for done, (question, ours) in enumerate(zip(questions, here, strict=True), 1):
            theirs = ask(client, question.question)
            ready = ready or time.monotonic() - began
            answered += theirs["status"] == AnswerStatus.ANSWERED
            if said_here(ours) != said_there(theirs):
                first, second = said_here(ours), said_there(theirs)
                differing.append(DifferingAnswer(question.id, question.question, _short(first), _short(second)))
            tell(done)
    return PackCheck(len(questions), answered, ready, memory.peak_mb, tuple(differing))


def said_here(answer: Answer) -> tuple[str, str, tuple[tuple[str, int, str], ...]]:
    """Its status, its words, and what is quoted where."""
    return answer.status.value, answer.text, tuple((one.document_id, one.page, one.text) for one in answer.citations)


def said_there(answer: dict[str, Any]) -> tuple[str, str, tuple[tuple[str, int, str], ...]]:
    spans = tuple((one["document_id"], one["page"], one["text"]) for one in answer["spans"])
    return answer["status"], answer["answer"], spans


@contextmanager
def opened_pack(folder: Path, key: Ed25519PublicKey) -> Iterator[tuple[httpx.Client, PeakMemory]]:
    """A client of the pack, once it answers, and what it takes; the pack is closed at the end."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="bedside-pack-check-") as scratch:
        trusted, log = Path(scratch) / "pack.pub", Path(scratch) / "log"
        trusted.write_bytes(public_pem(key))
        own = [str(folder / START)]
        command = (
            own if (folder / START).is_file() else [sys.executable, "-m", "rag_api.cli.serving.open_pack", str(folder)]
        )
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*command, "--port", str(port), "--key", str(trusted), "--no-browser"],
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            base = f"http://127.0.0.1:{port}"
            with PeakMemory(folder) as memory, httpx.Client(base_url=base, timeout=PATIENCE, trust_env=False) as client:
                wait_until_open(client, process, log)
                yield client, memory
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class PeakMemory:
    """Memory of all processes that run a pack's programs, looked at twice a second; 0 where it has
    none, or the machine does not tell."""

    def __init__(self, folder: Path) -> None:
        self.peak_mb = 0.0
        self._folder, self._stop = folder.resolve(), threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory", daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.5):
            self.peak_mb = max(self.peak_mb, round(sum(map(_memory_kb, _running(self._folder))) / 1024, 1))


def _running(folder: Path) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/exe"):
        with suppress(OSError):
            if path.readlink().is_relative_to(folder):
                yield int(path.parent.name)


def _memory_kb(pid: int) -> int:
    """Its share: what several processes have in common is counted once over all of them."""
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def ask(client: httpx.Client, question: str) -> dict[str, Any]:
    """Raises InvalidInput when it does not answer."""
    try:
        response = client.post("/ask", json={"question": question, "mode": "verbatim", "personal_data": "keep"})
        response.raise_for_status()
    except httpx.HTTPError as error:
        raise InvalidInput(f"The pack did not answer {question!r}: {error}") from error
    found: dict[str, Any] = response.json()
    return found


def wait_until_open(client: httpx.Client, process: subprocess.Popen[bytes], log: Path) -> None:
    """Raises InvalidInput, with its last words and its health, when it does not open."""
    deadline, health = time.monotonic() + PATIENCE, ""
    while True:
        with suppress(httpx.TransportError, ValueError, KeyError):
            health = (response := client.get("/health")).text
            if response.json()["status"] == "ok":  # what reads does, too
                return
        if process.poll() is not None or time.monotonic() > deadline:
            lines = [line for line in log.read_text(errors="replace").splitlines() if "GET /health" not in line]
            said = "\n".join([*lines[-15:], health])
            raise InvalidInput(f"The pack did not open:\n{said}")
        time.sleep(0.1)


def _short(said: tuple[str, str, tuple[Any, ...]]) -> str:
    status, text, _ = said
    return f"{status} {' '.join(text.split())[:120]!r}" if text else status
