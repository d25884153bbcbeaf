"""A real Weaviate whose port somebody took between the draw and its start begins again on
others."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.support import ports, weaviate_dev

DRAWS = ["http", "grpc", "gossip", "data", "raft", "raft's calls"]


@pytest.fixture
def somebody() -> Iterator[ExitStack]:
    with ExitStack() as listening:
        yield listening


def taking(monkeypatch: pytest.MonkeyPatch, somebody: ExitStack, which: int, times: int) -> list[int]:
    """Take the port of so many starts on one node; what is drawn is noted in the list that is
    returned."""
    drawn: list[int] = []

    def note(found: list[int]) -> list[int]:
        for port in found:
            if len(drawn) % 6 == which and len(drawn) < 6 * times:
                listener = somebody.enter_context(socket.socket())
                listener.bind(("127.0.0.1", port))
                listener.listen()
            drawn.append(port)
        return found

    monkeypatch.setattr(weaviate_dev, "free_ports", lambda count: note(ports.free_ports(count)))
    monkeypatch.setattr(weaviate_dev, "free_pair", lambda: note(ports.free_pair()))
    monkeypatch.setattr(weaviate_dev, "HEARD", 2.0)  # the taken data port is nobody's who answers
    return drawn


@pytest.mark.parametrize("which", range(6), ids=DRAWS)
def test_a_node_whose_port_was_taken_starts_on_others(
    which: int, tmp_path: Path, somebody: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = taking(monkeypatch, somebody, which, 1)
    with weaviate_dev.running(tmp_path) as [node]:
        assert len(set(drawn)) == 12
        assert node.url == f"http://127.0.0.1:{drawn[6]}"
        assert [one["name"] for one in httpx.get(f"{node.url}/v1/nodes", timeout=60).json()["nodes"]] == ["node1"]


def test_a_cluster_of_which_one_node_cannot_start_begins_again_at_once(
    tmp_path: Path, somebody: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two others would wait for the third until the patience of whoever started them ends."""
    drawn: list[list[int]] = []

    def take_the_last() -> list[int]:
        drawn.append(ports.free_pair())
        if len(drawn) == 6:  # the third node's raft
            listener = somebody.enter_context(socket.socket())
            listener.bind(("127.0.0.1", drawn[-1][0]))
            listener.listen()
        return drawn[-1]

    monkeypatch.setattr(weaviate_dev, "free_pair", take_the_last)
    with weaviate_dev.running(tmp_path, nodes=3) as nodes:
        assert len(drawn) == 12
        assert [node.data_port for node in nodes] == [pair[1] for pair in drawn[6::2]]
        said = httpx.get(f"{nodes[0].url}/v1/nodes", timeout=60).json()["nodes"]
        assert sorted((one["name"], one["status"]) for one in said) == [(f"node{n}", "HEALTHY") for n in (1, 2, 3)]


def test_where_every_start_finds_a_port_taken_it_is_said_which(
    tmp_path: Path, somebody: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = taking(monkeypatch, somebody, 0, 3)
    with pytest.raises(weaviate_dev.PortTaken, match="address already in use"):
        weaviate_dev.start(tmp_path)
    assert len(drawn) == 18
