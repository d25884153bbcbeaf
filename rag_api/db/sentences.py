"""Vectors of sentences, kept by document. What a key or a vector means is not known here
(rag_api/embed/vector_cache.py)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from rag_api.db import Database, translated
from rag_api.db.documents import INGEST_LOCK

LOCK = 0x6265_6473_6964_67  # one process makes them, over all
ROW_BYTES = 280  # on disk beside the vector, measured: both keys, header, their share of the index


@dataclass(frozen=True, slots=True)
class Outstanding:
    """A document whose sentences have no vectors yet, or not those that its title and the embedder
    now want."""

    document_id: str
    title: str


@dataclass(frozen=True, slots=True)
class Counts:
    documents: int  # with all their sentences
    of: int
    sentences: int


@contextmanager
def only_one(db: Database) -> Iterator[bool]:
    """False: another process is at it. The lock lives and dies with a connection of its own, also
    when this process is killed."""
    with translated():
        connection = psycopg.connect(db.dsn, autocommit=True, application_name="bedside sentences")
    try:
        with translated():
            row = connection.execute("select pg_try_advisory_lock(%s)", [LOCK]).fetchone()
        yield bool(row and row[0])
        with translated():
            connection.execute("select pg_advisory_unlock_all()")  # at once; closing lets go of it a moment later
    finally:
        connection.close()


def ingesting(db: Database) -> bool:
    """Somebody takes documents in, in whatever process."""
    row = db.one(
        """select exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())
        and classid::bigint = %(high)s and objid::bigint = %(low)s) as locked""",
        {"high": INGEST_LOCK >> 32, "low": INGEST_LOCK & 0xFFFF_FFFF},
    )
    return bool(row and row["locked"])


def outstanding(db: Database, made_by: str) -> list[Outstanding]:
    """The newest documents first: they are what is asked about."""
    rows = db.all(
        """select d.id, d.title from documents d
        left join sentences_kept k on k.document_id = d.id and k.made_by = %(made_by)s and k.title = d.title
        where d.status = 'indexed' and k.document_id is null order by d.created_at desc, d.id""",
        {"made_by": made_by},
    )
    return [Outstanding(row["id"], row["title"]) for row in rows]


def counts(db: Database, made_by: str) -> Counts:
    row = db.one(
        """select count(k.document_id) as documents, count(*) as of, coalesce(sum(k.sentences), 0) as sentences from documents d
        left join sentences_kept k on k.document_id = d.id and k.made_by = %(made_by)s and k.title = d.title
        where d.status = 'indexed'""",
        {"made_by": made_by},
    )
    assert row is not None
    return Counts(int(row["documents"]), int(row["of"]), int(row["sentences"]))


def vectors_of(db: Database, document_ids: Sequence[str], keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """Those that are there. Not checked for access: for callers that hold the sentences
    themselves."""
    rows = db.all(
        "select key, vector from sentence_vectors where document_id = any(%(ids)s) and key = any(%(keys)s)",
        {"ids": list(document_ids), "keys": list(keys)},
    )
    return {bytes(row["key"]): bytes(row["vector"]) for row in rows}


def begin(db: Database, document: Outstanding, keys: Sequence[bytes]) -> set[bytes]:
    """What earlier versions of this document have already becomes its own; all keys that it then
    has."""
    values = {"id": document.document_id, "title": document.title, "n": len(keys), "keys": list(keys)}
    db.run(
        """insert into sentences_kept (document_id, made_by, title, sentences) values (%(id)s, '', %(title)s, %(n)s)
        on conflict (document_id) do update set made_by = excluded.made_by, title = excluded.title, sentences = excluded.sentences""",
        values,
    )
    db.run(
        """insert into sentence_vectors (document_id, key, vector)
        select distinct on (v.key) %(id)s, v.key, v.vector from documents mine
        join documents other on other.source = mine.source and other.id <> mine.id
        join sentence_vectors v on v.document_id = other.id and v.key = any(%(keys)s)
        where mine.id = %(id)s on conflict do nothing""",
        values,
    )
    rows = db.all("select key from sentence_vectors where document_id = %(id)s and key = any(%(keys)s)", values)
    return {bytes(row["key"]) for row in rows}


def put(db: Database, document_id: str, vectors: Mapping[bytes, bytes]) -> None:
    with db.connection() as connection, connection.cursor() as cursor:
        cursor.executemany(
            "insert into sentence_vectors (document_id, key, vector) values (%s, %s, %s) on conflict do nothing",
            [(document_id, key, vector) for key, vector in vectors.items()],
        )


def complete(db: Database, document: Outstanding, made_by: str, keys: Sequence[bytes]) -> None:
    """All its sentences are kept; what it held beside these, of another title or embedder, goes."""
    values = {
        "id": document.document_id,
        "made_by": made_by,
        "title": document.title,
        "n": len(keys),
        "keys": list(keys),
    }
    with db.connection() as connection:
        connection.execute(
            "delete from sentence_vectors where document_id = %(id)s and not (key = any(%(keys)s))", values
        )
        connection.execute(
            "update sentences_kept set made_by = %(made_by)s where document_id = %(id)s and title = %(title)s and "
            "sentences = %(n)s",
            values,
        )


def sweep(db: Database) -> int:
    """Take out what belongs to no indexed document; how many vectors."""
    return db.run(
        """with gone as (
          delete from sentences_kept k where not exists (select from documents d where d.id = k.document_id and d.status = 'indexed')
          returning document_id)
        delete from sentence_vectors where document_id in (select document_id from gone)"""
    )


def held_by_others(db: Database, document_id: str) -> int:
    """Vectors on the disk, also of documents that no longer count, and of what was begun as if it
    were whole."""
    row = db.one(
        "select coalesce(sum(sentences), 0) as n from sentences_kept where document_id <> %(id)s", {"id": document_id}
    )
    assert row is not None
    return int(row["n"])
