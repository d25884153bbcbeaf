"""Each look of `bedside doctor`: that it sees what is wrong and says what to do, and that a sound
installation is called sound."""

from __future__ import annotations

import json
import shutil
import ssl
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from rag_api.answering.answer_outbox import UnsavedAnswers
from rag_api.answering.generator.client import Generator
from rag_api.cli.app import app
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.owners.named import put_owner
from rag_api.db.people.accounts import add_account, change_account
from rag_api.domain import LOCAL_USER, Document, Role
from rag_api.embed import Embedder
from rag_api.errors import ConfigurationError, EmbedderUnavailable, GeneratorRefused
from rag_api.ingest.sandbox.starting import SOCKET
from rag_api.stores import Unfound
from rag_api.upkeep import component_checks as parts
from rag_api.upkeep import machine
from rag_api.upkeep.backup import backup
from rag_api.upkeep.doctor import examine
from rag_api.upkeep.finding import Finding, State, ok, warn, worst
from rag_api.upkeep.pack.last_check import note
from tests.deployment.nginx import MISSING, self_signed
from tests.rag_api.upkeep.conftest import NOBODY, Install
from tests.rag_api.upkeep.test_backup import dsn_of, silent
from tests.support.scripted_server import scripted_server
from tests.support.world import answered, load, load_hospital


@pytest.fixture
def settings(install: Install) -> Settings:
    made = install(ready=True)
    return made


@pytest.fixture
def hospital(settings: Settings) -> Iterator[tuple[Container, dict[str, Document]]]:
    with Container(settings) as container:
        yield container, load_hospital(container)


def look(settings: Settings, name: str) -> Finding:
    """Return the one finding of this name, of a whole examination."""
    with Container(settings) as container:
        (found,) = [finding for finding in examine(settings, container) if finding.name == name]
    return found


def test_a_sound_installation_is_called_sound(settings: Settings, tmp_path: Path) -> None:
    with scripted_server() as generator, Container(settings) as container:
        load_hospital(container)
        backup(container, tmp_path / "backup", silent, silent)
        settings.data_dir.chmod(0o700)
        own = settings.model_copy(update={"generator_url": generator.url, "generator_model": "scripted"})
        with Container(own) as other:
            findings = list(examine(own, other, thorough=True))
    wrong = [f for f in findings if f.state != State.OK and f.name not in ("LibreOffice", "tesseract", "disk")]
    assert wrong == []
    assert {f.name for f in findings} >= {
        "database",
        "clock",
        "embedder",
        "index",
        "files",
        "generator",
        "decision",
        "backup",
        "disk",
    }


def test_nobody_who_says_who_is_in_which_group(settings: Settings) -> None:
    with Container(settings) as container:
        assert parts.memberships(container) is None, "nobody signs in with an account of ours"
        admin = add_account(container.db, LOCAL_USER, "Ann", "ann", None, [Role.ADMIN], [])
        lacking = parts.memberships(container)
        assert lacking is not None
        assert (lacking.state, "membership_admin" in lacking.todo) == (State.WARN, True)
        change_account(container.db, LOCAL_USER, admin, roles=[Role.ADMIN, Role.MEMBERSHIP_ADMIN])
        assert look(settings, "memberships") == ok("memberships", "1 of 1 accounts may say who is in which group")


def test_owners_of_documents_whom_nobody_is_known_of_or_who_may_not_sign_in_any_more(settings: Settings) -> None:
    with Container(settings) as container:
        load(container, "wassen.pdf", "Handen wassen. Was de handen.", owner="Hygiëne", department="Zorg")
        load(container, "koorts.pdf", "Koorts meten. Meet de koorts.", owner="Bo Janssens")
        bo = add_account(container.db, LOCAL_USER, "Bo", "bo", "of no password", [], [])
        put_owner(container.db, LOCAL_USER, "Bo Janssens", "", [bo])
    found = look(settings, "owners")
    assert (found.state, found.what) == (State.WARN, "nobody is known for 1 of the 2 that documents name: Hygiëne")
    assert "`bedside owners import`" in found.todo
    with Container(settings) as container:
        put_owner(container.db, LOCAL_USER, "Hygiëne", "hygiene@hospital.example", [])
        change_account(container.db, LOCAL_USER, bo, suspended=True)
    assert look(settings, "owners").what.endswith("Bo Janssens")
    with Container(settings) as container:
        change_account(container.db, LOCAL_USER, bo, suspended=False)
        container.db.run("update users set password_hash = null")
    assert look(settings, "owners").what.endswith("Bo Janssens"), "nobody signs in to it"
    with Container(settings) as container:
        container.db.run("update users set password_hash = 'of no password'")
    assert look(settings, "owners").state == State.OK


