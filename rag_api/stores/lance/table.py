"""The table: its columns, and how one that an older version made gets those it lacks.

Nothing is embedded again here: chunks keep their vectors. What is done may be interrupted: it is
begun again at the next start.
"""

from __future__ import annotations

import fcntl
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rag_api.domain import Chunk
from rag_api.errors import EmbedderMismatch, StoreUnavailable
from rag_api.stores.lance import indexes
from rag_api.stores.rows import COLUMNS, FILTERABLE, STORED, complete, packed, to_chunk, to_row, unpacked
from rag_api.text import bm25_analyzer as terms

log = logging.getLogger(__name__)

BATCH = 2_000  # chunks that are written anew at once
# A column for what is filtered on or searched; all that a hit needs is in `packed`: reading ten
# rows of one column instead of sixteen.
_KEPT = [name for name, kind in COLUMNS.items() if name in FILTERABLE or kind == "terms"]
TYPES = {
    "text": pa.string(),
    "terms": pa.string(),
    "int": pa.int32(),
    "ints": pa.list_(pa.int32()),
    "texts": pa.list_(pa.string()),
}


def schema(embedder_name: str, dim: int) -> pa.Schema:
    version = {"terms": {"version": str(terms.VERSION)}}
    fields = [pa.field(name, TYPES[COLUMNS[name]], metadata=version.get(name)) for name in _KEPT]
    ends = [pa.field("packed", pa.string()), pa.field("vector", pa.list_(pa.float32(), dim))]
    return pa.schema(
        [pa.field("id", pa.string()), *fields, *ends], metadata={"embedder": embedder_name, "dim": str(dim)}
    )


def table_row(chunk: Chunk) -> dict[str, Any]:
    """Without the vector."""
    row = to_row(chunk)
    return {"id": chunk.id, **{name: row[name] for name in _KEPT}, "packed": packed(row)}


def table_of(chunks: Sequence[Chunk], vectors: NDArray[np.float32], like: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist(
        [{**table_row(c), "vector": v} for c, v in zip(chunks, vectors, strict=True)], schema=like
    )


def check(table: Any, wanted: pa.Schema, folder: Path) -> bool:
    """Bring an older version's table up to date; whether it had to be. Raises EmbedderMismatch, and
    StoreUnavailable when that cannot be done."""
    _check_embedder(table.schema, wanted, folder)
    with open(folder / "renewing.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second process waits for the first one's work, and then finds it done
        return _bring_up_to_date(table, wanted, folder)


def _bring_up_to_date(table: Any, wanted: pa.Schema, folder: Path) -> bool:
    present = table.schema
    for name in set(wanted.names) & set(present.names):
        if present.field(name).type != wanted.field(name).type:
            raise StoreUnavailable(
                f"the column {name!r} of the index in {folder} is {present.field(name).type}, this version of Bedside "
                f"needs "
                f"{wanted.field(name).type}: remove {folder} and run `bedside ingest` again"
            )
    missing = [name for name in wanted.names if name not in present.names]
    if unmakeable := {"id", "vector"} & set(missing):
        raise StoreUnavailable(
            f"the index in {folder} has no column {sorted(unmakeable)}: remove {folder} and run `bedside ingest` again"
        )
    known = (present.field("terms").metadata or {}).get(b"version", b"1") if "terms" in present.names else None
    analysed_otherwise = known is None or known.decode() != str(terms.VERSION)  # it was not recorded before version 2
    unwritten = "packed" in present.names and table.count_rows("packed IS NULL") > 0  # interrupted
    if missing or analysed_otherwise or unwritten:
        why = ", ".join(missing) or (
            "their words are analysed otherwise" if analysed_otherwise else "the last time was interrupted"
        )
        log.warning("%d chunks in %s are written anew: %s", table.count_rows(), folder, why)
        renew(table, wanted, missing)
        return True
    return False


def chunks_in(rows: Sequence[dict[str, Any]]) -> Iterator[Chunk]:
    for row in rows:
        yield to_chunk(row["id"], unpacked(row["packed"]) if row.get("packed") is not None else complete(row))


def renew(table: Any, wanted: pa.Schema, missing: Sequence[str]) -> None:
    """Every chunk's columns as they would be made now; what is no longer used goes when all of that
    is there."""
    if missing:
        table.add_columns(pa.schema([wanted.field(name).remove_metadata() for name in missing]))
    written = pa.schema([field for field in wanted if field.name != "vector"])
    columns = ["id", *(name for name in ("packed", *STORED) if name in table.schema.names)]
    for batch in table.search().select(columns).to_batches(batch_size=BATCH):
        rows = pa.Table.from_pylist([table_row(chunk) for chunk in chunks_in(batch.to_pylist())], schema=written)
        table.merge_insert("id").when_matched_update_all().execute(rows)
    if surplus := [name for name in table.schema.names if name not in wanted.names]:
        table.drop_columns(surplus)
    table.update_field_metadata({"path": "terms", "metadata": {"version": str(terms.VERSION)}})
    indexes.bring_up_to_date(table)


def _check_embedder(present: pa.Schema, wanted: pa.Schema, folder: Path) -> None:
    recorded, configured = _recorded(present), _recorded(wanted)
    if any(recorded.get(key) != configured[key] for key in ("embedder", "dim")):
        raise EmbedderMismatch(
            f"the index in {folder} was made by the embedder {recorded.get('embedder', 'unknown')!r}, the configured "
            f"one is "
            f"{configured['embedder']!r}. Set BEDSIDE_EMBEDDER back, or remove {folder} and run `bedside ingest` "
            f"again: it indexes "
            "what is missing."
        )


def _recorded(present: pa.Schema) -> dict[str, str]:
    return {key.decode(): value.decode() for key, value in (present.metadata or {}).items()}
