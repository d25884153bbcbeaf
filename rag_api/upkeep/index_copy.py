"""The search index as two files: chunks, a JSON line each, and their vectors. Either store writes
and reads them, so that nothing is embedded anew and a backup made from one store can be restored
into the other."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from rag_api.domain import Chunk
from rag_api.errors import InvalidInput
from rag_api.stores import Store
from rag_api.stores.rows import complete, stored_row, to_chunk

CHUNKS, VECTORS = "chunks.jsonl.gz", "vectors.f32"
VECTOR = np.dtype("<f4")
Tell = Callable[[int], object]


def copy_out(store: Store, folder: Path, tell: Tell) -> tuple[int, int]:
    """Return the numbers of documents and chunks. tell: how many documents are done."""
    total, ids = 0, sorted(store.document_ids())
    with (
        gzip.open(folder / CHUNKS, "wt", encoding="utf-8", compresslevel=1) as lines,
        (folder / VECTORS).open("wb") as numbers,
    ):
        for done, document_id in enumerate(ids, 1):
            chunks, vectors = store.chunks_of(document_id)
            for chunk in chunks:
                lines.write(json.dumps({"id": chunk.id, **stored_row(chunk)}, ensure_ascii=False) + "\n")
            numbers.write(vectors.astype(VECTOR).tobytes())
            total += len(chunks)
            tell(done)
    return len(ids), total


def copy_in(store: Store, folder: Path, dim: int, groups: Mapping[str, tuple[str, ...]], tell: Tell) -> int:
    """Make the index what was copied; how many chunks. groups: who may read each document, as the
    restored list says: the list decides."""
    gone = store.document_ids()
    total = done = 0
    with (folder / VECTORS).open("rb") as numbers:
        for document_id, rows in groupby(_rows(folder / CHUNKS), key=lambda row: str(row["document_id"])):
            chunks = [_chunk(row, groups) for row in rows]
            vectors = np.frombuffer(numbers.read(len(chunks) * dim * VECTOR.itemsize), VECTOR)
            if vectors.size != len(chunks) * dim:
                raise InvalidInput("The backup has fewer vectors than chunks: restore another backup.")
            store.replace_document(document_id, chunks, vectors.reshape(len(chunks), dim).astype(np.float32))
            gone.discard(document_id)
            total, done = total + len(chunks), done + 1
            tell(done)
    store.delete_documents(sorted(gone))
    store.tidy()
    return total


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _chunk(row: dict[str, Any], groups: Mapping[str, tuple[str, ...]]) -> Chunk:
    chunk = to_chunk(row["id"], complete({name: value for name, value in row.items() if name != "id"}))
    return replace(chunk, groups=groups.get(chunk.document_id, chunk.groups))
