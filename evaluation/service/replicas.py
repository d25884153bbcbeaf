"""Questions per second with one and two processes of the service and one and two generators, side
by side in one run.

All run on this machine and share its processors, readers included: what more processes bring is
seen as far as there are cores for them. Each configuration is measured in turn, again and again, so
that what else the machine does falls on all of them. The generators are those of all, so what they
keep of prompts is found by whoever comes later.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any

import httpx

from evaluation.service.processes import StartedProcess, generators, services
from rag_api import handbook
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.evaluate.judged import HANDBOOK, read_judged
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import survey

PATIENCE = 120.0


@dataclass(slots=True)
class Configuration:
    """Some processes of the service, which ask some generators; what readers got of them."""

    services: int
    generators: int
    urls: list[str]
    answered: list[float] = field(default_factory=list)  # seconds of each
    errors: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def measure(readers: int, seconds: float, rounds: int, mode: str) -> dict[str, Any]:
    """Raises Unavailable when something does not start."""
    with (
        tempfile.TemporaryDirectory(prefix="bedside-replicas-") as folder,
        _configurations(Path(folder)) as configurations,
    ):
        asyncio.run(_warmed(configurations, mode))
        for _ in range(rounds):
            for one in configurations:
                asyncio.run(_measured(one, readers, seconds, mode))
    return {
        "cores": os.cpu_count(),
        "readers": readers,
        "seconds": seconds,
        "rounds": rounds,
        "mode": mode,
        "load_average": [round(one, 1) for one in os.getloadavg()],
        "configurations": [_figures(one) for one in configurations],
    }


@contextmanager
def _configurations(folder: Path) -> Iterator[list[Configuration]]:
    """One index and one database, four ways to serve them; all are up from the first figure to the
    last."""

    settings = Settings(data_dir=folder / "data", database_url=None, store="lance", sentence_vectors_mb=0)
    with Container(settings) as container:
        documents = survey([Path(handbook.__file__).parent / "pdf"])
        ingest(
            documents,
            settings=settings,
            documents_repo=PgDocuments(container.db),
            store=container.store,
            embedder=container.embedder,
        )
        own = {
            "DATA_DIR": str(settings.data_dir), "DATABASE_URL": container.dsn(), "STORE": "lance", "SENTENCE_VECTORS_MB": "0",
            "QUESTIONS_PER_MINUTE": "0", "REQUESTS_PER_MINUTE": "0", "QUESTION_WAIT": "60", "QUESTIONS_WAITING": "1000",
        }  # fmt: skip
        with generators(folder, 2) as writing:
            one, both = f"{writing[0].url}/v1", ",".join(f"{each.url}/v1" for each in writing)
            hosts = ["127.0.0.1"] * 2
            with (
                services(folder, hosts, own | {"GENERATOR_URL": one}) as with_one,
                services(folder, hosts, own | {"GENERATOR_URL": both}) as with_both,
            ):
                yield [
                    _of(serving[:number], len(writing[:of]))
                    for of, serving in ((1, with_one), (2, with_both))
                    for number in (1, 2)
                ]


def _of(serving: Sequence[StartedProcess], writing: int) -> Configuration:
    return Configuration(len(serving), writing, [one.url for one in serving])


async def _warmed(configurations: Sequence[Configuration], mode: str) -> None:
    """Each process has answered once before anything is counted."""
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        for url in dict.fromkeys(url for one in configurations for url in one.urls):
            await _ask(client, url, "Hoeveel paracetamol mag een kind van 12 kg?", mode)


async def _measured(one: Configuration, readers: int, seconds: float, mode: str) -> None:
    questions = [judged.question for judged in read_judged(HANDBOOK)]
    began, turn = time.perf_counter(), count()
    async with httpx.AsyncClient(timeout=PATIENCE, limits=httpx.Limits(max_connections=readers)) as client:

        async def reader(dice: random.Random) -> None:
            while time.perf_counter() - began < seconds:
                url = one.urls[next(turn) % len(one.urls)]
                asked = time.perf_counter()
                problem = await _ask(client, url, dice.choice(questions), mode)
                if problem:
                    one.errors[problem] += 1
                else:
                    one.answered.append(time.perf_counter() - asked)

        await asyncio.gather(*(reader(random.Random(number)) for number in islice(count(), readers)))  # noqa: S311 - no secret
    one.seconds += time.perf_counter() - began


async def _ask(client: httpx.AsyncClient, url: str, question: str, mode: str) -> str:
    """Return what went wrong; empty when it was answered."""
    try:
        response = await client.post(
            f"{url}/api/ask", json={"question": question, "mode": mode, "personal_data": "keep"}
        )
    except httpx.HTTPError as error:
        return type(error).__name__
    if response.status_code != 200:
        return f"HTTP {response.status_code}"
    codes = {notice["code"] for notice in response.json()["notices"]}
    return "generator_down" if "generator_down" in codes else ""


def _figures(one: Configuration) -> dict[str, Any]:
    took = sorted(one.answered)
    return {
        "rag_api": one.services,
        "generators": one.generators,
        "answered": len(took),
        "questions_per_second": round(len(took) / one.seconds, 3) if one.seconds else None,
        "p50_seconds": round(statistics.median(took), 3) if took else None,
        "p95_seconds": round(took[int(0.95 * (len(took) - 1))], 3) if took else None,
        "errors": dict(one.errors),
    }
