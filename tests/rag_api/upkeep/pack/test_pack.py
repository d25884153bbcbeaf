"""Downtime pack, made of a real installation and opened: what is in it, what it answers, what it
refuses, and that it is left as it is."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from rag_api.answering.ask_sequentially import answers_to
from rag_api.cli.app import app
from rag_api.cli.serving.open_pack import refuse_root
from rag_api.config import PackDates, Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.db.questions.answers import save_answer
from rag_api.db.questions.judged import save_questions
from rag_api.domain import LOCAL_USER, Mode, User
from rag_api.errors import InvalidInput
from rag_api.evaluate.judged import read_judged
from rag_api.main import create_app
from rag_api.upkeep.pack import manifest as signed
from rag_api.upkeep.pack.checking import said_here, said_there
from rag_api.upkeep.pack.last_check import last_check
from rag_api.upkeep.pack.making import PackOrder, make
from rag_api.upkeep.pack.opening import fill, looked_at, unpacked
from services.contract.wire import QUOTES
from tests.conftest import new_database
from tests.rag_api.upkeep.conftest import Install
from tests.support.people import hired
from tests.support.world import answered, load, load_hospital

QUESTIONS = (
    "hoeveel paracetamol iv bij een kind van 12 kg?",
    "what to do after a fall",
    "wanneer is het restaurant open",
    "wie belt de technische dienst bij een lekkend dak",
)
SECRET = "Geheime code van de apotheekkluis. De code van de kluis is 47-11-08 en wordt elke week gewijzigd. "


def silent(_: object) -> None:
    """Says nothing."""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "index.html").write_text("<title>Bedside</title>")
    return folder


@pytest.fixture
def hospital(install: Install) -> Iterator[Container]:
    """With a document for the pharmacy alone, people, and something that was asked."""
    settings = install(ready=True).model_copy(update={"generator_model": QUOTES, "generator_url": None})
    with Container(settings) as container:
        load_hospital(container)
        secret = load(container, "kluis.pdf", SECRET, language="nl")
        container.db.run("update documents set groups = '{apotheek}' where id = %(id)s", {"id": secret.id})
        hired(container.db)
        save_answer(container.db, LOCAL_USER, answered("c1", 1), new_conversation=True)
        container.start_generator()
        container.wait_for_generator()
        yield container


def packed(container: Container, folder: Path, page: Path, *groups: str, **options: Any) -> signed.PackManifest:
    key = signed.read_private(container.settings.data_dir / "pack.key")
    order = PackOrder(page, groups or ("everyone",), 7, carry_runtime=False, **options)
    said = list[str]()
    made = make(container, folder, order, key, said.append, silent)
    assert any(one.startswith("No model reads in it") for one in said) is not bool(container.settings.reader)
    return made


@contextmanager
def served(folder: Path, server: str, **changed: Any) -> Iterator[tuple[TestClient, Settings]]:
    """As start.sh serves it, on a database of the tests' own server."""
    manifest = looked_at(folder, None, silent)
    with new_database(server) as dsn, unpacked(folder, manifest, 0) as settings:
        own = settings.model_copy(update={"database_url": Settings(database_url=dsn).database_url, **changed})
        with Container(own) as container:
            fill(container, folder, manifest)
            container.start_generator()
            container.warm()
            container.wait_for_generator()
            with TestClient(create_app(own, container), base_url="http://127.0.0.1") as client:
                yield client, own


def contents(folder: Path) -> bytes:
    """Everything in it, unpacked."""
    found = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    found += [gzip.decompress(path.read_bytes()) for path in folder.rglob("*.gz")]
    return b"\0".join(found)