def test_a_part_that_is_away_is_a_finding_and_the_others_are_looked_at(settings: Settings) -> None:
    away = settings.model_copy(
        update={"database_url": SecretStr("postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")}
    )
    with Container(away) as container:
        found = {finding.name: finding for finding in examine(away, container)}
    assert found["database"].state == State.FAIL
    assert "PostgreSQL" in found["database"].todo
    assert found["embedder"].state == State.OK


def test_what_to_do_is_said_once_where_the_error_says_it_too(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SOCKET, str(tmp_path / "nobody"))
    with Container(settings) as container:
        found = [finding for finding in examine(settings, container) if "nobody" in finding.what]
    assert [finding.state for finding in found] == [State.FAIL] * len(found) != []
    assert {(one.what + one.todo).count("Start the service `reading`.") for one in found} == {1}


def test_a_look_that_breaks_is_a_finding(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "disk", lambda _: 1 // 0)
    found = look(settings, "disk")
    assert (found.state, "ZeroDivisionError" in found.what) == (State.FAIL, True)


def test_a_database_that_lacks_migrations(install: Install) -> None:
    found = look(install(), "database")
    assert (found.state, found.todo) == (State.FAIL, "bedside migrate")


def test_our_own_database_is_up_to_date_from_the_first_look_on(open_dir: Path) -> None:
    with Container(Settings(data_dir=open_dir)) as container:
        assert parts.database(container).state == State.OK


def test_a_database_of_a_newer_version(settings: Settings) -> None:
    with psycopg.connect(dsn_of(settings), autocommit=True) as connection:
        connection.execute("insert into schema_migrations (version, name, sha256) values (9999, '9999_later', '')")
    assert "newer Bedside" in look(settings, "database").what


def test_documents_that_the_index_lacks_and_others_that_only_it_has(
    hospital: tuple[Container, dict[str, Document]],
) -> None:
    container, documents = hospital
    container.store.delete_documents([documents["child"].id])
    (lacking,) = parts.index(container)
    assert (lacking.state, "paracetamol-kind.pdf" in lacking.what) == (State.FAIL, True)
    container.db.run("update documents set status = 'retired' where source = 'falls.pdf'")
    states = {finding.state for finding in parts.index(container)}
    assert states == {State.FAIL, State.WARN}


def test_an_index_with_fewer_passages_than_the_list_says(hospital: tuple[Container, dict[str, Document]]) -> None:
    container, _ = hospital
    container.db.run("update documents set chunk_count = 2 where source = 'falls.pdf'")
    (found,) = parts.index(container)
    assert (found.state, found.what) == (State.FAIL, "3 passages, the list says 4")


class Losing:
    """A store whose searches by vector leave out some passages, until they are mended; or go on
    leaving them out."""

    def __init__(self, ids: tuple[str, ...], for_ever: bool = False) -> None:
        self.ids, self.for_ever = ids, for_ever
        self.most: int | None = None

    def unfound(self, most: int | None = None) -> Unfound:
        self.most = most
        return Unfound(20, self.ids)

    def mend(self, ids: Sequence[str]) -> None:
        assert ids == self.ids
        self.ids = self.ids if self.for_ever else ()

    def close(self) -> None: ...


def test_passages_that_no_search_by_meaning_finds(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Losing(("a", "b"))
    monkeypatch.setattr("rag_api.stores.open_store", lambda *_: store)
    with Container(settings) as container:
        found = parts.found_by_meaning(container)
        assert found is not None
        assert (found.state, found.todo, store.most) == (State.FAIL, "bedside index mend", parts.SAMPLE)
        assert found.what.startswith("2 of 20 passages are in the index")
        store.mend(("a", "b"))
        assert parts.found_by_meaning(container, thorough=True) == ok("found by meaning", "20 passages")
        assert store.most is None


def test_such_passages_are_mended_by_a_command(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEDSIDE_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("BEDSIDE_DATABASE_URL", dsn_of(settings))
    mend = ["index", "mend"]
    assert "nothing to mend" in CliRunner().invoke(app, mend).output
    for store, left, code in ((Losing(("a",)), 0, 0), (Losing(("a",), for_ever=True), 1, 1)):
        monkeypatch.setattr("rag_api.stores.open_store", lambda *_, store=store: store)
        done = CliRunner().invoke(app, mend)
        assert f"1 of 20 passages were not found by meaning; {left} are not found now" in done.output
        assert done.exit_code == code


def test_readers_that_the_index_does_not_know_yet(hospital: tuple[Container, dict[str, Document]]) -> None:
    container, _ = hospital
    container.db.run("update documents set groups = '{icu}' where source = 'falls.pdf'")
    assert [(f.state, f.name) for f in parts.index(container)] == [(State.WARN, "index"), (State.OK, "index")]


def test_an_index_of_another_embedder(settings: Settings, embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    with Container(settings) as container:
        load_hospital(container)

    class Other:
        name, dim, query, passages = "another", embedder.dim, embedder.query, embedder.passages

    monkeypatch.setattr("rag_api.embed.open_embedder", lambda _: Other())
    found = look(settings, "index")
    assert (found.state, "another" in found.what, "BEDSIDE_EMBEDDER" in found.todo) == (State.FAIL, True, True)


def test_an_embedder_that_is_away(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_: Settings) -> Embedder:
        raise EmbedderUnavailable("no embedder at http://embedder:8002")

    monkeypatch.setattr("rag_api.embed.open_embedder", away)
    found = look(settings, "embedder")
    assert (found.state, "BEDSIDE_EMBEDDER_URL" in found.todo) == (State.FAIL, True)


def test_a_document_whose_file_is_gone_or_changed(hospital: tuple[Container, dict[str, Document]]) -> None:
    container, documents = hospital
    folder = container.settings.data_dir / "files"
    (folder / f"{documents['fall'].sha256}.pdf").unlink()
    assert (parts.files(container).state, "falls.pdf" in parts.files(container).what) == (State.FAIL, True)
    (folder / f"{documents['fall'].sha256}.pdf").write_bytes(b"something else")
    assert parts.files(container).state == State.OK
    assert "falls.pdf" in parts.files(container, thorough=True).what


def test_a_generator_that_is_away_or_serves_another_model(settings: Settings) -> None:
    assert look(settings, "generator").state == State.FAIL
    with scripted_server() as generator:
        other = settings.model_copy(update={"generator_url": generator.url, "generator_model": "llama"})
        assert look(other, "generator").todo == "Set BEDSIDE_GENERATOR_MODEL to what it serves."


def test_a_generator_that_refuses_the_key(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refused(*_: object) -> str:
        raise GeneratorRefused("The generator answered 401: a valid API key is wanted")

    monkeypatch.setattr(Generator, "models", refused)
    assert "BEDSIDE_GENERATOR_API_KEY" in look(settings, "generator").todo


def test_each_of_several_generators_is_looked_at(settings: Settings) -> None:
    with scripted_server() as generator:
        both = settings.model_copy(update={"generator_url": f"{generator.url},{NOBODY}", "generator_model": "scripted"})
        with Container(both) as container:
            found = parts.generator(container)
    assert isinstance(found, list)
    assert [finding.state for finding in found] == [State.OK, State.FAIL]
    assert [finding.name.partition(" ")[0] for finding in found] == ["generator"] * 2
    assert len({finding.name for finding in found}) == 2


def test_clocks_that_differ_and_answers_of_the_future(hospital: tuple[Container, dict[str, Document]]) -> None:
    container, _ = hospital

    class Shifted(Container):
        def __init__(self, seconds: float, last: float | None = None) -> None:
            now = datetime.now(UTC)
            self.row = {
                "now": now + timedelta(seconds=seconds),
                "last": None if last is None else now + timedelta(seconds=last),
            }

        @property
        def db(self) -> object:  # type: ignore[override]
            return self

        def one(self, _: str) -> object:
            return self.row

    assert parts.clock(container).state == State.OK
    assert parts.clock(Shifted(10)).state == State.WARN
    assert parts.clock(Shifted(-3600)).state == State.FAIL
    assert "future" in parts.clock(Shifted(0, last=600)).what


def test_a_risk_that_no_threshold_reaches(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreached(_: Container) -> None:
        raise ConfigurationError("BEDSIDE_RISK=0.001 is not reached")

    monkeypatch.setattr(Container, "check_decision", unreached)
    assert look(settings, "decision").what == "BEDSIDE_RISK=0.001 is not reached"


def test_answers_that_wait_and_a_restoration_that_broke_off(settings: Settings) -> None:
    waiting = UnsavedAnswers(settings.data_dir / "unsaved", lambda: 1 / 0)  # type: ignore[arg-type,return-value]
    waiting.close()
    waiting.keep(LOCAL_USER, answered("c1", 1), new_conversation=True)
    assert look(settings, "unsaved answers").state == State.WARN
    (settings.data_dir / "restore.unfinished").write_text("/backups/1")
    assert look(settings, "restoration").todo == "bedside restore /backups/1 --yes"


def test_secrets_that_everyone_knows_or_can_guess() -> None:
    def of(secret: str, host: str = "0.0.0.0") -> State:
        return machine.secrets(Settings(weaviate_api_key=SecretStr(secret), host=host)).state

    assert (of("changeme"), of("x8!f"), of("3f" * 16)) == (State.FAIL, State.WARN, State.OK)
    assert of("changeme", "127.0.0.1") == State.WARN


def test_a_door_that_is_open_to_other_machines() -> None:
    assert machine.way_in(Settings(host="0.0.0.0")).state == State.FAIL
    assert machine.way_in(Settings(host="127.0.0.1")).state == State.OK


def test_a_data_directory_that_is_open_to_others_or_cannot_be_written(tmp_path: Path, dsn: str) -> None:
    tmp_path.chmod(0o755)
    found = machine.data_dir(Settings(data_dir=tmp_path, database_url=SecretStr(dsn)))
    assert (found.state, found.todo) == (State.WARN, f"chmod 700 {tmp_path}")
    tmp_path.chmod(0o700)
    assert machine.data_dir(Settings(data_dir=tmp_path, database_url=SecretStr(dsn))).state == State.OK
    assert machine.data_dir(Settings(data_dir=tmp_path / "none")).state == State.FAIL


@pytest.mark.parametrize(("free", "state"), [(2**28, State.FAIL), (2**31, State.WARN), (2**36, State.OK)])
def test_a_disk_that_fills(free: int, state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=free))
    assert machine.disk(Settings(data_dir=tmp_path)).state == state


def test_programs_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "office", lambda: None)
    monkeypatch.setattr(machine, "second_reader", lambda: None)
    assert [machine.libre_office().state, machine.tesseract().state] == [State.WARN, State.WARN]
    monkeypatch.setattr(machine, "office", lambda: "/usr/bin/soffice")
    monkeypatch.setattr(machine, "second_reader", lambda: ("tesseract", "nld+eng"))
    assert [machine.libre_office().state, machine.tesseract().state] == [State.OK, State.OK]


def test_readers_that_the_system_cannot_confine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.readers().state == State.OK, "a test runs where Linux offers both"
    monkeypatch.setattr(machine, "lacking_here", lambda: "Landlock (files)")
    assert machine.readers().state == State.WARN
    assert machine.readers().what == "read documents without Landlock (files)"


def test_a_backup_that_is_old_or_was_never_made(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    assert "none was made" in machine.backup_age(settings).what
    (tmp_path / "last-backup.json").write_text(json.dumps({"made_at": "2026-01-01T00:00:00+00:00", "folder": "/b"}))
    assert machine.backup_age(settings, datetime(2026, 1, 5, tzinfo=UTC)).state == State.OK
    late = machine.backup_age(settings, datetime(2026, 1, 20, tzinfo=UTC))
    assert (late.state, late.what) == (State.WARN, "the last one is 19 days old (/b)")


def test_what_came_of_checking_the_downtime_pack(tmp_path: Path) -> None:
    settings, pack = Settings(data_dir=tmp_path), tmp_path / "pack"
    assert machine.pack_check(settings) is None
    (tmp_path / "pack.key").touch()
    assert "none was checked" in found(machine.pack_check(settings)).what
    note(tmp_path, pack, 12)
    sound = found(machine.pack_check(settings))
    assert (sound.state, sound.what.split(" (")[0]) == (State.OK, "answers 12 questions as this server does")
    late = found(machine.pack_check(settings, datetime.now(UTC) + timedelta(days=3)))
    assert (late.state, "was last checked" in late.what) == (State.WARN, True)
    note(tmp_path, pack, 12, ("a", "b", "c", "d"))
    behind = found(machine.pack_check(settings))
    assert behind.state == State.WARN
    assert behind.what.startswith("answers 4 of 12 questions otherwise than this server")
    assert behind.what.endswith(f"{pack}): a, b, c ...")
    note(tmp_path, pack, 12, problem="The pack is of last year.")
    failed = found(machine.pack_check(settings))
    assert (failed.state, failed.what.split(": ")[-1]) == (State.FAIL, "The pack is of last year.")


def found(finding: Finding | None) -> Finding:
    assert finding is not None
    return finding


class Silent(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
def test_a_certificate_that_is_not_trusted_ends_soon_or_is_not_there(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(certificate, key)
    server = HTTPServer(("127.0.0.1", 0), Silent)
    server.socket = served.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    settings = Settings(public_url=f"https://localhost:{server.server_port}")
    try:
        unknown = machine.certificate(settings)
        soon = machine.certificate(settings, ssl.create_default_context(cafile=str(certificate)))
    finally:
        server.shutdown()
        server.server_close()
    away = machine.certificate(settings)
    assert unknown is not None
    assert soon is not None
    assert away is not None
    assert (unknown.state, soon.state, away.state) == (State.FAIL, State.WARN, State.WARN)
    assert ("BEDSIDE_TLS_DIR" in unknown.todo, "ends on" in soon.what, "not reached" in away.what) == (True, True, True)
    assert machine.certificate(Settings()) is None


def test_the_command_ends_with_one_when_something_is_wrong(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEDSIDE_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("BEDSIDE_DATABASE_URL", dsn_of(settings))
    monkeypatch.setenv("BEDSIDE_GENERATOR_URL", str(settings.generator_url))
    found = CliRunner().invoke(app, ["doctor", "--json"])
    said = json.loads(found.stdout)
    assert (found.exit_code, said["state"]) == (1, "fail")
    assert {"name", "state", "what", "todo"} == set(said["findings"][0])
    assert [f["name"] for f in said["findings"] if f["state"] == "fail"] == ["generator"]
    plain = CliRunner().invoke(app, ["doctor"])
    assert "-> Look at its log" in plain.stdout


def test_settings_that_make_no_sense_or_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEDSIDE_ENVIRONMENT", "production")
    monkeypatch.setenv("BEDSIDE_DATABSE_URL", "x")
    found = CliRunner().invoke(app, ["doctor", "--json"])
    findings = json.loads(found.stdout)["findings"]
    assert found.exit_code == 1
    assert [f["state"] for f in findings] == ["warn", "fail"]
    assert "BEDSIDE_DATABASE_URL" in findings[0]["what"]


def test_the_worst_finding_counts() -> None:
    assert worst([ok("a", "")]) == State.OK
    assert worst([ok("a", ""), warn("b", "", "")]) == State.WARN
