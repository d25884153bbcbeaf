"""Many readers at a time against a served Bedside: what they get, how long it takes, whether
/health answers, whether memory grows.

Each reader asks a question of the handbook's judged set in sources-only mode, reads it at once and
asks the next; told to wait (429), they wait as long as they are told. All come from one machine,
which also runs the service: the figures are of both together.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from rag_api.errors import Unavailable
from rag_api.evaluate.judged import HANDBOOK, read_judged
from rag_api.own_processes.processes import free_ports

START_SECONDS = 1200
PATIENCE = 60.0  # seconds that a reader waits for an answer


@dataclass(slots=True)
class LoadTally:
    """What readers met. `waited`: refusals with a time to come back; `errors` by kind: whatever
    else was no answer."""

    admitted: list[float] = field(default_factory=list)
    waited: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    health: dict[str, list[float]] = field(default_factory=dict)  # seconds, by where it was asked
    memory_mb: list[float] = field(default_factory=list)
    processor: float = 0.0  # seconds that the service's process worked


@dataclass(frozen=True, slots=True)
class Served:
    """`health`: where /health is served apart, if anywhere; `pid`: of the process, whose memory is
    then watched."""

    url: str
    health: str | None = None
    pid: int | None = None


def measure(readers: int, seconds: float, served: Served | None) -> dict[str, Any]:
    """Raises Unavailable when nothing answers there. Without anything served a demonstration is
    started, in a folder of its own."""
    if served is not None:
        return asyncio.run(_measured(readers, seconds, served))
    with _demonstration() as own:
        return asyncio.run(_measured(readers, seconds, own))


async def _measured(readers: int, seconds: float, served: Served) -> dict[str, Any]:
    tally = LoadTally()
    questions = [judged.question for judged in read_judged(HANDBOOK)]
    limits = httpx.Limits(max_connections=readers + 2, max_keepalive_connections=readers + 2, keepalive_expiry=2.0)
    async with httpx.AsyncClient(base_url=served.url, timeout=PATIENCE, limits=limits) as client:
        await _answers(client)
        before = _processor_seconds(served.pid)
        end = time.monotonic() + seconds
        over = threading.Event()
        watching = [
            threading.Thread(target=_watch, args=(served, where, tally, over), daemon=True)
            for where in ("url", "health")
        ]
        for thread in watching:
            thread.start()
        try:
            await asyncio.gather(
                *(_reader(client, questions, end, tally, random.Random(number)) for number in range(readers))  # noqa: S311 - no secret
            )
        finally:
            over.set()
        tally.processor = _processor_seconds(served.pid) - before
    for thread in watching:
        thread.join()
    return _figures(tally, readers, seconds)


async def _answers(client: httpx.AsyncClient) -> None:
    try:
        (await client.get("/api/health")).raise_for_status()
    except httpx.HTTPError as error:
        raise Unavailable(f"{client.base_url} does not answer: {error}") from error


async def _reader(
    client: httpx.AsyncClient, questions: Sequence[str], end: float, tally: LoadTally, dice: random.Random
) -> None:
    await asyncio.sleep(dice.random())  # nobody asks in the very same moment
    while time.monotonic() < end:
        pause = await _ask(client, dice.choice(questions), tally)
        await asyncio.sleep(min(pause * (1 + dice.random()), max(0.0, end - time.monotonic())))


async def _ask(client: httpx.AsyncClient, question: str, tally: LoadTally) -> float:
    """Return how long to wait before the next."""
    began = time.perf_counter()
    try:
        response = await client.post(
            "/api/ask", json={"question": question, "mode": "sources", "personal_data": "keep"}
        )
    except httpx.HTTPError as error:
        tally.errors[type(error).__name__] += 1
        return 1.0
    if response.status_code == 429 and response.headers.get("retry-after", "").isdigit():
        tally.waited += 1
        return float(response.headers["retry-after"])
    if response.status_code != 200:
        tally.errors[f"HTTP {response.status_code}"] += 1
        return 1.0
    tally.admitted.append(time.perf_counter() - began)
    return 0.0


def _watch(served: Served, where: str, tally: LoadTally, over: threading.Event) -> None:
    """Once a second, in a thread, since the readers' loop has much to do: how long /health takes
    there, and what the process holds."""
    url = served.url if where == "url" else served.health
    took = tally.health.setdefault(where, [])
    with httpx.Client(timeout=PATIENCE) as client:
        while url is not None and not over.is_set():
            began = time.perf_counter()
            try:
                response = client.get(f"{url}/api/health")
                took.append(time.perf_counter() - began)
                if response.status_code != 200:
                    tally.errors[f"/health HTTP {response.status_code}"] += 1
            except httpx.HTTPError as error:
                tally.errors[f"/health {type(error).__name__}"] += 1
            if served.pid is not None and where == "url":
                tally.memory_mb.append(_resident_mb(served.pid))
            over.wait(1.0)


def _processor_seconds(pid: int | None) -> float:
    """Of that process so far, without what it started."""
    if pid is None:
        return 0.0
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


def _figures(tally: LoadTally, readers: int, seconds: float) -> dict[str, Any]:
    asked = sorted(tally.admitted)
    half = tally.memory_mb[len(tally.memory_mb) // 2 :]
    growth = round(100 * (half[-1] / half[0] - 1), 2) if len(half) > 1 else None
    return {
        "readers": readers,
        "seconds": seconds,
        "admitted": len(asked),
        "told_to_wait": tally.waited,
        "errors": dict(tally.errors),
        "admitted_p50_seconds": round(statistics.median(asked), 3) if asked else None,
        "admitted_p95_seconds": round(asked[int(0.95 * (len(asked) - 1))], 3) if asked else None,
        "health_worst_seconds": _worst(tally.health.get("url", [])),
        "health_apart_worst_seconds": _worst(tally.health.get("health", [])),
        "processor_ms_per_admitted": round(1000 * tally.processor / len(asked)) if asked and tally.processor else None,
        "memory_mb": [round(tally.memory_mb[0]), round(tally.memory_mb[-1])] if tally.memory_mb else None,
        "memory_growth_of_second_half_percent": growth,
        "load_average": [round(one, 1) for one in os.getloadavg()],
    }


def _worst(seconds: Sequence[float]) -> float | None:
    return round(max(seconds), 3) if seconds else None


@contextmanager
def _demonstration() -> Iterator[Served]:
    """`bedside demo`; without the limits of one address, from which all readers come."""
    with tempfile.TemporaryDirectory(prefix="bedside-load-") as folder:
        port, health = free_ports(2)
        own = {
            "PORT": str(port),
            "HEALTH_PORT": str(health),
            "DATA_DIR": folder,
            "QUESTIONS_PER_MINUTE": "0",
            "REQUESTS_PER_MINUTE": "0",
        }
        environment = os.environ | {f"BEDSIDE_{name}": value for name, value in own.items()}
        log = Path(folder) / "load.log"
        with log.open("w") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "rag_api.cli.app", "demo"], env=environment, stdout=out, stderr=out
            )
        try:
            _wait_for(f"http://127.0.0.1:{port}/api/health", process, log)
            yield Served(f"http://127.0.0.1:{port}", f"http://127.0.0.1:{health}", process.pid)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(url, timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.5)
    raise Unavailable(f"the demonstration did not start: {log.read_text()[-2000:]}")
