"""Entries that wait in a file: in order, on the disk, taken over from the dead, and with room where
the disk has none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rag_api.audit.journal import SUFFIX, Journal

ROOM = 64 * 1024


def taken(journal: Journal) -> list[bytes]:
    found: list[bytes] = []
    journal.drain(found.append)
    return found


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path, ROOM)


def test_what_is_kept_comes_out_in_order_and_once(journal: Journal) -> None:
    records = [f"entry {number}".encode() * number for number in range(1, 30)]
    for record in records:
        journal.keep(record)
    assert journal.waiting()
    assert journal.count() == len(records)
    assert taken(journal) == records
    assert not journal.waiting()
    assert journal.count() == 0
    assert taken(journal) == []


def test_one_that_is_not_taken_stays_with_those_behind_it(journal: Journal) -> None:
    for record in (b"one", b"two", b"three"):
        journal.keep(record)
    seen: list[bytes] = []

    def refuses_two(record: bytes) -> None:
        if record == b"two":
            raise OSError("away")
        seen.append(record)

    with pytest.raises(OSError, match="away"):
        journal.drain(refuses_two)
    assert seen == [b"one"]
    assert journal.count() == 2
    assert taken(journal) == [b"two", b"three"]


def test_what_lay_there_before_is_not_read_again(journal: Journal) -> None:
    for record in (b"a" * 40, b"b" * 40, b"c" * 40):
        journal.keep(record)
    taken(journal)
    journal.keep(b"d" * 40)  # as long as the first, so that the second begins where it did
    journal.close()
    assert taken(Journal(journal.folder, ROOM)) == [b"d" * 40]


def test_a_record_that_a_power_failure_cut_short_ends_the_file(journal: Journal) -> None:
    journal.keep(b"whole")
    journal.keep(b"torn apart")
    journal.close()
    (path,) = journal.folder.glob(f"*{SUFFIX}")
    content = bytearray(path.read_bytes())
    content[content.index(b"torn") + 2] ^= 1
    path.write_bytes(content)
    assert taken(Journal(journal.folder, ROOM)) == [b"whole"]


def _run(code: str, folder: Path) -> subprocess.Popen[str]:
    given = (
        f"import sys; from pathlib import Path; from rag_api.audit.journal import Journal; j = "
        f"Journal(Path(sys.argv[1]), {ROOM})\n{code}"
    )
    return subprocess.Popen([sys.executable, "-c", given, str(folder)], stdout=subprocess.PIPE, text=True)


def test_what_killed_processes_left_is_taken_over(tmp_path: Path) -> None:
    waits = "j.keep({!r}); print('kept', flush=True); import time; time.sleep(60)"
    processes = [_run(waits.format(name), tmp_path) for name in (b"first", b"second")]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "kept\n"
    alive = Journal(tmp_path, ROOM)
    assert taken(alive) == []  # they have their files for themselves
    alive.close()
    for process in processes:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    assert sorted(taken(Journal(tmp_path, ROOM))) == [b"first", b"second"]


def test_with_no_room_on_the_disk_the_room_set_aside_is_used_and_then_it_fails(tmp_path: Path) -> None:
    """No file may grow any more in this process: as on a full disk, what is there already can be
    written over."""
    fills = f"""
import resource
j.open()
resource.setrlimit(resource.RLIMIT_FSIZE, ({ROOM}, {ROOM}))
count = 0
try:
    while True:
        j.keep(b"x" * 1000)
        count += 1
except OSError:
    print(count)
"""
    out, _ = _run(fills, tmp_path).communicate(timeout=60)
    kept = int(out)
    assert kept == ROOM // 1020
    assert len(taken(Journal(tmp_path, ROOM))) == kept
