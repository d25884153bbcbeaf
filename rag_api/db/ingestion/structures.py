"""The blocks of indexed documents. One that has none was indexed by an earlier release: its
characters alone tell then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag_api.db import Connection, Database
from rag_api.domain import Block
from rag_api.text.blocks import packed


def put_structures(connection: Connection, structures: Mapping[str, Sequence[Block]]) -> None:
    """By document, in place of those that it had; vectors kept of sentences by them are looked at
    again."""
    ids = {"ids": list(structures)}
    connection.execute("delete from structures where document_id = any(%(ids)s)", ids)
    with connection.cursor() as cursor:
        cursor.executemany(
            "insert into structures (document_id, blocks) values (%s, %s)",
            [(document_id, packed(blocks)) for document_id, blocks in structures.items() if blocks],
        )
    connection.execute("update sentences_kept set made_by = '' where document_id = any(%(ids)s)", ids)


def read_packed(db: Database, document_ids: Sequence[str]) -> dict[str, str]:
    """By document, as `rag_api.text.blocks.unpacked` reads them. Not checked for access: for
    callers that hold the documents."""
    rows = db.all(
        "select document_id, blocks::text as blocks from structures where document_id = any(%(ids)s)",
        {"ids": list(document_ids)},
    )
    return {row["document_id"]: row["blocks"] for row in rows}
