"""Writes to replicas when a node is silent or refuses, without a server."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from rag_api.errors import StoreUnavailable
from rag_api.stores.weaviate import replicas as weaviate_replicas
from rag_api.stores.weaviate.replicas import DOUBT, Replicas

A, B, C = (f"00000000-0000-4000-8000-00000000000{n}" for n in range(3))


class Chunks:
    """A collection that notes at which level it was asked what."""

    def __init__(self, asked: list[str], level: str = "") -> None:
        self.asked, self.level = asked, level
        self.data = SimpleNamespace(
            delete_many=self.delete_many, delete_by_id=lambda one: asked.append(f"{one} {level}".strip())
        )

    def with_consistency_level(self, level: Any) -> Chunks:
        return Chunks(self.asked, level.value)

    def delete_many(self, where: Any, dry_run: bool = False, verbose: bool = False) -> Any:
        self.asked.append(f"{'find' if dry_run else 'delete'} {self.level}".strip())
        if (self.level != "ONE" or stuck["calls"]) and silent.is_set():
            stuck["calls"] -= self.level == "ONE"
            over.wait()
        return SimpleNamespace(objects=[SimpleNamespace(uuid=A)], failed=failing["chunks"])


silent, over = threading.Event(), threading.Event()
failing = {"chunks": 0}
stuck = {"calls": 0}  # that ask the silent node, though no replica


@pytest.fixture(autouse=True)
def all_is_well(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(weaviate_replicas, "QUIET", 0.01)
    monkeypatch.setattr(weaviate_replicas, "AGAIN", 0.01)
    silent.clear()
    over.clear()
    failing["chunks"] = stuck["calls"] = 0
    yield
    over.set()


def alive() -> None:
    if silent.is_set():
        raise httpx.ReadTimeout("it says nothing")


def test_all_replicas_are_written_while_all_nodes_live() -> None:
    asked: list[str] = []
    replicas = Replicas(True, alive)
    assert replicas.ids(Chunks(asked), None) == [A]
    replicas.delete(Chunks(asked), [A])
    assert asked == ["find", "delete ALL"]
    assert not replicas.doubted


def test_a_silent_node_is_not_waited_for_and_is_tried_again_later() -> None:
    asked: list[str] = []
    now = [0.0]
    replicas = Replicas(True, alive, lambda: now[0])
    silent.set()
    assert replicas.ids(Chunks(asked), None) == [A]
    assert asked == ["find", "find ONE"]
    replicas.delete(Chunks(asked), [A, B])  # by ids: the server looks nothing up
    assert asked[2:] == [A, B]
    silent.clear()
    now[0] = DOUBT
    replicas.delete(Chunks(asked), [C])
    assert asked[4:] == ["delete ALL"]


def test_a_call_that_waits_for_the_silent_node_as_the_leader_is_made_again() -> None:
    asked: list[str] = []
    silent.set()
    stuck["calls"] = 2
    assert Replicas(True, alive).ids(Chunks(asked), None) == [A]
    assert asked == ["find", "find ONE", "find ONE", "find ONE"]


def test_what_cannot_be_written_on_all_is_written_on_most() -> None:
    asked: list[str] = []
    failing["chunks"] = 1
    replicas = Replicas(True, alive)
    replicas.delete(Chunks(asked), [A])
    assert asked == ["delete ALL", "delete ALL", A]
    assert replicas.doubted


def test_one_copy_is_written_once() -> None:
    asked: list[str] = []
    replicas = Replicas(False, alive)
    assert replicas.ids(Chunks(asked), None) == [A]
    replicas.delete(Chunks(asked), [A])
    assert asked == ["find", "delete"]
    failing["chunks"] = 1
    with pytest.raises(StoreUnavailable, match="1 of 2"):
        replicas.delete(Chunks(asked), [A, B])
