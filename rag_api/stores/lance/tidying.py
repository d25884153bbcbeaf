"""One round of compaction and indexing, here or in a process of its own.

What Lance takes for it grows with the index (a gigabyte at 50,000 chunks), and what it gives back
stays with the process as free memory in pieces. A process that ends gives back all of it, so that
ingestion and the service stay as small as they were.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import lancedb

from rag_api.errors import StoreUnavailable
from rag_api.stores.lance.indexes import bring_up_to_date

TABLE = "chunks"
_LAST_WORDS = 300  # characters of what a process said that failed


def tidied(table: Any) -> None:
    bring_up_to_date(table)


def tidied_apart(folder: Path) -> None:
    """Do the same in a process of its own. Raises StoreUnavailable with the last that it said when
    it fails."""
    command = [sys.executable, "-m", "rag_api.stores.lance.tidying", str(folder)]
    sparing = {"MALLOC_ARENA_MAX": "2", **os.environ}  # few of the allocator's arenas: each keeps what it freed
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", env=sparing
    )
    if done.returncode:
        said = done.stderr.strip()[-_LAST_WORDS:] or f"its process ended with {done.returncode}"
        raise StoreUnavailable(f"the index in {folder} could not be brought up to date: {said}")


if __name__ == "__main__":
    tidied(lancedb.connect(sys.argv[1]).open_table(TABLE))
