"""A backup comes back: database, index and files, on real servers; what cannot be restored is
refused untouched."""

from __future__ import annotations

import json
import os
import shutil
import threading
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from evaluation.quality import RetrievalOutcome, evaluate
from rag_api.answering.answer_outbox import UnsavedAnswers
from rag_api.cli.app import app
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db import Database, copies
from rag_api.db.documents import DocumentQuery as Query
from rag_api.db.documents import PgDocuments, list_documents
from rag_api.db.migrate import MIGRATIONS, apply, migrate, read_migrations
from rag_api.db.people import permissions as permitted
from rag_api.db.questions.answers import get_answer, save_answer
from rag_api.db.questions.judged import read_set, save_questions
from rag_api.domain import EVERYONE, LOCAL_USER, Filters, Judged, Place
from rag_api.errors import BedsideError, ConfigurationError, Conflict, EmbedderMismatch, InvalidInput
from rag_api.query.analysis import analyse
from rag_api.retrieval.find import Retrieval, find
from rag_api.upkeep import manifest as manifests
from rag_api.upkeep.backup import backup, last_backup
from rag_api.upkeep.restore import check, restore
from tests.conftest import new_database
from tests.rag_api.upkeep.conftest import NOBODY, Install
from tests.support.people import hired
from tests.support.world import answered, load, load_hospital

JUDGED = [
    Judged(
        "1",
        "hoeveel paracetamol iv bij een kind van 12 kg?",
        "nl",
        document="paracetamol-kind.pdf",
        page=1,
        span="15 mg/kg",
    ),
    Judged("2", "what to do after a fall", "en", document="falls.pdf", page=1, span="Do not move the patient"),
    Judged("3", "wanneer is het restaurant open", "nl", document="restaurant.pdf", page=1, span="11.30"),
    Judged("4", "maximale dosis paracetamol per dag kind", "nl", document="paracetamol-kind.pdf", page=1),
    Judged("5", "wie belt de technische dienst", "nl"),
]


def silent(_: object) -> None:
    """Says nothing."""


def furnish(container: Container) -> None:
    load_hospital(container)
    for number in range(12):
        load(
            container,
            f"afspraak-{number}.pdf",
            f"Afspraak {number}. De patiënt komt om {8 + number} uur op route {100 + number}. ",
        )
    people = hired(container.db)
    assert people.keys
    save_answer(container.db, LOCAL_USER, answered("c1", 1), new_conversation=True)
    save_questions(container.db, LOCAL_USER, "own", [replace(JUDGED[0], more=(Place("falls.pdf", 1),))])
    (container.settings.data_dir / "synonyms.csv").write_text("term,synonym,language\npcm,paracetamol,nl\n")


def outcomes(container: Container) -> tuple[list[RetrievalOutcome], list[tuple[str, float]]]:
    """What `bedside quality evaluate` measures, and every hit with its score."""
    seen: list[tuple[str, float]] = []

    def search(judged: Judged) -> Retrieval:
        found = find(analyse(judged.question, container.expander, judged.question), LOCAL_USER, Filters(), container)
        seen.extend((hit.chunk.id, round(hit.score, 5)) for hit in found.hits)
        return found

    sources = {d.id: d.source for d in list_documents(container.db, LOCAL_USER, Query(limit=100))[0]}
    return evaluate(JUDGED, search, sources), seen


def rows(dsn: str) -> dict[str, Any]:
    """Every table that is kept, as text."""
    with psycopg.connect(dsn) as connection:
        names = [r[0] for r in connection.execute("select tablename from pg_tables where schemaname = 'public'")]
        return {
            name: sorted(str(r) for r in connection.execute(f'select * from "{name}"'))
            for name in names
            if name not in copies.LEFT_OUT
        }


def files(settings: Settings) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in (settings.data_dir / "files").iterdir() if p.is_file()}


def dsn_of(settings: Settings) -> str:
    assert settings.database_url is not None
    return settings.database_url.get_secret_value()