def test_it_answers_as_the_server_does_and_says_how_old_it_is(
    hospital: Container, tmp_path: Path, page: Path, postgres_server: str
) -> None:
    folder = tmp_path / "pack"
    packed(hospital, folder, page)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    for path in before:
        path.chmod(0o555 if path.is_dir() else 0o444)
    asker = User("somebody", "", groups=("everyone",))
    here = list(answers_to(QUESTIONS, asker, hospital, Mode.VERBATIM))
    with served(folder, postgres_server) as (client, _):
        for question, ours in zip(QUESTIONS, here, strict=True):
            theirs = client.post("/ask", json={"question": question, "mode": "verbatim", "notices_in": "nl"}).json()
            assert said_there(theirs) == said_here(ours)
            age = next(one for one in theirs["notices"] if one["code"] == "pack")
            assert age["text"].startswith("Noodpakket van ")
        assert {one.status.value for one in here} == {"answered", "not_found"}
        session = client.get("/session").json()
        assert session["pack"]["valid_until"] > session["pack"]["made_at"]
        assert session["user"]["roles"] == ["reader"]
        source = client.post("/ask", json={"question": QUESTIONS[0]}).json()["sources"][0]["document_id"]
        assert client.get(f"/documents/{source}/file").content.startswith(b"%PDF")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    looked_at(folder, None, silent)


def test_only_what_its_groups_may_read_is_in_it_and_nobodys_name(
    hospital: Container, tmp_path: Path, page: Path
) -> None:
    manifest = packed(hospital, tmp_path / "all", page)
    assert manifest.index.documents == 3
    held = contents(tmp_path / "all")
    assert b"15 mg/kg" in held
    assert b"47-11-08" not in held
    assert b"zes uur" not in held.replace(b"ten minste zes uur", b"")
    assert {table.name for table in manifest.database.tables}.isdisjoint(
        {"users", "answers", "conversations", "audit_entries", "api_keys"}
    )
    packed(hospital, tmp_path / "pharmacy", page, "apotheek")
    held = contents(tmp_path / "pharmacy")
    assert b"47-11-08" in held
    assert b"15 mg/kg" not in held


def test_nothing_is_administered_or_kept_in_it(
    hospital: Container, tmp_path: Path, page: Path, postgres_server: str
) -> None:
    packed(hospital, tmp_path / "pack", page)
    with served(tmp_path / "pack", postgres_server) as (client, _):
        answer = client.post("/ask", json={"question": QUESTIONS[0]}).json()
        document = answer["sources"][0]["document_id"]
        refused = [
            client.post(f"/answers/{answer['id']}/feedback", json={"found": "yes"}),
            client.post(f"/documents/{document}/owner-questions", json={"kind": "question", "text": "Klopt dit?"}),
            client.post("/documents", files={"file": ("a.pdf", b"%PDF")}),
            client.delete(f"/documents/{document}"),
            client.put("/risk", json={"risk": "ready"}),
            client.post("/accounts", json={"login": "x"}),
        ]
        assert {one.status_code for one in refused} == {403}
        assert "stores nothing" in refused[0].json()["detail"]
        assert client.get("/usage").status_code == 403
        assert client.delete(f"/conversations/{answer['conversation_id']}").status_code == 204


def test_a_pack_that_becomes_too_old_while_it_runs_answers_no_more(
    hospital: Container, tmp_path: Path, page: Path, postgres_server: str
) -> None:
    packed(hospital, tmp_path / "pack", page)
    now = datetime.now(UTC)
    for dates in (
        PackDates(made_at=now - timedelta(days=8), valid_until=now - timedelta(days=1)),
        PackDates(made_at=now + timedelta(days=1), valid_until=now + timedelta(days=8)),
    ):
        with served(tmp_path / "pack", postgres_server, pack=dates) as (client, _):
            refused = client.post("/ask", json={"question": QUESTIONS[0]})
            assert (refused.status_code, refused.json()["code"]) == (403, "pack_out_of_date")
            assert client.get("/session").json()["pack"] is not None
            assert client.get("/health/live").status_code == 200


