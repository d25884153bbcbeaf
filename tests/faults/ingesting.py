"""An ingestion with a fault in its middle, then one without: what was said to be indexed is there,
and in the end all is, once."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from tests.faults.installation import Bedside
from tests.faults.services import Service, family

DOCUMENTS = 24
PARAGRAPHS = 3
PATIENCE = 240.0  # seconds that an ingestion may take; it takes some ten
WORDS = (
    "infuus", "pomp", "meting", "controle", "dienst", "afdeling", "verpleegkundige", "arts", "spoed", "materiaal", "handschoen", "naald",
    "spuit", "verband", "wonde", "katheter", "zuurstof", "monitor", "bloed", "staal", "labo", "apotheek", "bestelling", "koelkast",
    "etiket", "dossier", "overdracht", "vermelding", "weegschaal", "bed", "rolstoel", "lift", "kamer", "isolatie",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of it. `said`: the first run's own words, where it broke off."""

    documents: int  # to be ingested
    at_once: int  # said to be indexed by the run with the fault in it
    named: int  # said by it to have failed
    lost: int  # not there in the end, or said to be indexed and not there
    doubled: int  # documents and passages that are there more than once
    broke_off: bool
    said: str
    seconds: float


def write_documents(folder: Path, name: str, count: int = DOCUMENTS) -> list[str]:
    """Texts that differ in every sentence; their names."""
    folder.mkdir(parents=True)
    names = [f"{name}-{number:02d}.txt" for number in range(count)]
    for number, file in enumerate(names):
        (folder / file).write_text(_text(f"{name} {number}", number), encoding="utf-8")
    return names


def _text(title: str, seed: int) -> str:
    sentences = []
    for place in range(PARAGRAPHS * 6):
        words = [WORDS[(seed * 7 + place * 11 + at * (3 + seed % 5)) % len(WORDS)] for at in range(12)]
        sentences.append(f"Regel {place + 1} van {title}: {' '.join(words)}.")
    paragraphs = [" ".join(sentences[at : at + 6]) for at in range(0, len(sentences), 6)]
    return f"Procedure {title}\n\n" + "\n\n".join(paragraphs) + "\n"


def ingest_through(
    bedside: Bedside,
    service: Service | None,
    fault: Callable[[Service], AbstractContextManager[None]] | None,
    name: str,
) -> Ingested:
    """`service` and `fault` None: the ingestion itself is killed."""
    folder = bedside.folder / "documents" / name
    names = write_documents(folder, name)
    began = time.monotonic()
    process = bedside.run("ingest", str(folder), "--json")
    if not _begun(bedside, process.poll, name):
        raise AssertionError(f"the ingestion ended before the fault: {_last_lines(bedside)}")
    if service is None or fault is None:
        for pid in family(process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    with nullcontext() if service is None or fault is None else fault(service):
        pass
    said, _ = process.communicate(timeout=PATIENCE)
    first, words = _report(said), _last_lines(bedside)
    indexed = [item["source"] for item in first.get("items", []) if item["outcome"] in ("indexed", "unchanged")]
    missing = set(indexed) - set(_found(bedside, name))
    again = bedside.run("ingest", str(folder), "--json")
    said, _ = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, f"the ingestion after the fault failed: {_last_lines(bedside)}"
    found = _found(bedside, name)
    return Ingested(
        documents=len(names),
        at_once=len(indexed),
        named=len(first.get("items", [])) - len(indexed),
        lost=len(set(names) - set(found)) + len(missing),
        doubled=sum(found.values()) - len(found) + _passages_wrong(bedside, name),
        broke_off=process.returncode != 0,
        said=words if process.returncode else "",
        seconds=round(time.monotonic() - began, 1),
    )


def _begun(bedside: Bedside, ended: Callable[[], int | None], name: str) -> bool:
    """Whether some of its documents are in the list and it still works."""
    while ended() is None:
        try:
            if bedside.query("select 1 from documents where source like %(name)s limit 1", name=f"{name}-%"):
                return True
        except (psycopg.Error, OSError, ValueError):
            pass
        time.sleep(0.05)
    return False


def _found(bedside: Bedside, name: str) -> Counter[str]:
    """The documents that are answered from, by name."""
    rows = bedside.query(
        "select source from documents where status = 'indexed' and source like %(name)s", name=f"{name}-%"
    )
    return Counter(str(source) for (source,) in rows)


def _passages_wrong(bedside: Bedside, name: str) -> int:
    """Passages in the index beyond what the list counts, missing ones, and those of documents that
    are not in the list."""
    rows = bedside.query(
        "select id, chunk_count from documents where status = 'indexed' and source like %(name)s", name=f"{name}-%"
    )
    with bedside.index() as store:
        wrong = 0
        for document_id, count in rows:
            chunks, _ = store.chunks_of(str(document_id))
            wrong += (
                abs(len({chunk.start for chunk in chunks}) - int(str(count)))
                + len(chunks)
                - len({chunk.start for chunk in chunks})
            )
        listed = {str(one) for (one,) in bedside.query("select id from documents where status = 'indexed'")}
        return wrong + len(store.document_ids() - listed)


def _report(said: bytes) -> dict[str, Any]:
    lines = said.decode(errors="replace").strip().splitlines()
    try:
        found: dict[str, Any] = json.loads(lines[-1]) if lines else {}
    except ValueError:
        return {}
    return found


def _last_lines(bedside: Bedside, lines: int = 1) -> str:
    log = (bedside.folder / "ingest.log").read_text(encoding="utf-8", errors="replace")
    return " ".join(log.strip().splitlines()[-lines:])
