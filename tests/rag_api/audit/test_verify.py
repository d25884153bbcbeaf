"""The trail in the database: only added to, one chain whoever writes, and whatever is done to it
behind its back is found."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from dataclasses import replace

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_api.audit.entry import Entry, Event, Result, canonical, chained, entry_of
from rag_api.audit.erasing import erase_old, forget_conversation, forget_person, forget_questions, ranges_of
from rag_api.audit.export import fields_of
from rag_api.audit.verify import Verified, anchor_of, verify
from rag_api.db import Database, audit
from rag_api.db.audit import Head, Stored, TrailQuery, Writer, append, count, head, people_called, read, stream
from rag_api.errors import DatabaseUnavailable, InvalidInput

WHO = {"user": "u1", "name": "Anna", "client": "10.0.0.7"}
ERASER = Event("audit.erased", Result.SUCCESS, {"user": "local"}, origin="cli")


def asked(question: str = "Hoeveel paracetamol?", user: str = "u1", conversation: str = "c1", **more: object) -> Event:
    on = {"answer": "a1", "conversation": conversation}
    return replace(Event("question.asked", Result.BEGUN, {**WHO, "user": user}, on=on, question=question), **more)  # type: ignore[arg-type]


def write(db: Database, event: Event) -> int:
    return put(db, entry_of(event, with_text=True))


def put(db: Database, entry: Entry) -> int:
    with db.connection() as connection:
        return append(connection, entry.text, [(one.part, one.salt, one.body) for one in entry.sealed])


@pytest.fixture
def trail(db: Database) -> Iterator[Database]:
    """An empty one."""
    emptied(db)
    yield db
    emptied(db)


def behind_its_back(db: Database, *statements: str) -> None:
    """As a superuser who switches the guards off."""
    with psycopg.connect(db.dsn) as connection:
        connection.execute("set session_replication_role = replica")
        for statement in statements:
            connection.execute(statement)


def emptied(db: Database) -> None:
    behind_its_back(db, "delete from audit_sealed", "delete from audit_entries")


def all_of(db: Database) -> list[Stored]:
    return list(stream(db, TrailQuery()))


@pytest.mark.parametrize("table", ["audit_entries", "audit_sealed"])
@pytest.mark.parametrize("what", ["update {} set sequence = 9", "delete from {}", "truncate {} cascade"])
def test_the_database_refuses_to_change_or_take_out_an_entry(trail: Database, table: str, what: str) -> None:
    write(trail, asked())
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="only ever added to"):
        trail.run(what.format(table))
    assert verify(trail).bad is None


def test_the_database_hashes_as_the_verification_does(trail: Database) -> None:
    for question in ("Één vraag – ≥ 3 µg", "tweede", 'with "quotes" and \\'):
        write(trail, asked(question))
    previous = bytes(32)
    for number, one in enumerate(all_of(trail), 1):
        assert (one.sequence, one.previous, one.hash) == (number, previous, chained(previous, number, one.text))
        previous = one.hash
    assert verify(trail) == Verified(3, Head(3, previous), 0)


def test_an_entry_is_added_once_however_often_it_is_sent(trail: Database) -> None:
    entry = entry_of(asked(), with_text=True)
    assert [put(trail, entry) for _ in range(3)] == [1, 1, 1]
    assert verify(trail).entries == 1


def test_what_postgresql_cannot_hold_stops_no_entry(trail: Database) -> None:
    write(trail, asked("nul \x00 and half a pair \ud800", on={"range": "\x00\udfff"}))
    assert verify(trail).bad is None


def test_no_person_and_no_question_stands_in_the_chain_itself(trail: Database) -> None:
    write(trail, asked("Mevrouw Jansen valt", about={"account": "u2"}))
    text = all_of(trail)[0].text
    assert not any(word in text for word in ("Jansen", "Anna", "10.0.0.7", "u1", "u2"))
    assert fields_of(all_of(trail)[0])["who"] == WHO


def test_without_text_a_question_leaves_its_hash(trail: Database) -> None:
    put(trail, entry_of(asked("Mevrouw Jansen"), with_text=False))
    question = fields_of(all_of(trail)[0])["question"]
    assert set(question) == {"sha256"}


ENTRIES, SEALED = "update audit_entries set", "update audit_sealed set"
TAMPERING: dict[str, Callable[[int, int], list[str]]] = {
    "alter": lambda n, _: [f"{ENTRIES} entry = replace(entry::text, '\"status\":', '\"status\":1')::json where sequence = {n}"],
    "space": lambda n, _: [f"{ENTRIES} entry = (entry::text || ' ')::json where sequence = {n}"],
    "hash": lambda n, _: [f"{ENTRIES} hash = sha256('other') where sequence = {n}"],
    "previous": lambda n, _: [f"{ENTRIES} previous = sha256('other') where sequence = {n}"],
    "number": lambda n, _: [f"{ENTRIES} sequence = 10000 where sequence = {n}"],
    "delete": lambda n, _: [f"delete from audit_sealed where sequence = {n}", f"delete from audit_entries where sequence = {n}"],
    "delete and close up": lambda n, _: [
        f"delete from audit_sealed where sequence = {n}", f"delete from audit_entries where sequence = {n}",
        f"{SEALED} sequence = -sequence where sequence > {n}", SEALED + " sequence = -sequence - 1 where sequence < 0",
        f"{ENTRIES} sequence = -sequence where sequence > {n}", ENTRIES + " sequence = -sequence - 1 where sequence < 0",
    ],
    "swap": lambda n, m: [
        f"{ENTRIES} sequence = -{n} where sequence = {n}", f"{ENTRIES} sequence = {n} where sequence = {m}",
        f"{ENTRIES} sequence = {m} where sequence = -{n}",
    ],
    "swap what they say": lambda n, m: [
        f"create temp table said as select sequence, entry from audit_entries where sequence in ({n}, {m})",
        f"{ENTRIES} entry = '{{}}' where sequence = {n}",  # no two have one id
        f"{ENTRIES} entry = (select entry from said where sequence = {n}) where sequence = {m}",
        f"{ENTRIES} entry = (select entry from said where sequence = {m}) where sequence = {n}",
        "drop table said",
    ],
    "insert": lambda n, _: [
        f"{ENTRIES} sequence = -sequence - 1 where sequence > {n}", ENTRIES + " sequence = -sequence where sequence < 0",
        f"insert into audit_entries select {n} + 1, replace(entry::text, '\"id\":\"', '\"id\":\"x')::json, hash, sha256('new')"
        f" from audit_entries where sequence = {n}",
    ],
    "who": lambda n, _: [f"{SEALED} body = '{{\"user\":\"somebody else\"}}' where part = 'who' and sequence = {n}"],
    "question": lambda n, _: [f"{SEALED} body = '{{\"text\":\"another\"}}' where part = 'question' and sequence = {n}"],
    "salt": lambda n, _: [f"{SEALED} salt = 'x' where sequence = {n}"],
    "lose": lambda n, _: [f"delete from audit_sealed where part = 'who' and sequence = {n}"],
    "add": lambda n, _: [f"insert into audit_sealed values ({n}, 'about', 'salt', '{{\"account\":\"u9\"}}')"],
    "exchange persons": lambda n, m: [
        f"update audit_sealed a set salt = b.salt, body = b.body from audit_sealed b where a.part = 'who' and b.part = 'who'"
        f" and (a.sequence, b.sequence) in (({n}, {m}), ({m}, {n}))"
    ],
}  # fmt: skip


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_is_done_to_an_entry_is_found(trail: Database, data: st.DataObject) -> None:
    """Random trails, random tampering, at random places; nothing is found before it is done."""
    emptied(trail)
    questions = data.draw(st.lists(st.text(max_size=20), min_size=3, max_size=12), "questions")
    for number, question in enumerate(questions):
        write(trail, asked(question + "?", user=f"u{number % 3}"))
    if data.draw(st.booleans(), "some erased"):
        forget_questions(trail, "u0", ERASER)
    assert verify(trail).bad is None
    how = data.draw(st.sampled_from(sorted(TAMPERING)), "how")
    place = st.integers(1, len(questions) - 1)  # not the very last: cutting that off is found by an anchor alone
    n, m = data.draw(st.lists(place, min_size=2, max_size=2, unique=True), "where")
    before = [(one.sequence, one.text, one.hash, one.previous, one.sealed) for one in all_of(trail)]
    behind_its_back(trail, *TAMPERING[how](n, m))
    changed = [(one.sequence, one.text, one.hash, one.previous, one.sealed) for one in all_of(trail)] != before
    assert changed or how == "question", "this example tampers with nothing"
    assert (verify(trail).bad is not None) == changed


def test_the_first_bad_entry_is_named_with_why(trail: Database) -> None:
    for number in range(6):
        write(trail, asked(f"vraag {number}"))
    behind_its_back(trail, *TAMPERING["alter"](5, 0), *TAMPERING["who"](4, 0))
    bad = verify(trail).bad
    assert bad is not None
    assert (bad.sequence, bad.why) == (4, "who")


def test_a_tail_that_is_cut_off_is_found_by_an_anchor(trail: Database) -> None:
    for number in range(5):
        write(trail, asked(f"vraag {number}"))
    anchor = head(trail)
    assert anchor is not None
    assert verify(trail, [anchor]).anchors == 1
    behind_its_back(
        trail, "delete from audit_sealed where sequence > 3", "delete from audit_entries where sequence > 3"
    )
    assert verify(trail).bad is None
    bad = verify(trail, [anchor]).bad
    assert bad is not None
    assert (bad.sequence, bad.why) == (4, "cut_off")


def test_a_chain_that_was_made_anew_is_found_by_an_anchor(trail: Database) -> None:
    """By somebody who alters an entry and then makes every hash fit: without an anchor nobody would
    see it."""
    for number in range(5):
        write(trail, asked(f"vraag {number}"))
    anchor = head(trail)
    assert anchor is not None
    texts = [one.text.replace('"status":0', '"status":200') if one.sequence == 2 else one.text for one in all_of(trail)]
    previous, statements = bytes(32), []
    for number, text in enumerate(texts, 1):
        found = chained(previous, number, text)
        said = text.replace("'", "''")
        statements.append(
            f"update audit_entries set entry = '{said}'::json, previous = '\\x{previous.hex()}', hash = "
            f"'\\x{found.hex()}'"
            f" where sequence = {number}"
        )
        previous = found
    behind_its_back(trail, *statements)
    assert verify(trail).bad is None
    bad = verify(trail, [anchor]).bad
    assert bad is not None
    assert (bad.sequence, bad.why) == (5, "anchor")


def test_what_is_no_anchor_is_refused() -> None:
    assert anchor_of(f" 7:{'ab' * 32}\n") == Head(7, b"\xab" * 32)
    with pytest.raises(InvalidInput, match="NUMBER:HASH"):
        anchor_of("7")


def _write_some(dsn: str, user: str, count: int) -> None:
    db = Database(dsn, max_size=1)
    for number in range(count):
        write(db, asked(f"{user} {number}", user=user))
    db.close()


def test_processes_that_write_at_once_keep_one_chain(trail: Database) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_some, args=(trail.dsn, f"u{number}", 40)) for number in range(2)]
    for writer in writers:
        writer.start()
    _write_some(trail.dsn, "u9", 40)
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert verify(trail).bad is None
    said = [fields_of(one)["question"]["text"] for one in all_of(trail)]
    assert len(said) == len(set(said)) == 120
    for user in ("u0", "u1", "u9"):
        assert [text for text in said if text.startswith(user)] == [f"{user} {number}" for number in range(40)]


def test_a_persons_questions_are_erased_and_the_chain_holds(trail: Database) -> None:
    for number in range(6):
        write(trail, asked(f"vraag {number}", user=f"u{number % 2}"))
    assert forget_questions(trail, "u1", ERASER) == 3
    assert verify(trail).bad is None
    assert forget_questions(trail, "u1", ERASER) == 0
    found = [fields_of(one) for one in all_of(trail)]
    assert [one.get("question", {}).get("text") for one in found[:6]] == [
        "vraag 0",
        None,
        "vraag 2",
        None,
        "vraag 4",
        None,
    ]
    assert found[1]["erased"] == ["question"]
    assert found[1]["who"]["user"] == "u1"
    assert found[6]["on"] == {"part": "question", "entries": [[2, 2], [4, 4], [6, 6]]}
    assert not trail.all("select from audit_sealed where body::text like '%%vraag 1%%'")


def test_who_it_was_is_erased_when_asked_for(trail: Database) -> None:
    write(trail, asked(user="u1"))
    write(trail, Event("account.changed", Result.SUCCESS, {"user": "u2"}, about={"account": "u1"}))
    assert forget_person(trail, "u1", ERASER) == 2
    assert verify(trail).bad is None
    assert not trail.all("select from audit_sealed where body ->> 'user' = 'u1' or body ->> 'account' = 'u1'")


def test_a_deleted_conversations_questions_are_erased(trail: Database) -> None:
    write(trail, asked("een", conversation="c1"))
    write(trail, asked("twee", conversation="c2"))
    assert forget_conversation(trail, "c1", ERASER) == 1
    assert [fields_of(one).get("question", {}).get("text") for one in all_of(trail)[:2]] == [None, "twee"]
    assert verify(trail).bad is None


def test_what_is_old_is_erased_and_the_rest_is_not(trail: Database) -> None:
    from datetime import UTC, datetime, timedelta

    now = datetime.now(UTC)
    for days in (3000, 400, 1):
        write(trail, asked(f"{days}", at=now - timedelta(days=days)))
    assert erase_old(trail, days=2000, question_days=30, said=ERASER) == 3
    assert verify(trail).bad is None
    assert [fields_of(one)["erased"] for one in all_of(trail)[:3]] == [["who", "question"], ["question"], []]
    assert erase_old(trail, days=0, question_days=0, said=ERASER) == 0


def test_an_erasure_covers_only_what_came_before_it(trail: Database) -> None:
    """Otherwise whoever erases once could take out what is written later."""
    write(trail, replace(ERASER, on={"part": "question", "entries": [[1, 99]]}))
    write(trail, asked())
    behind_its_back(trail, "delete from audit_sealed where part = 'question'")
    bad = verify(trail).bad
    assert bad is not None
    assert (bad.sequence, bad.why) == (2, "erased")


def test_entries_are_read_by_page_and_filter(trail: Database) -> None:
    for number in range(7):
        write(
            trail,
            asked(f"{number}", user=f"u{number % 2}", request=f"r{number}", on={"documents": [{"id": f"d{number}"}]}),
        )
    write(trail, Event("document.opened", Result.REFUSED, WHO, on={"document": "d3"}))

    def numbers(**query: object) -> list[int]:
        return [one.sequence for one in read(trail, TrailQuery(**query))]  # type: ignore[arg-type]

    assert numbers(limit=3) == [8, 7, 6]
    assert numbers(limit=3, before=6) == [5, 4, 3]
    assert numbers(after=5) == [6, 7, 8]
    assert numbers(users=("u1", "nobody")) == [8, 6, 4, 2]
    assert numbers(actions=("document.",)) == [8]
    assert numbers(actions=("document.", "question.asked"), limit=2) == [8, 7]
    assert numbers(actions=("question",), limit=2) == [7, 6]
    assert numbers(result="refused") == [8]
    assert numbers(documents=("d3",)) == [8, 4]
    assert numbers(request="r2") == [3]
    assert numbers(since="2999") == []


def test_what_fits_is_counted_by_entry_and_by_act_and_not_beyond_a_bound(
    trail: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        write(trail, asked(f"{number}", request=f"r{number}"))
    write(trail, replace(asked("0", request="r0"), result=Result.SUCCESS))
    assert count(trail, TrailQuery()) == (5, 4)
    assert count(trail, TrailQuery(request="r9")) == (0, 0)
    monkeypatch.setattr(audit, "COUNTED", 4)
    assert count(trail, TrailQuery()) is None
    assert count(trail, TrailQuery(request="r0")) == (2, 1)


def test_who_has_no_account_is_found_by_what_entries_call_them(trail: Database) -> None:
    write(trail, Event("account.made", Result.SUCCESS, {"user": "local", "name": "root"}, origin="cli"))
    write(trail, asked(user="u2"))
    assert people_called(trail, "Root") == ("Root", "local")
    assert set(people_called(trail, "ann")) == {"ann", "u2"}
    assert people_called(trail, "nobody of these") == ("nobody of these",)


def test_what_is_taken_out_ends_where_it_is_said_to_end(trail: Database) -> None:
    for number in range(4):
        write(trail, asked(f"{number}"))
    assert [one.sequence for one in stream(trail, TrailQuery(after=1, before=4))] == [2, 3]


def test_ranges_are_what_follows_each_other() -> None:
    assert ranges_of([5, 3, 4, 9]) == [(3, 5), (9, 9)]
    assert ranges_of([]) == []


def test_canonical_text_does_not_depend_on_the_order_of_fields() -> None:
    assert canonical({"b": [1, {"d": "é", "c": None}], "a": True}) == '{"a":true,"b":[1,{"c":null,"d":"é"}]}'


def test_a_writer_goes_on_when_the_server_dropped_its_connection(trail: Database) -> None:
    writer = Writer(trail, 2.0)
    entries = [entry_of(asked(str(number)), with_text=True) for number in range(2)]
    for number, entry in enumerate(entries, 1):
        assert writer.append(entry.text, [(one.part, one.salt, one.body) for one in entry.sealed]) == number
        trail.run("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'bedside audit'")
    writer.close()
    assert verify(trail).entries == 2


def test_a_writer_that_must_wait_too_long_says_so_in_time(trail: Database) -> None:
    writer, entry = Writer(trail, 0.3), entry_of(asked(), with_text=True)
    with psycopg.connect(trail.dsn) as other:
        other.execute("select pg_advisory_xact_lock(7089336938131513960)")  # somebody else writes and does not end
        with pytest.raises(DatabaseUnavailable, match="no answer"):
            writer.append(entry.text, [])
    assert writer.append(entry.text, []) == 1
    writer.close()
