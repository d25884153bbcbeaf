"""Digests of what is read of each file, in the order in which they are named: run by the tests as a
process of its own."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from rag_api.errors import UnreadableDocument
from rag_api.ingest.readers.read import media_type, read
from rag_api.ingest.sandbox.answers import encoded


def digest(path: Path) -> str:
    """Of all that is read of a file: text, boxes, notes, what is in doubt."""
    try:
        said, boxes = encoded(read(path, path.name, media_type(path, path.name), 1000))
    except UnreadableDocument as error:
        return error.reason
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode() + boxes).hexdigest()


if __name__ == "__main__":
    for name in sys.stdin.read().splitlines():
        print(digest(Path(name)))
