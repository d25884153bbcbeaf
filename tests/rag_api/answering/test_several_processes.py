"""Several processes see what each leaves or does: answers under way, answers and entries that wait
for the database."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rag_api.answering import answer_outbox
from rag_api.answering.answer_outbox import UnsavedAnswers
from rag_api.audit.journal import Journal
from rag_api.domain import LOCAL_USER, Answer, User
from rag_api.retrieval.in_flight import InFlight
from tests.support.waiting import until
from tests.support.world import answered

pytestmark = pytest.mark.quick

ANSWERS = """
import sys, time
from pathlib import Path
from rag_api.retrieval.in_flight import InFlight
with InFlight(Path(sys.argv[1])):
    print("answering", flush=True)
    time.sleep(60)
"""
KEEPS = """
import os, sys
from pathlib import Path
from rag_api.audit.journal import Journal
journal = Journal(Path(sys.argv[1]), 4096)
journal.keep(b"an entry")
print("kept", flush=True)
os.kill(os.getpid(), 9)
"""


def process(script: str, path: Path) -> subprocess.Popen[str]:
    running = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline()
    return running


def test_what_can_wait_waits_for_another_processes_answer_and_not_for_a_killed_ones(tmp_path: Path) -> None:
    shared = tmp_path / "answering.lock"
    own = InFlight(shared)
    assert own.quiet(0.0)
    other = process(ANSWERS, shared)
    try:
        os.utime(shared, (0, 0))
        assert not own.quiet(0.0)
    finally:
        other.kill()
        other.communicate()
    assert own.quiet(0.0)
    os.utime(shared)
    assert not own.quiet(1.0), "it answered a moment ago"


def test_two_answers_of_one_process_are_two(tmp_path: Path) -> None:
    own, other = InFlight(tmp_path / "answering.lock"), InFlight(tmp_path / "answering.lock")
    with own:
        with own:
            pass
        assert not other.quiet(0.0)
    assert other.quiet(0.0)


def test_a_folder_that_cannot_be_written_keeps_nobody_from_answering(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    own = InFlight(tmp_path / "file" / "answering.lock")
    with own:
        assert not own.quiet(0.0)
    assert own.quiet(0.0)


def test_entries_of_a_process_that_died_meanwhile_are_taken_over(tmp_path: Path) -> None:
    own = Journal(tmp_path, 4096)
    own.open()
    process(KEEPS, tmp_path).communicate()
    assert not own.waiting()
    own.take_over()
    taken: list[bytes] = []
    own.drain(taken.append)
    assert taken == [b"an entry"]
    own.close()


def test_answers_are_stored_by_one_process_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another that finds the same files waits, and finds none."""
    stored: list[str] = []

    def save(db: object, user: User, answer: Answer, **_: object) -> bool:
        stored.append(answer.id)
        time.sleep(0.2)
        return True

    monkeypatch.setattr(answer_outbox, "save_answer", save)
    *both, before = (UnsavedAnswers(tmp_path, lambda: None) for _ in range(3))  # type: ignore[arg-type,return-value]
    before.close()  # so that it only keeps
    assert before.keep(LOCAL_USER, answered("c1", 1), new_conversation=True)
    for one in both:
        one.store_soon()
    for one in both:
        until(lambda one=one: not one.waiting())  # type: ignore[misc]
        one.close()
    assert stored == ["c1-1"]
