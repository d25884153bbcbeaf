"""Rows that travel between the pools: tables of one column, each value one thing of ours. Who
unpacks them is this installation's own code on the same cluster; what a file says went through a
reader process and is text by then."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rag_api.domain import Edit
from rag_api.ingest.sources.report import Outcome
from rag_api.ingest.sources.run import Item, ReadItem

COLUMN = "packed"


@dataclass(frozen=True, slots=True)
class Ticket:
    """A file to read, with what the run knows that concerns it."""

    item: Item
    edits: Mapping[str, Edit]
    placed: str | None  # the folder that it was last ingested from
    taken: str | None  # the document that had its name


@dataclass(frozen=True, slots=True)
class Embedded:
    read: ReadItem
    vectors: NDArray[np.float32]  # [chunks, dim]


@dataclass(frozen=True, slots=True)
class DocumentDone:
    outcome: Outcome
    pages: int
    chunks: int


def packed(values: Iterable[Any]) -> pa.Table:
    return pa.table({COLUMN: pa.array([pickle.dumps(value, protocol=5) for value in values], pa.large_binary())})


def unpacked(table: pa.Table) -> list[Any]:
    return [pickle.loads(value.as_buffer()) for value in table[COLUMN]]  # noqa: S301 - of our own making, see above
