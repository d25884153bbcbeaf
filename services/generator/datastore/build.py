"""Datastores made from texts, offline: their tokens one behind the other, and the places sorted by
a library's suffix sorting."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Seq

import numpy as np
from numpy.typing import NDArray

from services.generator.datastore.store import BETWEEN, BadDatastore, Datastore, DatastoreManifest


def build(texts: Iterable[Seq[int]], tokenizer: str) -> Datastore:
    """Make a datastore of token texts; empty ones are left out. Raises BadDatastore when there is
    nothing in it."""
    parts = [np.array([*text, BETWEEN], np.int32) for text in texts if len(text)]
    if not parts:
        raise BadDatastore("no text to build a datastore from")
    tokens = np.concatenate(parts)
    return Datastore(DatastoreManifest(tokenizer, len(parts), len(tokens)), tokens, sorted_places(tokens))


def sorted_places(tokens: NDArray[np.int32]) -> NDArray[np.int32]:
    """Sort the places by what ends there, read backwards: the suffix array of the reversed text."""
    from pydivsufsort import divsufsort

    backwards = np.ascontiguousarray(tokens[::-1] - BETWEEN).astype(np.uint32)  # from 0 on
    return (len(tokens) - 1 - np.asarray(divsufsort(backwards), np.int64)).astype(np.int32)
