"""A datastore: token texts that answers may be drafted from, searched by exact suffix (REST,
section 3). Read from memory-mapped files.

Whatever stands in it can be drafted for everyone's answers, and a draft that is right makes an
answer quicker: it must hold only what all who ask may read. It belongs to the tokenizer that it was
built with; for another it is refused.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from services.generator.errors import ModelError

FORMAT = 1
MANIFEST, TOKENS, ORDER = "datastore.json", "tokens.npy", "order.npy"
BETWEEN = -1  # stands between two texts: no match and no draft goes over it


class BadDatastore(ModelError):
    """A datastore that cannot be used; the message names the folder and the reason."""


@dataclass(frozen=True, slots=True)
class DatastoreManifest:
    tokenizer: str  # fingerprint of the vocabulary
    texts: int
    tokens: int  # those between texts included
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Datastore:
    """`order`: places in `tokens`, sorted by the tokens that end there, read backwards; so those of
    one suffix stand side by side."""

    manifest: DatastoreManifest
    tokens: NDArray[np.int32]
    order: NDArray[np.int32]


def fingerprint(vocabulary: dict[str, int]) -> str:
    """Hash a tokenizer's vocabulary."""
    listed = sorted(vocabulary.items(), key=lambda entry: (entry[1], entry[0]))
    return hashlib.sha256(json.dumps(listed, ensure_ascii=True).encode()).hexdigest()[:32]


def write(folder: Path, store: Datastore) -> None:
    """Write the arrays, then the manifest: a folder without one is none."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    np.save(folder / TOKENS, store.tokens)
    np.save(folder / ORDER, store.order)
    (folder / MANIFEST).write_text(json.dumps(asdict(store.manifest), indent=1) + "\n", encoding="utf-8")


def read(folder: Path, tokenizer: str) -> Datastore:
    """Map a datastore into memory. Raises BadDatastore on one that is not whole, or was built for
    another `tokenizer`."""
    try:
        said: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        manifest = DatastoreManifest(**said)
        tokens, order = (np.load(folder / name, mmap_mode="r", allow_pickle=False) for name in (TOKENS, ORDER))
    except (OSError, ValueError, TypeError) as error:
        raise BadDatastore(f"{folder}: no datastore that can be read ({error})") from error
    if manifest.format != FORMAT:
        raise BadDatastore(f"{folder}: of format {manifest.format}; this version reads {FORMAT}: build it again")
    if manifest.tokenizer != tokenizer:
        raise BadDatastore(f"{folder}: built for a model with another vocabulary: build it again with this one")
    if not (tokens.dtype == order.dtype == np.int32 and tokens.shape == order.shape == (manifest.tokens,)):
        raise BadDatastore(f"{folder}: its files do not belong together")
    return Datastore(manifest, tokens, order)