def test_a_database_that_holds_anything_is_left_alone_and_the_environment_unheard(
    hospital: Container, tmp_path: Path, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, own = tmp_path / "pack", hospital.settings.database_url
    manifest = packed(hospital, folder, page)
    assert own is not None
    monkeypatch.setenv("BEDSIDE_DATABASE_URL", own.get_secret_value())
    monkeypatch.setenv("BEDSIDE_HOST", "0.0.0.0")
    with unpacked(folder, manifest, 0) as settings:
        assert settings.database_url is None
        assert settings.host == "127.0.0.1"
        with (
            Container(settings.model_copy(update={"database_url": own})) as other,
            pytest.raises(InvalidInput, match="is not empty"),
        ):
            fill(other, folder, manifest)
    assert len(PgDocuments(hospital.db).current()) == 4


def test_what_cannot_be_packed_is_said(hospital: Container, tmp_path: Path, page: Path) -> None:
    with pytest.raises(InvalidInput, match="No document may be read by nobody"):
        packed(hospital, tmp_path / "none", page, "nobody")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    with pytest.raises(InvalidInput, match="is not empty"):
        packed(hospital, tmp_path / "full", page)
    read = hospital.with_settings(hospital.settings.model_copy(update={"reader": "agreeing:reading"}))
    with pytest.raises(InvalidInput, match=r"quotes/config.json|no adapter|--without-reader"):
        packed(read, tmp_path / "read", page)
    assert packed(read, tmp_path / "unread", page, without_reader=True).dates.without_reader


def test_the_command_makes_and_checks_a_pack(
    hospital: Container, tmp_path: Path, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check opens the pack as a process of its own: of one without Python by this Python."""
    settings = hospital.settings
    assert settings.database_url is not None
    monkeypatch.setenv("BEDSIDE_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("BEDSIDE_DATABASE_URL", settings.database_url.get_secret_value())
    monkeypatch.setenv("BEDSIDE_GENERATOR_MODEL", QUOTES)
    monkeypatch.setenv("BEDSIDE_WEB_DIR", str(page))
    folder, judged, data_dir = tmp_path / "pack", tmp_path / "judged.csv", settings.data_dir
    judged.write_text("id,question,document\n" + "".join(f"{n},{text},\n" for n, text in enumerate(QUESTIONS)))
    made = CliRunner().invoke(app, ["pack", str(folder), "--days", "3", "--no-runtime", "--json"])
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout.splitlines()[-1])["documents"] == 3
    check = ["pack", str(folder), "--check", "--set", str(judged), "--json"]
    alike = CliRunner().invoke(app, check)
    assert alike.exit_code == 0, alike.output
    figures = json.loads(alike.stdout.splitlines()[-1])
    assert (figures["asked"], figures["alike"]) == (4, 4)
    assert noted(data_dir) == (str(folder), 4, (), "")
    load(
        hospital,
        "paracetamol-kind.pdf",
        "Paracetamol intraveneus bij kinderen. Geef kinderen 12 mg/kg paracetamol per gift. ",
        language="nl",
    )
    save_questions(hospital.db, LOCAL_USER, "ward", read_judged(judged)[:2])
    behind = CliRunner().invoke(app, ["pack", str(folder), "--check", "--json"])
    assert behind.exit_code == 1
    assert json.loads(behind.stdout.splitlines()[-1])["differing"][0]["id"] == "ward/0"
    assert noted(data_dir) == (str(folder), 2, ("ward/0",), "")
    (folder / "README.txt").write_text("Welkom")
    broken = CliRunner().invoke(app, check)
    assert broken.exit_code == 1
    assert "README.txt was changed" in broken.output
    assert "README.txt was changed" in noted(data_dir)[-1]
    renewed = CliRunner().invoke(app, [*check[:2], "--renew", "--no-runtime", *check[3:]])
    assert renewed.exit_code == 0, renewed.output
    (figures,) = (json.loads(line) for line in renewed.stdout.splitlines() if line.startswith("{"))
    assert (figures["folder"], figures["alike"]) == (str(folder), 4)
    assert noted(data_dir) == (str(folder), 4, (), "")


def noted(data_dir: Path) -> tuple[str, int, tuple[str, ...], str]:
    last = last_check(data_dir)
    assert last is not None
    assert last.checked_at <= datetime.now(UTC)
    return last.folder, last.asked, last.differing, last.problem


def test_it_is_not_opened_by_root_where_it_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    refuse_root(tmp_path)
    with pytest.raises(InvalidInput, match="not by root"):
        refuse_root(Path("/proc/self"))
