"""Three real nodes with every chunk on each: one is killed while questions are asked and documents
come in, later one is silent."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import numpy as np
import pytest

from rag_api.config import Settings
from rag_api.domain import Chunk, Hit
from rag_api.stores import open_store
from rag_api.stores.weaviate import WeaviateStore
from rag_api.stores.weaviate import connection as weaviate_connection
from rag_api.stores.weaviate import replicas as weaviate_replicas
from tests.contract.conftest import DIM
from tests.contract.test_stores import EVERYONE, chunk, unit, vectors
from tests.support import weaviate_dev

COLLECTION = "Cluster"
# seconds, for what takes ten to twenty; left to the server it is half a minute, and two minutes
# where the silent node leads
SILENT = 60.0


@dataclass(frozen=True)
class Missed:
    """A question for a document that did not find it first."""

    document: str
    found: str  # first instead
    again: str  # first when asked again at once
    seconds: float  # since the questions began
    killed: bool  # the node, by then


@dataclass
class Run:
    """What happened while one node of three was killed."""

    replicas: tuple[int, int] = (0, 0)  # factor, shards
    errors: list[BaseException] = field(default_factory=list)
    asked: int = 0  # after the kill
    missed: list[Missed] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)
    count: int = 0
    # of what came in while the node was away, what was missed right after its return
    away: list[str] = field(default_factory=list)
    returned: list[tuple[str, str]] = field(default_factory=list)  # on the killed node, once it had its time
    first_there: str = ""


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[weaviate_dev.Node]]:
    try:
        nodes = weaviate_dev.start(tmp_path_factory.mktemp("cluster"), nodes=3)
    except weaviate_dev.NotToBeHad as reason:
        pytest.skip(f"no real Weaviate: {reason}")
    yield nodes
    for node in nodes:
        node.stop()


@pytest.fixture(scope="module")
def run(nodes: list[weaviate_dev.Node]) -> Run:
    return killed_in_mid_work(nodes)


def opened(*nodes: weaviate_dev.Node, collection: str = COLLECTION) -> WeaviateStore:
    urls = ",".join(f"{node.url}#{node.grpc_port}" for node in nodes)
    settings = Settings(
        store="weaviate",
        weaviate_url=urls,
        weaviate_collection=collection,
        weaviate_replication_factor=3,
        weaviate_shards=3,
        data_dir=nodes[0].folder.parent,
    )
    store = open_store(settings, "test", DIM)
    assert isinstance(store, WeaviateStore)
    return store


def document(number: int, edition: int) -> list[Chunk]:
    """A later edition has fewer chunks: some must go."""
    return [
        chunk(f"d{number}", n, f"heparine procedure {number} deel {n} editie {edition}") for n in range(5 - edition)
    ]


def put(store: WeaviateStore, number: int, edition: int) -> None:
    chunks = document(number, edition)
    store.replace_document(f"d{number}", chunks, vectors(len(chunks), number))


def found_first(store: WeaviateStore, number: int) -> str:
    return first_of(store.search(f"heparine procedure {number} deel 0", vectors(1, number)[0], 3, EVERYONE, 0.5))


def first_of(hits: list[Hit]) -> str:
    return hits[0].chunk.document_id if hits else "nothing at all"


def all_chunks(store: WeaviateStore) -> list[tuple[str, str]]:
    def read(client: Any) -> list[tuple[str, str]]:
        return sorted((str(o.uuid), str(o.properties["text"])) for o in client.collections.get(COLLECTION).iterator())

    return store.connection.do(read)


EXPECTED = sorted(
    [(c.id, c.text) for n in range(40) for c in document(n, int(n < 20))]
    + [(chunk("fixed", 1, "").id, "insuline zeldzaamwoord")]
)


NEW_AND_OLD = [number for pair in zip(range(20, 40), range(20), strict=True) for number in pair]
KILLED_AT = 15  # of these forty, so that new documents come in right before and after


def killed_in_mid_work(nodes: list[weaviate_dev.Node]) -> Run:
    run, store = Run(), opened(*nodes)
    config = store.connection.do(lambda client: client.collections.get(COLLECTION).config.get())
    assert config.sharding_config is not None
    run.replicas = (config.replication_config.factor, config.sharding_config.actual_count)
    store.replace_document("fixed", [chunk("fixed", 1, "insuline zeldzaamwoord")], np.stack([unit(1)]))
    for number in range(20):
        put(store, number, 0)
    killed, over, began = threading.Event(), threading.Event(), time.monotonic()
    come_in: list[int] = []  # new ones that nobody changes any more

    def guarded(work: Callable[[], None]) -> threading.Thread:
        def guard() -> None:
            try:
                work()
            except BaseException as error:
                run.errors.append(error)

        thread = threading.Thread(target=guard)
        thread.start()
        return thread

    def ask(wanted: str, first: Callable[[], str]) -> None:
        if (found := first()) != wanted:
            run.missed.append(Missed(wanted, found, first(), round(time.monotonic() - began, 2), killed.is_set()))
        run.asked += killed.is_set()

    def ask_for_the_first() -> None:
        while not over.is_set():
            ask("fixed", lambda: first_of(store.search("zeldzaamwoord", unit(1), 3, EVERYONE, 0.3)))

    def ask_for_the_latest() -> None:
        while not over.is_set():
            if come_in:
                number = come_in[-1]
                ask(f"d{number}", lambda number=number: found_first(store, number))  # type: ignore[misc]

    def ingest() -> None:
        for done, number in enumerate(NEW_AND_OLD):
            if done == KILLED_AT:
                nodes[0].kill()  # the very one that is being asked
                killed.set()
            put(store, number, int(number < 20))
            if number >= 20:
                come_in.append(number)

    askers = [guarded(ask_for_the_first), guarded(ask_for_the_latest)]
    guarded(ingest).join()
    over.set()
    for thread in askers:
        thread.join()
    run.kept, run.count = all_chunks(store), store.count()
    store.close()

    nodes[0] = weaviate_dev.again(nodes[0])
    again = opened(*nodes)  # as a service that starts now and has the returned node first in its list
    run.away = [
        f"d{number}"
        for number in NEW_AND_OLD[KILLED_AT:]
        if number >= 20 and found_first(again, number) != f"d{number}"
    ]
    again.close()
    returned = opened(nodes[0])
    until = time.monotonic() + 60
    while (found := all_chunks(returned)) != EXPECTED and time.monotonic() < until:
        time.sleep(1)  # it gets what it missed from the others
    run.returned, run.first_there = found, found_first(returned, 39)
    returned.close()
    return run


def test_a_killed_node_fails_no_question_and_no_ingestion(run: Run) -> None:
    assert run.replicas == (3, 3)
    assert run.errors == []
    assert run.asked > 20


def test_every_question_finds_what_was_written_before_it_while_a_node_is_killed(run: Run) -> None:
    """The chunk that came first of all, and each new document from the moment that it is
    written."""
    assert run.missed == []


def test_a_killed_node_loses_and_doubles_no_chunk(run: Run) -> None:
    assert run.kept == EXPECTED
    assert run.count == len(EXPECTED)


def test_a_node_that_comes_back_is_not_asked_before_it_has_what_it_missed(run: Run) -> None:
    assert run.away == []


def test_a_node_that_comes_back_gets_what_it_missed(run: Run) -> None:
    assert run.returned == EXPECTED
    assert run.first_there == "d39"


def leader_of(nodes: Sequence[weaviate_dev.Node]) -> str:
    """The name of the node that the others elected: it holds what is known of the collections."""
    until = time.monotonic() + SILENT
    while time.monotonic() < until:
        said = httpx.get(f"{nodes[0].url}/v1/cluster/statistics", timeout=30).json().get("statistics", [])
        states = {str(one["name"]): str(one.get("raft", {}).get("state")) for one in said}
        if sorted(states.values()) == ["Follower", "Follower", "Leader"]:
            return next(name for name, state in states.items() if state == "Leader")
        time.sleep(0.5)  # one that was silent or away is being taken back
    pytest.fail(f"the three nodes do not agree on one that leads them: {states}")


def with_silent(nodes: Sequence[weaviate_dev.Node], role: str) -> tuple[list[weaviate_dev.Node], weaviate_dev.Node]:
    """The nodes in the order in which they are asked, and which of them falls silent."""
    leader = leader_of(nodes)
    followers = [node for node in nodes if node.name != leader]
    [led] = [node for node in nodes if node.name == leader]
    if role == "the one that is asked":
        return [followers[0], led, followers[1]], followers[0]
    return [followers[0], followers[1], led], followers[1] if role == "one that holds replicas" else led


WRITTEN = 5  # documents


@pytest.mark.parametrize("role", ["one that holds replicas", "the leader", "the one that is asked"])
def test_a_silent_node_holds_up_no_write_for_as_long_as_the_server_waits_for_it(
    nodes: list[weaviate_dev.Node], role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left to itself the server waits for the leader, of whom it asks what the collection is, as
    long as its client does, two minutes. What is waited for here is by the clock, not by the
    processor: on a slow machine it is the same."""
    # so each document is tried on all, and finds out anew that a node is silent
    monkeypatch.setattr(weaviate_replicas, "DOUBT", 0.5)
    monkeypatch.setattr(weaviate_connection, "ALIVE", 1.0)
    asked, silent = with_silent(nodes, role)
    store = opened(*asked, collection="Silent" + "".join(part.capitalize() for part in role.split()))
    failed: list[BaseException] = []

    def write() -> None:
        try:
            for number in range(WRITTEN):
                put(store, number, 1)  # some of the chunks of the first three must go
            store.delete_documents(["d2"])
        except BaseException as error:
            failed.append(error)

    writing = threading.Thread(target=write)
    try:
        for number in range(3):
            put(store, number, 0)
        silent.process.send_signal(signal.SIGSTOP)
        try:
            writing.start()
            writing.join(SILENT)
            assert not writing.is_alive(), "it waits for the silent node"
            assert failed == []
            there = sorted(f"d{number}" for number in range(WRITTEN) if number != 2)
            assert sorted(store.document_ids()) == there
            assert {len(store.chunks_of(one)[0]) for one in there} == {4}
            assert found_first(store, 3) == "d3"
        finally:
            silent.process.send_signal(signal.SIGCONT)
            if writing.ident is not None:
                writing.join()
        store.drop()
    finally:
        store.close()
