"""Parts that fall silent or die: a reader is told within seconds, an answer that was shown is
stored when the database is back."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from rag_api.answering.answer_outbox import UnsavedAnswers
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db import SHORT, Database
from rag_api.db.audit import Writer
from rag_api.db.migrate import migrate
from rag_api.db.questions.answers import answers_of, list_conversations
from rag_api.domain import LOCAL_USER
from rag_api.errors import DatabaseUnavailable
from rag_api.main import create_app
from rag_api.own_processes.postgres import EmbeddedPostgres
from tests.support.http_server import served
from tests.support.scripted_server import Scripted, quote
from tests.support.waiting import until
from tests.support.world import load_hospital

DUTCH = "Hoeveel paracetamol mag een kind van 12 kg?"


@pytest.fixture(scope="module")
def postgres() -> Iterator[EmbeddedPostgres]:
    with tempfile.TemporaryDirectory(prefix="bedside-test-", ignore_cleanup_errors=True) as folder:
        server = EmbeddedPostgres(Path(folder) / "postgres")
        migrate(server.start())
        yield server
        server.stop()


def processes(server: EmbeddedPostgres) -> list[int]:
    """The postmaster and what it started."""
    postmaster = int((server.folder / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    return [postmaster, *map(int, children)]


def tell(server: EmbeddedPostgres, what: signal.Signals) -> None:
    for pid in processes(server):
        with suppress(ProcessLookupError):  # one that ended by itself meanwhile: a worker, a backend whose client left
            os.kill(pid, what)


@pytest.fixture
def stopped(postgres: EmbeddedPostgres) -> Iterator[EmbeddedPostgres]:
    """Whatever a test stops goes on afterwards."""
    yield postgres
    tell(postgres, signal.SIGCONT)


def test_a_database_that_is_stopped_is_given_up_and_found_again(stopped: EmbeddedPostgres) -> None:
    database = Database(stopped.start())
    database.ping()
    tell(stopped, signal.SIGSTOP)
    with pytest.raises(DatabaseUnavailable):  # it waited for ever
        database.ping()
    tell(stopped, signal.SIGCONT)
    assert database.with_timeout(30).ping()
    database.close()


def test_a_question_that_asks_a_stopped_database_again_and_again_does_not_wait_for_each(
    stopped: EmbeddedPostgres,
) -> None:
    database = Database(stopped.start())
    database.ping()
    entry = Writer(database, SHORT)
    tell(stopped, signal.SIGSTOP)
    with pytest.raises(DatabaseUnavailable):
        database.ping()
    assert database.silence
    with pytest.raises(DatabaseUnavailable, match=r"in 1 s|after 1\.00 sec"):
        database.ping()
    with pytest.raises(DatabaseUnavailable, match="silent just now"):
        entry.append("{}", [])
    tell(stopped, signal.SIGCONT)
    assert database.with_timeout(30).ping()
    assert not database.silence  # whoever asks next waits as long as before
    database.close()


def test_an_embedded_database_that_is_killed_is_started_again(postgres: EmbeddedPostgres) -> None:
    database = Database(postgres.start(), patience=60)
    before = postgres.restarts
    os.kill(processes(postgres)[0], signal.SIGKILL)

    def answers() -> bool:
        with suppress(DatabaseUnavailable):
            return bool(database.ping())
        return False

    until(lambda: postgres.restarts > before)
    until(answers)
    database.close()


@pytest.fixture
def container(stopped: EmbeddedPostgres, server: Scripted, tmp_path: Path) -> Iterator[Container]:
    settings = Settings(data_dir=tmp_path, database_url=stopped.start(), store="memory", generator_url=server.url)
    with Container(settings) as made:
        load_hospital(made)
        yield made
        tell(stopped, signal.SIGCONT)
        made.db.with_timeout(30).run("truncate documents, conversations cascade")


def stopping(database: EmbeddedPostgres) -> Callable[[dict[str, object]], list[object]]:
    """A script that stops the database before it quotes."""

    def stop_then_quote(request: dict[str, object]) -> list[object]:
        tell(database, signal.SIGSTOP)
        return list(quote(request))

    return stop_then_quote


def test_an_answer_that_was_shown_is_stored_when_the_database_is_back(
    container: Container, server: Scripted, stopped: EmbeddedPostgres
) -> None:
    server.script = stopping(stopped)  # type: ignore[assignment]
    with served(create_app(container.settings, container)) as url:
        body = httpx.post(f"{url}/ask", json={"question": DUTCH}, timeout=60).raise_for_status().json()
    assert body["status"] == "answered"
    assert body["spans"]
    assert "stored_later" in [notice["code"] for notice in body["notices"]]
    assert len(container.unsaved.waiting()) == 1
    tell(stopped, signal.SIGCONT)
    until(lambda: not container.unsaved.waiting())
    (stored,) = answers_of(container.db, LOCAL_USER, body["conversation_id"])
    assert (stored.id, stored.text) == (body["id"], body["answer"])
    assert list_conversations(container.db, LOCAL_USER)[1] == 1


def test_an_answer_that_can_be_stored_nowhere_is_said_to_be_so(
    container: Container, server: Scripted, stopped: EmbeddedPostgres, tmp_path: Path
) -> None:
    (tmp_path / "unsaved").write_text("a file where the folder should be: as good as a full disk")

    server.script = stopping(stopped)  # type: ignore[assignment]
    with served(create_app(container.settings, container)) as url:
        body = httpx.post(f"{url}/ask", json={"question": DUTCH}, timeout=60).raise_for_status().json()
    assert body["spans"]
    assert "not_stored" in [notice["code"] for notice in body["notices"]]


def test_a_generator_that_is_stopped_is_given_up_and_its_question_gets_the_sources(
    container: Container, server: Scripted
) -> None:
    def fall_silent(request: dict[str, object]) -> list[object]:
        server.silent = True
        return [60.0]

    server.script = fall_silent  # type: ignore[assignment]
    with served(create_app(container.settings, container)) as url:
        # it held one for 120 s
        body = httpx.post(f"{url}/ask", json={"question": DUTCH}, timeout=60).raise_for_status().json()
    assert (body["status"], [n["code"] for n in body["notices"] if n["code"] == "generator_down"]) == (
        "sources_only",
        ["generator_down"],
    )
    assert body["sources"]


def test_kept_answers_are_stored_once_in_their_order_and_a_broken_file_stops_none(
    tmp_path: Path, postgres: EmbeddedPostgres
) -> None:
    from tests.rag_api.db.test_db import answer

    database = Database(postgres.start())
    kept = UnsavedAnswers(tmp_path, lambda: database)
    kept.close()  # nothing in the background
    conversation = str(uuid4())
    first = answer(conversation)
    # the clock was set back
    second = replace(answer(conversation, question="En dan?"), created_at=first.created_at - timedelta(hours=1))
    assert kept.keep(LOCAL_USER, first, new_conversation=True)
    assert kept.keep(LOCAL_USER, second, new_conversation=False)
    (tmp_path / "00000000T0-broken.json").write_text("{")
    assert kept.store() == 2
    assert kept.keep(LOCAL_USER, first, new_conversation=True)
    assert kept.store() == 0
    assert {a.question for a in answers_of(database, LOCAL_USER, conversation)} == {first.question, second.question}
    database.close()
