"""Two rag_api and two generators behind nginx, under load; one of each is killed. Real processes, a
real PostgreSQL, real models."""

from __future__ import annotations

import json
import shutil
import ssl
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from evaluation.service.processes import StartedProcess, generators, services
from rag_api.config import Settings
from rag_api.container import Container
from tests.deployment.nginx import MISSING, Gate, nginx
from tests.support.name_server import name_server
from tests.support.ports import free_port
from tests.support.world import load_hospital

pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))

HOSTS = ("127.0.0.2", "127.0.0.3")
QUESTIONS = (
    "hoeveel paracetamol iv bij een kind van 12 kg?",
    "what to do after a fall of a patient?",
    "hoe laat is het restaurant open?",
    "hoeveel tijd moet er tussen twee giften paracetamol zitten?",
)
READERS, EACH = 6, 5
KILLED_AFTER = 6  # answers
TRIES = 4


@dataclass
class Asked:
    """What one reader saw of one question."""

    question: str
    key: str
    streamed: bool
    words: str = ""
    answer: dict[str, object] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class Installation:
    gate: Gate
    services: list[StartedProcess]
    generators: list[StartedProcess]
    container: Container


@pytest.fixture
def installation(dsn: str) -> Iterator[Installation]:
    """Outside of pytest's own folder, which nginx's workers may not enter."""
    folder = Path(tempfile.mkdtemp(prefix="bedside-replicas-"))
    folder.chmod(0o755)
    (folder / "web").mkdir()
    settings = Settings(data_dir=folder / "data", database_url=dsn, store="lance", sentence_vectors_mb=0)
    try:
        with Container(settings) as container:
            load_hospital(container)
            with generators(folder, 2) as writing:
                urls = ",".join(f"{one.url}/v1" for one in writing)
                own = {
                    "DATA_DIR": str(settings.data_dir), "DATABASE_URL": dsn, "STORE": "lance", "GENERATOR_URL": urls,
                    "SENTENCE_VECTORS_MB": "0", "QUESTIONS_PER_MINUTE": "0", "REQUESTS_PER_MINUTE": "0", "QUESTION_WAIT": "60",
                }  # fmt: skip
                port = free_port()
                with (
                    services(folder, HOSTS, own, port) as serving,
                    name_server(HOSTS) as resolver,
                    nginx(folder, f"rag-api.test:{port}", folder / "web", resolver=resolver) as gate,
                ):
                    yield Installation(gate, serving, writing, container)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def ask(asked: Asked, url: str, trusted: ssl.SSLContext) -> None:
    """As the page does: a stream that breaks before the first word is asked for again, under the
    same key."""
    for _ in range(TRIES):
        asked.words, asked.problem = "", ""
        try:
            _once(asked, url, trusted)
        except httpx.HTTPError as error:
            asked.problem = f"{type(error).__name__}: {error}"
        if asked.answer or asked.words:
            return
        time.sleep(0.5)


def _once(asked: Asked, url: str, trusted: ssl.SSLContext) -> None:
    headers = {"Idempotency-Key": asked.key, **({"Accept": "text/event-stream"} if asked.streamed else {})}
    body = {"question": asked.question, "personal_data": "keep"}
    with (
        httpx.Client(base_url=url, verify=trusted, timeout=120) as client,
        client.stream("POST", "/api/ask", json=body, headers=headers) as r,
    ):
        if not asked.streamed:
            found = json.loads(r.read())
            if r.status_code == 200:
                asked.answer = found
            else:
                asked.problem = str(found)
            return
        for line in r.iter_lines():
            if not line.startswith("data: "):
                continue
            data = json.loads(line[6:])
            asked.words += data.get("text", "")
            asked.answer = data.get("answer") or asked.answer


def test_no_question_fails_that_had_not_begun_and_each_answer_is_stored_once(installation: Installation) -> None:
    given = threading.Semaphore(0)
    trusted = installation.gate.context()
    url = f"https://localhost:{installation.gate.https}"
    everything: list[Asked] = []

    def reader(number: int) -> None:
        for turn in range(EACH):
            asked = Asked(QUESTIONS[(number + turn) % len(QUESTIONS)], str(uuid4()), streamed=bool((number + turn) % 2))
            everything.append(asked)
            ask(asked, url, trusted)
            given.release()

    with ThreadPoolExecutor(READERS) as pool:
        readers = [pool.submit(reader, number) for number in range(READERS)]
        for _ in range(KILLED_AFTER):
            assert given.acquire(timeout=300)
        installation.services[0].process.kill()
        installation.generators[0].process.kill()
        for one in readers:
            one.result(timeout=300)

    assert len(everything) == READERS * EACH
    assert installation.services[1].process.poll() is None
    # its rag_api was killed while it was being shown
    begun = [asked for asked in everything if asked.words and not asked.answer]
    assert len(begun) <= READERS
    for asked in everything:
        if asked not in begun:
            assert asked.answer, f"a question failed that had not begun: {asked.problem}"
            assert asked.answer["status"] != "failed" or asked.answer["answer"], (
                "one that nobody saw a word of is no answer that broke off"
            )
            assert "generator_down" not in _codes(asked), "the other generator was there"
    _stored_once(installation.container, everything, begun)
    health = {
        part["name"]: part["ok"]
        for part in httpx.get(f"{installation.services[1].url}/api/health", timeout=30).json()["parts"]
    }
    assert sorted(ok for name, ok in health.items() if name.startswith("generator")) == [False, True]
    assert httpx.get(f"{installation.services[1].url}/api/health", timeout=30).json()["status"] == "ok"


def _codes(asked: Asked) -> list[str]:
    notices = asked.answer["notices"]
    assert isinstance(notices, list)
    return [notice["code"] for notice in notices]


def _stored_once(container: Container, everything: list[Asked], begun: list[Asked]) -> None:
    rows = container.db.all("select id, text, status from answers")
    stored = {row["id"]: (row["text"], row["status"]) for row in rows}
    shown = {
        str(asked.answer["id"]): (asked.answer["answer"], asked.answer["status"])
        for asked in everything
        if asked.answer
    }
    assert len(shown) == len(everything) - len(begun), "two questions have one answer"
    assert {key: stored.get(key) for key in shown} == shown
    assert len(stored) <= len(everything), "an answer is stored twice"
