"""The embedded PostgreSQL and generator: shared by processes, gone with the last, and back after a
crash."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from rag_api.container import Container
from rag_api.errors import GeneratorUnavailable
from rag_api.own_processes.generator import TAKEN, GeneratorProcess
from rag_api.own_processes.postgres import EmbeddedPostgres
from rag_api.own_processes.processes import CONNECTIONS, free_port, free_ports, process_name, quiet_ports
from tests.support.waiting import until

# A process that uses the server of a folder until its standard input closes.
USER = """
import sys, psycopg
from pathlib import Path
from rag_api.own_processes.postgres import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]))
with psycopg.connect(server.start()) as connection:
    connection.execute("create table if not exists seen (who text)")
    connection.execute("insert into seen values (%s)", [sys.argv[2]])
    connection.commit()
    print(connection.execute("select pg_postmaster_start_time()::text").fetchone()[0], flush=True)
    sys.stdin.read()
server.stop()
"""

# A generator in miniature: ready after a moment, and it can be told to die or to fail.
GENERATOR = """
import argparse, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer
parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int)
parser.add_argument("--exit-at-once", action="store_true")
options = parser.parse_args()
print("loading", flush=True)
if options.exit_at_once:
    raise SystemExit("no such model")
state = {"status": 200}
class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args): pass
    def do_GET(self):
        if self.path == "/die": os._exit(1)
        if self.path == "/fail": state["status"] = 503
        self.send_response(state["status"] if self.path == "/health" else 200)
        self.end_headers()
        self.wfile.write(json.dumps({"pid": os.getpid()}).encode())
