"""Several generators: who is asked, who is asked instead, and that nobody goes on with what another
began."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from rag_api.answering.generator.client import (
    Finished,
    Generator,
    GeneratorEvent,
    GeneratorRequest,
    TextDelta,
    passages_of,
    routing_key,
)
from rag_api.answering.generator.replicas import AGAIN, MARGIN, GeneratorReplicas, Replica, addresses
from rag_api.api.server.metrics import Metrics
from rag_api.errors import GeneratorRefused, GeneratorUnavailable
from services.contract import wire
from tests.support.scripted_server import Scripted, piece, quote, scripted_server
from tests.support.waiting import until

pytestmark = pytest.mark.quick

PASSAGES = passages_of([("Paracetamol", "Geef 15 mg/kg. Max. 4 g per dag. ")])
ASKED = GeneratorRequest(
    "Hoeveel?", "nl", PASSAGES, "verbatim", (wire.CandidateIn(document="0", start=0, end=15, score=2.0),), 64
)
THREE = "http://a:1/v1, http://b:2/v1/,http://c:3/v1"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def first(replicas: GeneratorReplicas, key: str) -> str:
    return replicas.in_order(key)[0].url


@pytest.fixture
def two() -> Iterator[tuple[Scripted, Scripted]]:
    """The one that the question belongs to, and the other."""
    with ExitStack() as stack:
        servers = [stack.enter_context(scripted_server()) for _ in range(2)]
        by_url = {server.url: server for server in servers}
        asyncio.run(heard(generator_of(*servers)))
        chosen = next(server for server in servers if server.requests)
        [other] = [server for url, server in by_url.items() if url != chosen.url]
        chosen.requests.clear()
        yield chosen, other


def generator_of(*servers: Scripted) -> Generator:
    return Generator(",".join(server.url for server in servers), model="demo", timeout=5)


async def heard(generator: Generator, request: GeneratorRequest = ASKED) -> list[GeneratorEvent]:
    try:
        return [event async for event in generator.stream(request)]
    finally:
        await generator.close()


def test_addresses_are_listed_with_commas_each_once() -> None:
    assert addresses(" http://a/v1/ ,http://b/v1,, http://a/v1") == ("http://a/v1", "http://b/v1")


def test_a_key_has_one_replica_in_every_process_and_each_has_its_share() -> None:
    one, other = GeneratorReplicas(lambda: THREE), GeneratorReplicas(lambda: ",".join(reversed(THREE.split(","))))
    chosen = {key: first(one, key) for key in map(str, range(600))}
    assert chosen == {key: first(other, key) for key in chosen}
    assert all(150 < count < 250 for count in Counter(chosen.values()).values())


def test_without_one_only_its_own_keys_go_elsewhere() -> None:
    replicas = GeneratorReplicas(lambda: THREE)
    before = {key: first(replicas, key) for key in map(str, range(100))}
    out = replicas.all()[0]
    replicas.take_out(out)
    after = {key: first(replicas, key) for key in before}
    assert {key for key in before if before[key] != after[key]} == {key for key in before if before[key] == out.url}
    replicas.take_in(out)
    assert {key: first(replicas, key) for key in before} == before


def test_the_least_busy_is_asked_where_the_chosen_one_has_much_to_do() -> None:
    replicas = GeneratorReplicas(lambda: THREE)
    chosen = replicas.in_order("key")[0]
    with ExitStack() as stack:
        for _ in range(MARGIN - 1):
            stack.enter_context(replicas.writes(chosen))
        assert first(replicas, "key") == chosen.url
        stack.enter_context(replicas.writes(chosen))
        assert first(replicas, "key") != chosen.url
    assert first(replicas, "key") == chosen.url


def test_when_all_are_out_they_are_asked_all_the_same() -> None:
    replicas = GeneratorReplicas(lambda: THREE)
    for replica in replicas.all():
        replicas.take_out(replica)
    assert len(replicas.in_order("key")) == 3


def test_one_that_is_out_is_looked_at_now_and_then() -> None:
    clock = Clock()
    replicas = GeneratorReplicas(lambda: THREE, clock)
    out = replicas.all()[0]
    replicas.take_out(out)
    assert replicas.to_look_at() == []
    clock.now += AGAIN
    assert replicas.to_look_at() == [out]
    assert replicas.to_look_at() == [], "not at every question"


def test_a_name_holds_no_secret_of_the_url() -> None:
    assert Replica("https://user:word@g.example:8001/v1").name == "g.example:8001"
    assert Replica("https://g.example/v1").name == "g.example"


def test_an_answer_that_does_not_begin_is_asked_of_another(two: tuple[Scripted, Scripted]) -> None:
    chosen, other = two
    chosen.script = lambda request: [None]
    events = asyncio.run(heard(generator_of(*two)))
    assert isinstance(events[-1], Finished)
    assert [len(chosen.requests), len(other.requests)] == [1, 1]


@pytest.mark.parametrize("status", [500, 503, 429])
def test_one_that_cannot_now_is_left_for_another(two: tuple[Scripted, Scripted], status: int) -> None:
    chosen, _ = two
    chosen.status = status
    assert isinstance(asyncio.run(heard(generator_of(*two)))[-1], Finished)


def test_an_answer_that_has_begun_says_that_it_broke_off(two: tuple[Scripted, Scripted]) -> None:
    chosen, other = two
    chosen.script = lambda request: [piece("Geef "), None]
    got: list[GeneratorEvent] = []

    async def run() -> None:
        generator = generator_of(*two)
        try:
            async for event in generator.stream(ASKED):
                got.append(event)
        finally:
            await generator.close()

    with pytest.raises(GeneratorUnavailable):
        asyncio.run(run())
    assert got == [TextDelta("Geef ")]
    assert not other.requests, "another would go on with words of its own"


def test_a_request_that_is_refused_is_refused_by_all(two: tuple[Scripted, Scripted]) -> None:
    chosen, other = two
    chosen.status, chosen.body = 422, "{}"
    with pytest.raises(GeneratorRefused):
        asyncio.run(heard(generator_of(*two)))
    assert not other.requests


def test_a_silent_one_is_left_for_another(two: tuple[Scripted, Scripted]) -> None:
    chosen, _ = two
    chosen.silent, chosen.script = True, lambda request: [20.0]
    assert isinstance(asyncio.run(heard(generator_of(*two)))[-1], Finished)


def test_one_that_answers_again_gets_its_questions_back(
    two: tuple[Scripted, Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_api.answering.generator.replicas.AGAIN", 0.0)
    chosen, other = two

    async def run() -> None:
        generator = generator_of(*two)

        async def ask() -> None:
            assert [event async for event in generator.stream(ASKED)]

        chosen.status = 503
        chosen.silent = True
        await ask()
        assert generator.replicas.in_order("")[-1].url == chosen.url
        chosen.status, chosen.silent, chosen.script = 200, False, quote
        await ask()
        await asyncio.to_thread(until, lambda: not any(replica.is_out for replica in generator.replicas.all()))
        chosen.requests.clear()
        await ask()
        assert len(chosen.requests) == 1
        await generator.close()

    asyncio.run(run())
    assert len(other.requests) == 2


def test_health_names_each(two: tuple[Scripted, Scripted]) -> None:
    chosen, _ = two
    chosen.status = 200

    async def run() -> dict[str, bool]:
        generator = Generator(f"{chosen.url},http://127.0.0.1:1/v1", model="demo")
        found = {health.name: health.problem is None for health in await generator.health()}
        await generator.close()
        return found

    assert list(asyncio.run(run()).values()) == [True, False]


def test_metrics_say_what_came_of_each(two: tuple[Scripted, Scripted]) -> None:
    chosen, other = two
    chosen.script = lambda request: [None]
    metrics, generator = Metrics(), generator_of(*two)
    metrics.watch_generators(generator.replicas)
    asyncio.run(heard(generator))
    page = metrics.page().decode()
    names = {server.url: Replica(server.url).name for server in two}
    for line in (
        f'bedside_generator_answers_total{{outcome="retried",replica="{names[chosen.url]}"}} 1.0',
        f'bedside_generator_answers_total{{outcome="finished",replica="{names[other.url]}"}} 1.0',
        f'bedside_generator_out{{replica="{names[chosen.url]}"}} 1.0',
    ):
        assert line in page


def test_the_same_passages_belong_together_whatever_is_asked_of_them() -> None:
    assert routing_key(ASKED) == routing_key(replace(ASKED, question="Hoe vaak?"))
    assert routing_key(ASKED) != routing_key(replace(ASKED, passages=passages_of([("Paracetamol", "Iets anders.")])))
