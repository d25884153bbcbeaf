"""Ports that tests listen on are theirs: none port comes twice, and none is the kernel's to give
away. What is served on them goes out at once."""

from __future__ import annotations

import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from rag_api.own_processes.processes import CONNECTIONS
from tests.support import ports
from tests.support.http_server import served

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
DRAW = "from tests.support.ports import free_ports; print(*free_ports(int(input())), flush=True); input()"
FEW = range(20000, 20040)


def test_no_port_is_given_twice_and_none_that_the_kernel_gives_to_a_connection() -> None:
    with ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(lambda _: ports.free_port(), range(200)))
    drawn += ports.free_ports(100)
    pairs = [ports.free_pair() for _ in range(50)]
    for first, second in pairs:
        assert second == first + 1
    drawn += [port for pair in pairs for port in pair]
    assert len(set(drawn)) == 400
    first, last = map(int, CONNECTIONS.read_text().split())
    assert not [port for port in drawn if first <= port <= last]


def test_a_process_is_given_nothing_that_one_beside_it_was_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of so few ports the second would draw some of the first's, if nothing kept it from that. The
    locks are this test's own: another run of the tests on this machine may hold most of these
    ports."""
    locks = tmp_path / "locks"
    own = f"import pathlib, tests.support.ports as q; q.LOCKS = pathlib.Path({str(locks)!r})"
    few = f"import rag_api.own_processes.processes as p; p.quiet_ports = lambda: range({FEW.start}, {FEW.stop}); {own}; {DRAW}"
    command = [sys.executable, "-c", few]
    both = [
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    drawn = []
    for process in both:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("12\n")
        process.stdin.flush()
        drawn.append({int(port) for port in process.stdout.readline().split()})
    assert [len(mine) for mine in drawn] == [12, 12]
    assert not drawn[0] & drawn[1]
    both[0].kill()  # without a chance to give them back
    both[1].communicate("\n")
    both[0].communicate()
    monkeypatch.setattr(ports, "quiet_ports", lambda: FEW)
    monkeypatch.setattr(ports, "given", set())
    with locks.open("ab") as kept:
        monkeypatch.setattr(ports, "locks", lambda: kept)
        assert set(ports.free_ports(20)) & (drawn[0] | drawn[1])


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_port_on_which_somebody_listens_is_not_given(
    kind: socket.SocketKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    [one, other] = ports.free_pair()
    monkeypatch.setattr(ports, "given", set())
    monkeypatch.setattr(ports, "quiet_ports", lambda: range(one, other + 1))
    with socket.socket(type=kind) as somebody:
        somebody.bind(("127.0.0.1", one))
        assert ports.free_port() == other
        with pytest.raises(OSError, match="no free ports"):
            ports.free_port()


def test_the_end_of_an_answer_does_not_wait_until_its_beginning_was_acknowledged() -> None:
    """That takes a twentieth of a second, with every request but the first few of a connection."""
    at_once = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            connection = receive.__self__.transport.get_extra_info("socket")  # type: ignore[attr-defined]
            at_once.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            await send({"type": "http.response.start", "status": 204})
            await send({"type": "http.response.body"})

    with served(app) as url:
        assert httpx.get(url).status_code == 204
    assert [bool(one) for one in at_once] == [True]