time.sleep(0.2)
HTTPServer(("127.0.0.1", options.port), Handler).serve_forever()
"""


@pytest.fixture
def folder(open_dir: Path) -> Iterator[Path]:
    yield open_dir / "postgres"
    pid = postmaster(open_dir / "postgres")
    if pid is not None:  # a failed test must not leave a server behind
        os.kill(pid, signal.SIGQUIT)


def postmaster(folder: Path) -> int | None:
    """The process id of the running server of this folder."""
    try:
        pid = int((folder / "postmaster.pid").read_text().split()[0])
        os.kill(pid, 0)
    except (OSError, ValueError, IndexError):
        return None
    return pid


def user(folder: Path, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", USER, str(folder), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


def started_at(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    return line


def test_processes_share_one_server_and_the_last_one_stops_it(folder: Path) -> None:
    first, second = user(folder, "first"), user(folder, "second")  # both find nothing and start at once
    assert started_at(first) == started_at(second)
    finish(first)
    assert postmaster(folder) is not None
    finish(second)
    assert postmaster(folder) is None


def test_a_killed_user_keeps_neither_the_data_from_the_next_nor_the_server_from_stopping(folder: Path) -> None:
    killed = user(folder, "killed")
    started_at(killed)
    killed.kill()
    killed.communicate()
    assert postmaster(folder) is not None  # nobody was left to stop it
    server = EmbeddedPostgres(folder)
    with psycopg.connect(server.start()) as connection:
        assert connection.execute("select who from seen").fetchall() == [("killed",)]
    server.stop()
    assert postmaster(folder) is None


def test_a_crashed_server_comes_back_with_its_data(folder: Path) -> None:
    finish_now = user(folder, "before")
    started_at(finish_now)
    pid = postmaster(folder)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    finish_now.kill()
    finish_now.communicate()
    until(lambda: postmaster(folder) is None)
    server = EmbeddedPostgres(folder)
    with psycopg.connect(server.start()) as connection:
        assert connection.execute("select who from seen").fetchall() == [("before",)]
    server.stop()


def test_a_stale_pid_file_that_names_another_process_is_not_believed(folder: Path) -> None:
    server = EmbeddedPostgres(folder)
    server.start()
    lines = (folder / "postmaster.pid").read_text().splitlines()
    server.stop()
    (folder / "postmaster.pid").write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    with psycopg.connect(server.start()) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    server.stop()
    assert postmaster(folder) is None


def test_an_interrupted_set_up_is_done_again(folder: Path) -> None:
    half = folder.with_name("postgres.new")
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")
    server = EmbeddedPostgres(folder)
    with psycopg.connect(server.start()) as connection:
        assert connection.execute("select current_database()").fetchone() == ("bedside",)
    server.stop()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module that the launcher finds, as it finds services.generator."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "small_generator.py").write_text(GENERATOR)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    return "small_generator"


def get(port: int, path: str) -> dict[str, int]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as response:
        answer: dict[str, int] = json.load(response)
    return answer


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_generator_is_ready_when_started_and_gone_when_stopped(tmp_path: Path, module: str) -> None:
    with GeneratorProcess(tmp_path, "demo", (module,)) as process:
        pid = get(process.port, "/")["pid"]
    until(lambda: not alive(pid))
    assert "loading" in process.log_file.read_text()


def test_a_generator_that_dies_is_started_again(tmp_path: Path, module: str) -> None:
    with GeneratorProcess(tmp_path, "demo", (module,)) as process:
        before = get(process.port, "/")["pid"]
        with pytest.raises(OSError):  # noqa: PT011 - whatever a cut connection looks like
            get(process.port, "/die")
        until(lambda: process.restarts == 1 and answers(process))
        assert get(process.port, "/")["pid"] != before


def test_a_generator_whose_engine_failed_is_started_again(tmp_path: Path, module: str) -> None:
    with GeneratorProcess(tmp_path, "demo", (module,)) as process:
        before = get(process.port, "/fail")["pid"]
        until(lambda: process.restarts == 1 and answers(process))
        assert get(process.port, "/")["pid"] != before
        until(lambda: not alive(before))


def test_a_generator_that_hangs_is_not_asked_to_end_nor_waited_for_longer_than_it_may_be_silent(
    tmp_path: Path, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_api.own_processes.generator.SILENT", 0.5)
    monkeypatch.setattr("rag_api.own_processes.generator.HEALTH", 3600.0)
    monkeypatch.setattr("rag_api.own_processes.generator.ENDING", 3600.0)
    with GeneratorProcess(tmp_path, "demo", (module,)) as process:
        before = get(process.port, "/")["pid"]
        os.kill(before, signal.SIGSTOP)
        until(lambda: process.restarts == 1 and answers(process))
        assert get(process.port, "/")["pid"] != before
        until(lambda: not alive(before))


def answers(process: GeneratorProcess) -> bool:
    try:
        return bool(get(process.port, "/health"))
    except OSError:
        return False


def test_a_second_process_borrows_the_generator_and_starts_its_own_when_that_ends(tmp_path: Path, module: str) -> None:
    owner, borrower = GeneratorProcess(tmp_path, "demo", (module,)), GeneratorProcess(tmp_path, "demo", (module,))
    owner.start()
    borrower.start()
    assert (borrower.port, borrower.borrowed) == (owner.port, True)
    pid = get(owner.port, "/")["pid"]
    owner.stop()
    until(lambda: not borrower.borrowed and answers(borrower))
    assert get(borrower.port, "/")["pid"] != pid
    borrower.stop()


def test_a_generator_of_another_model_is_not_borrowed(tmp_path: Path, module: str) -> None:
    with GeneratorProcess(tmp_path, "demo", (module,)) as one, GeneratorProcess(tmp_path, "large", (module,)) as other:
        assert other.port != one.port


def test_a_generator_ends_with_its_parent_however_that_ends(tmp_path: Path, module: str) -> None:
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; from pathlib import Path; from rag_api.own_processes.generator import GeneratorProcess\n"
            "process = GeneratorProcess(Path(sys.argv[1]), 'demo', (sys.argv[2],)); process.start()\n"
            "print(process.port, flush=True); time.sleep(600)",
            str(tmp_path),
            module,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    port = int(parent.stdout.readline())
    pid = get(port, "/")["pid"]
    assert alive(pid)
    parent.kill()
    parent.communicate()
    until(lambda: not alive(pid))


def test_a_generator_that_is_stopped_while_it_loads_says_so_to_who_waits_for_it(tmp_path: Path, module: str) -> None:
    (tmp_path / "modules" / "never_ready.py").write_text("import time\nprint('loading', flush=True)\ntime.sleep(600)\n")
    process = GeneratorProcess(tmp_path, "demo", ("never_ready",))
    with ThreadPoolExecutor() as pool:
        waits = pool.submit(process.start)
        until(lambda: process.log_file.exists() and "loading" in process.log_file.read_text())
        process.stop()
        with pytest.raises(GeneratorUnavailable, match="ended while starting"):
            waits.result()


def test_a_generator_that_cannot_start_says_why(tmp_path: Path, module: str) -> None:
    with pytest.raises(GeneratorUnavailable, match="no such model"):
        GeneratorProcess(tmp_path, "demo", (module, "--exit-at-once")).start()


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody has."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        yield listener.getsockname()[1]


def test_a_generator_whose_port_was_taken_meanwhile_starts_on_another(
    tmp_path: Path, module: str, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter([taken, other := free_port()])
    monkeypatch.setattr("rag_api.own_processes.generator.free_port", lambda: next(drawn))
    with GeneratorProcess(tmp_path, "demo", (module,)) as process:
        assert process.port == other
        assert answers(process)
    assert "Address already in use" in process.log_file.read_text()


def test_a_generator_that_finds_no_port_free_says_so(
    tmp_path: Path, module: str, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_api.own_processes.generator.free_port", lambda: taken)
    with pytest.raises(GeneratorUnavailable, match="Address already in use"):
        GeneratorProcess(tmp_path, "demo", (module,)).start()


def test_the_real_generators_taken_port_is_told_from_other_reasons(taken: int) -> None:
    command = [sys.executable, "-m", "services.generator.server", "--model", "demo", "--port", str(taken)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    assert ended.returncode != 0
    assert TAKEN in ended.stdout.lower()


def test_no_connection_is_given_a_port_that_was_drawn_for_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, last = map(int, CONNECTIONS.read_text().split())
    ports = free_ports(50)
    assert len(set(ports)) == 50
    assert not [port for port in ports if first <= port <= last]
    said = tmp_path / "range"
    monkeypatch.setattr("rag_api.own_processes.processes.CONNECTIONS", said)
    assert quiet_ports() == range(20000, 49152)  # a kernel that does not say
    said.write_text("10000\t40000\n")
    assert quiet_ports() == range(40001, 65536)
    said.write_text("1024\t65535\n")
    assert quiet_ports() == range(20000, 65536)  # none is quiet


def test_parts_say_that_the_generator_is_loading(settings: object) -> None:
    with Container(settings) as container, pytest.raises(GeneratorUnavailable, match="loading"):  # type: ignore[arg-type]
        container.generator_url()


def test_a_process_is_named_on_a_machine_without_ps(monkeypatch: pytest.MonkeyPatch) -> None:
    if Path("/proc/self/comm").exists():  # elsewhere it is `ps` that says it
        monkeypatch.setenv("PATH", "")
    with subprocess.Popen([shutil.which("sleep", path=os.defpath) or "sleep", "60"]) as sleeping:
        until(lambda: process_name(sleeping.pid) == "sleep")
        sleeping.kill()
    assert process_name(sleeping.pid) == ""