@pytest.fixture(scope="module")
def kept_once(postgres_server: str, migrated: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a backup of a furnished installation, small and of LanceDB."""
    folder = tmp_path_factory.mktemp("kept")
    with new_database(postgres_server, migrated) as dsn:
        settings = Settings(data_dir=folder / "data", database_url=dsn, store="lance", generator_url=NOBODY)
        settings.data_dir.mkdir()
        with Container(settings) as container:
            load_hospital(container)
            backup(container, folder / "backup", silent, silent)
    return folder / "backup"


@pytest.fixture
def kept(kept_once: Path, tmp_path: Path) -> Path:
    """Return a copy of it, to harm."""
    return shutil.copytree(kept_once, tmp_path / "backup")


@pytest.mark.parametrize(("store", "into"), [("lance", "lance"), ("weaviate", "weaviate"), ("lance", "weaviate")])
def test_a_restored_installation_ranks_as_the_one_that_was_kept(
    install: Install, tmp_path: Path, store: str, into: str
) -> None:
    first, second = install(store, ready=True), install(into)
    with Container(first) as container:
        furnish(container)
        before, hits = outcomes(container)
        assert [o.rank for o in before] == [1, 1, 1, 1, None]
        manifest = backup(container, tmp_path / "backup", silent, silent)
        assert last_backup(first.data_dir) == (datetime.fromisoformat(manifest.made_at), str(tmp_path / "backup"))
        stored = rows(dsn_of(first))

    with Container(second) as container:
        restored = restore(container, tmp_path / "backup", silent, silent)
    assert (restored.chunks, restored.migrated) == (15, ())
    with Container(second) as container:
        container.warm()
        after, hits_after = outcomes(container)
        assert get_answer(container.db, LOCAL_USER, "c1-1").text == "zes uur"
        assert len(read_set(container.db, LOCAL_USER, "own")) == 1
    assert rows(dsn_of(second)) == stored
    assert (files(second), (second.data_dir / "synonyms.csv").exists()) == (files(first), True)
    assert after == before
    if store == into:
        assert hits_after == hits
    else:  # the stores round lengths differently
        assert [key for key, _ in hits_after[:3]] == [key for key, _ in hits[:3]]


def test_numbers_that_the_database_gives_go_on_after_those_that_were_kept(install: Install, kept: Path) -> None:
    settings = install()
    with Container(settings) as container:
        restore(container, kept, silent, silent)
        load(container, "another.pdf", "Nog een. ")
        container.db.run(
            "insert into metadata_changes (document_id, source, field, before, after, user_id) values "
            "('d','s','f','a','b','u')"
        )
    with Container(settings) as container:
        backup(container, kept.parent / "second", silent, silent)
    other = install()
    with Container(other) as container:
        restore(container, kept.parent / "second", silent, silent)
        container.db.run(
            "insert into metadata_changes (document_id, source, field, before, after, user_id) values "
            "('d','s','f','a','b','u')"
        )
        found = container.db.all("select id from metadata_changes order by id")
    assert [row["id"] for row in found] == [1, 2]


def test_questions_are_answered_while_a_backup_is_made_and_documents_wait(install: Install, tmp_path: Path) -> None:
    settings = install(ready=True)
    with Container(settings) as container:
        load_hospital(container)
        asked: list[int] = []

        def ask_and_load(_: object) -> None:
            asked.append(len(outcomes(container)[1]))
            with pytest.raises(Conflict, match="being ingested"), PgDocuments(container.db, patience=0.05).lock():
                pass

        backup(container, tmp_path / "backup", silent, ask_and_load)
        with PgDocuments(container.db, patience=0.05).lock():
            pass
    assert len(asked) == 3
    assert all(asked)


def test_an_answer_that_waits_for_the_database_comes_back_once(install: Install, tmp_path: Path) -> None:
    settings, other = install(ready=True), install()

    def away() -> Database:
        raise ConfigurationError("not now")

    waiting = UnsavedAnswers(settings.data_dir / "unsaved", away)
    waiting.close()  # nothing is stored in the background
    waiting.keep(LOCAL_USER, answered("c1", 1), new_conversation=True)
    waiting.keep(LOCAL_USER, answered("c2", 1), new_conversation=True)
    with Container(settings) as container:
        # stored, and its file not yet removed
        save_answer(container.db, LOCAL_USER, answered("c1", 1), new_conversation=True)
        backup(container, tmp_path / "backup", silent, silent)
    with Container(other) as container:
        restore(container, tmp_path / "backup", silent, silent)
        container.unsaved.store()
        found = container.db.all("select id from answers order by id")
        assert container.unsaved.waiting() == []
    assert [row["id"] for row in found] == ["c1-1", "c2-1"]


def test_who_was_signed_in_is_not_kept(install: Install, tmp_path: Path) -> None:
    settings, other = install(ready=True), install()
    with Container(settings) as container:
        hired(container.db).shows("admin")
        assert container.db.all("select 1 from sessions")
        backup(container, tmp_path / "backup", silent, silent)
    with Container(other) as container:
        restore(container, tmp_path / "backup", silent, silent)
        assert container.db.all("select 1 from api_keys")
        assert not container.db.all("select 1 from sessions")


def test_the_restored_index_admits_whom_the_list_admits(install: Install, tmp_path: Path) -> None:
    """A group that was taken away while the index was behind does not come back with it."""
    settings, other = install(ready=True), install()
    with Container(settings) as container:
        document = load_hospital(container)["child"]
        permitted.permit_document(container.db, LOCAL_USER, document.id, ["icu"], EVERYONE)  # the index is not told
        assert container.store.chunks_of(document.id)[0][0].groups == EVERYONE
        backup(container, tmp_path / "backup", silent, silent)
    with Container(other) as container:
        restore(container, tmp_path / "backup", silent, silent)
        assert container.store.chunks_of(document.id)[0][0].groups == ("icu",)
        assert not container.db.all("select 1 from documents where groups <> indexed_groups")


class TestRefused:
    """Before anything is touched, and with what to do."""

    def refused(self, install: Install, folder: Path, error: type[BedsideError], words: str, **options: Any) -> None:
        settings = install()
        with Container(settings) as container, pytest.raises(error, match=words):
            restore(container, folder, silent, silent, **options)
        assert copies.is_empty(dsn_of(settings))
        assert not container.unfinished_restore.exists()

    def test_what_is_no_backup(self, install: Install, tmp_path: Path) -> None:
        self.refused(install, tmp_path, InvalidInput, "no backup, or one that was not finished")

    def test_a_half_made_one(self, install: Install, kept: Path) -> None:
        (kept / manifests.NAME).unlink()
        self.refused(install, kept, InvalidInput, "not finished")

    def test_a_backup_that_broke_off_has_no_manifest(self, install: Install, tmp_path: Path) -> None:
        settings = install(ready=True)

        def full(_: object) -> None:
            raise OSError(28, "No space left on device")

        with Container(settings) as container:
            load_hospital(container)
            with pytest.raises(InvalidInput, match="No space left"):
                backup(container, tmp_path / "backup", silent, full)
        assert (tmp_path / "backup" / "database").exists()
        self.refused(install, tmp_path / "backup", InvalidInput, "not finished")

    @pytest.mark.parametrize("path", ["database/documents.copy.gz", "index/vectors.f32", "index/chunks.jsonl.gz"])
    def test_a_damaged_file(self, install: Install, kept: Path, path: str) -> None:
        content = bytearray((kept / path).read_bytes())
        content[len(content) // 2] ^= 1
        (kept / path).write_bytes(content)
        self.refused(install, kept, InvalidInput, f"{path} is damaged")

    def test_a_file_that_is_gone(self, install: Install, kept: Path) -> None:
        next((kept / "data" / "files").iterdir()).unlink()
        self.refused(install, kept, InvalidInput, "is missing from the backup")

    def test_a_changed_manifest(self, install: Install, kept: Path) -> None:
        text = (kept / manifests.NAME).read_text()
        (kept / manifests.NAME).write_text(text.replace('"chunks": 3', '"chunks": 2'))
        self.refused(install, kept, InvalidInput, "was changed since")

    @pytest.mark.parametrize(
        ("number", "words"), [(2, "newer Bedside"), ("a", "unknown version"), (None, "unknown version")]
    )
    def test_another_version(self, install: Install, kept: Path, number: object, words: str) -> None:
        read = json.loads((kept / manifests.NAME).read_text())
        read["backup"]["format"] = number
        (kept / manifests.NAME).write_text(json.dumps(read))
        self.refused(install, kept, ConfigurationError, words)

    def test_a_schema_of_a_newer_version(self, install: Install, kept: Path) -> None:
        manifest = check(kept)
        newer = replace(manifest.database, migrations=(*manifest.database.migrations, ("9999_later", "0" * 64)))
        manifests.write_manifest(kept, replace(manifest, database=newer))
        self.refused(install, kept, ConfigurationError, "newer Bedside")

    def test_another_embedder(self, install: Install, kept: Path) -> None:
        manifest = check(kept)
        manifests.write_manifest(kept, replace(manifest, index=replace(manifest.index, embedder="other")))
        self.refused(install, kept, EmbedderMismatch, "BEDSIDE_EMBEDDER")

    def test_an_installation_that_is_not_empty_without_yes(self, install: Install, kept: Path) -> None:
        settings = install(ready=True)
        with Container(settings) as container:
            load(container, "other.pdf", "Iets anders. ")
        with Container(settings) as container:
            before = rows(dsn_of(settings))
            with pytest.raises(
                InvalidInput, match=r"it has a database with rows in it, an index of 1 passages, files in .*--yes"
            ):
                restore(container, kept, silent, silent)
            assert rows(dsn_of(settings)) == before
            restore(container, kept, silent, silent, replace=True)
            assert sorted(d.source for d in list_documents(container.db, LOCAL_USER, Query())[0]) == [
                "falls.pdf", "paracetamol-kind.pdf", "restaurant.pdf"]  # fmt: skip
            assert container.store.count() == 3

    def test_counts_of_an_empty_index_are_nothing_that_would_be_lost(self, install: Install, kept: Path) -> None:
        settings = install(ready=True)
        counted = settings.data_dir / "terms" / "Chunk" / "terms.sqlite"
        counted.parent.mkdir(parents=True, exist_ok=True)
        counted.touch()
        with Container(settings) as container:
            restore(container, kept, silent, silent)
            assert container.store.count() == 3

    def test_while_bedside_runs(self, install: Install, kept: Path) -> None:
        settings = install(ready=True)
        with Container(settings) as running, Container(settings) as container:
            running.db.ping()
            with pytest.raises(Conflict, match="stop it"):
                restore(container, kept, silent, silent)

    def test_while_a_connection_that_was_closed_is_still_listed(self, install: Install, kept: Path) -> None:
        settings = install(ready=True)
        with Container(settings) as container, psycopg.connect(dsn_of(settings), application_name="bedside") as leaving:
            leaving.execute("select")
            closing = threading.Timer(1, leaving.close)
            closing.start()
            restore(container, kept, silent, silent)
            closing.join()
            assert container.store.count() == 3

    def test_a_folder_that_holds_something(self, install: Install, kept: Path) -> None:
        settings = install(ready=True)
        with Container(settings) as container:
            with pytest.raises(InvalidInput, match="not empty"):
                backup(container, kept, silent, silent)
            with pytest.raises(InvalidInput, match="data directory"):
                backup(container, settings.data_dir / "backup", silent, silent)
            with pytest.raises(
                InvalidInput, match=f"cannot be written: Not a directory. Bedside is user {os.geteuid()} here"
            ):
                backup(container, kept / "manifest.json" / "today", silent, silent)


def test_a_restoration_that_broke_off_keeps_bedside_from_starting_and_is_gone_through_again(
    install: Install, kept: Path
) -> None:
    settings = install()

    def broken(_: object) -> None:
        raise KeyboardInterrupt

    with Container(settings) as container, pytest.raises(KeyboardInterrupt):
        restore(container, kept, silent, broken)
    with Container(settings) as container, pytest.raises(ConfigurationError, match="--yes"):
        container.warm()
    with Container(settings) as container:
        restore(container, kept, silent, silent, replace=True)
    with Container(settings) as container:
        container.warm()
        assert container.store.count() == 3


def test_a_database_that_cannot_be_filled_stays_as_it_was(install: Install, kept: Path) -> None:
    settings = install(ready=True)
    with Container(settings) as container:
        save_answer(container.db, LOCAL_USER, answered("c1", 1), new_conversation=True)
    before, copied = rows(dsn_of(settings)), check(kept).database
    wrong = replace(
        copied, tables=tuple(replace(t, rows=t.rows + 1) if t.name == "pages" else t for t in copied.tables)
    )
    with pytest.raises(InvalidInput, match="pages has 3 rows, 4 were copied"):
        copies.copy_in(dsn_of(settings), kept / "database", wrong, read_migrations())
    assert rows(dsn_of(settings)) == before


TRAIL = """
create table trail (id bigint generated always as identity primary key, said text not null, hash text not null default '');
create function chain() returns trigger language plpgsql as $$
  begin new.hash := md5(coalesce((select hash from trail order by id desc limit 1), '') || new.said); return new; end $$;
create function never() returns trigger language plpgsql as $$ begin raise exception 'append only'; end $$;
create trigger chained before insert on trail for each row execute function chain();
create trigger kept before update or delete on trail for each row execute function never();
create trigger whole before truncate on trail for each statement execute function never();
alter table trail enable always trigger kept;
insert into trail (said) values ('made');
"""


def test_a_table_that_only_grows_comes_back_as_it_was_with_its_triggers(postgres_server: str, tmp_path: Path) -> None:
    shutil.copytree(MIGRATIONS, tmp_path / "migrations")
    (tmp_path / "migrations" / "9999_trail.sql").write_text(TRAIL)
    known = read_migrations(tmp_path / "migrations")
    with new_database(postgres_server) as first, new_database(postgres_server) as second:
        migrate(first, tmp_path / "migrations")
        with psycopg.connect(first) as connection:
            connection.execute("insert into trail (said) values ('one'), ('two')")
            connection.execute("alter table trail disable trigger kept")
            connection.execute("update trail set hash = 'as it was seen' where said = 'one'")
            connection.execute("alter table trail enable always trigger kept")
        copied = copies.copy_out(first, tmp_path)
        copies.copy_in(second, tmp_path, copied, known)
        assert rows(second) == rows(first)
        with psycopg.connect(second, autocommit=True) as connection:
            with pytest.raises(psycopg.errors.RaiseException, match="append only"):
                connection.execute("delete from trail")
            with pytest.raises(psycopg.errors.RaiseException, match="append only"):
                connection.execute("truncate trail")
            modes = connection.execute(
                "select tgname, tgenabled::text from pg_trigger where tgname in ('kept', 'whole') order by 1"
            ).fetchall()
            assert modes == [("kept", "A"), ("whole", "O")]
            connection.execute("insert into trail (said) values ('three')")
            assert connection.execute("select max(id) from trail").fetchone() == (4,)


def test_a_backup_of_an_older_version_is_restored_and_brought_up_to_date(postgres_server: str, tmp_path: Path) -> None:
    known = read_migrations()
    older = [m for m in known if m.version <= 9]
    with new_database(postgres_server) as first, new_database(postgres_server) as second:
        with psycopg.connect(first, autocommit=True) as connection:
            apply(connection, older)
            connection.execute(
                "insert into conversations (id, user_id, owner_group, title) values ('c', 'local', 'everyone', 'oud')"
            )
        copied = copies.copy_out(first, tmp_path)
        assert copies.copy_in(second, tmp_path, copied, known) == [m.name for m in known if m.version > 9]
        with psycopg.connect(second) as connection:
            assert connection.execute("select id from conversations").fetchall() == [("c",)]


def test_the_commands_say_what_was_kept_and_what_to_do(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = install(ready=True)
    for name in ("data_dir", "store", "generator_url"):
        monkeypatch.setenv(f"BEDSIDE_{name.upper()}", str(getattr(settings, name)))
    monkeypatch.setenv("BEDSIDE_DATABASE_URL", dsn_of(settings))
    with Container(settings) as container:
        load_hospital(container)
    run = CliRunner().invoke
    folder = str(tmp_path / "backup")
    made = run(app, ["backup", folder, "--json"])
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["passages"] == 3
    assert run(app, ["restore", folder, "--check"]).exit_code == 0
    refused = run(app, ["restore", folder])
    assert (refused.exit_code, "--yes" in refused.stderr) == (1, True)
    again = run(app, ["restore", folder, "--yes", "--json"])
    assert (again.exit_code, json.loads(again.stdout)["documents"]) == (0, 3)
    (tmp_path / "backup" / "index" / "vectors.f32").write_bytes(b"")
    damaged = run(app, ["restore", folder, "--check"])
    assert (damaged.exit_code, "is damaged" in damaged.stderr) == (1, True)


def test_two_backups_at_once_are_made_one_after_the_other(install: Install, tmp_path: Path) -> None:
    settings = install(ready=True)
    with Container(settings) as container:
        load_hospital(container)
        threads = [
            threading.Thread(target=backup, args=(container, tmp_path / name, silent, silent)) for name in ("a", "b")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert check(tmp_path / "a").database == check(tmp_path / "b").database
