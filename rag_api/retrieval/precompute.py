"""Embeds the sentences of indexed documents before anybody asks about them: the first question
about a passage need not wait for it.

A thread of the server, not a part of ingestion: documents can be asked about as soon as they are
indexed, which sentences would delay by three times the passages' own embedding. It stops while a
question is answered, a generator loads or documents are taken in. What it made is kept in the
database, so it goes on where it was. Knows no HTTP.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from rag_api.db import sentences as db
from rag_api.db.documents import read_text
from rag_api.db.ingestion.structures import read_packed
from rag_api.domain import KeptState, SentencesKept
from rag_api.embed import Cached, Embedder
from rag_api.embed.vector_cache import HALF, key_of, packed
from rag_api.own_processes.background import Background, Pauses
from rag_api.retrieval.find import LONGEST_TEXT
from rag_api.retrieval.in_flight import InFlight
from rag_api.retrieval.search.patient_ranking import RetrievalContainer
from rag_api.retrieval.sentence_scorer import lines_of

log = logging.getLogger(__name__)

# seconds that a batch may take: whoever begins to ask meanwhile shares the processor with it for no
# longer
TAKES = 0.05
MOST = 64  # sentences in a batch, of an embedder that is fast
QUIET = 1.0  # seconds without an answer before it goes on
# seconds until it looks for new documents: after the start, ever after, after an error
FIRST, EVERY, AGAIN = 3.0, 15.0, 60.0

ROOT = Path(__file__).resolve().parents[2]
# beside rag_api/text
RULES = ("rag_api/retrieval/sentence_scorer.py", "services/contract/wire.py")
GoOn = Callable[[], bool]
OnKept = Callable[[SentencesKept], None]


class PrecomputeContainer(RetrievalContainer, Protocol):
    """What precomputing needs beside; rag_api.container.Container is one."""

    in_flight: InFlight
    sentences: SentencesKept

    @property
    def generator_is_starting(self) -> bool: ...

    def pinned(self) -> PrecomputeContainer:
        """With the index that is in force now, to the end."""


def made_by(embedder: Embedder, root: Path = ROOT) -> str:
    """Say what the kept vectors follow from beside the texts and titles: the source of all that
    `lines_of` goes by. What another release of it leaves as it was is found by its key and not
    embedded again."""
    files = (*sorted((root / "rag_api" / "text").rglob("*.py")), *(root / file for file in RULES))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    return f"{embedder.name} rules {digest[:16]}"


def make_all(container: PrecomputeContainer, go_on: GoOn, tell: OnKept = lambda kept: None) -> SentencesKept:
    """Embed what is outstanding, for as long as `go_on` says so; it may wait. Another process at
    it: nothing is done here."""
    wanted = made_by(container.embedder)
    state = KeptState.WAITING
    if db.outstanding(container.db, wanted):
        with db.only_one(container.db) as mine:
            state = _make(container, wanted, go_on, tell) if mine else KeptState.WAITING
    else:
        db.sweep(container.db)
    found = _kept(container, wanted, state)
    tell(found)
    return found


def _make(container: PrecomputeContainer, wanted: str, go_on: GoOn, tell: OnKept) -> KeptState:
    for document in db.outstanding(container.db, wanted):
        tell(_kept(container, wanted, KeptState.MAKING))
        state = _made(container, document, wanted, go_on)
        if state != KeptState.MAKING:
            return state
    db.sweep(container.db)
    return KeptState.MAKING


def _kept(container: PrecomputeContainer, wanted: str, state: KeptState) -> SentencesKept:
    counted = db.counts(container.db, wanted)
    return SentencesKept(
        KeptState.COMPLETE if counted.documents == counted.of else state,
        counted.documents,
        counted.of,
        counted.sentences,
    )


def _made(container: PrecomputeContainer, document: db.Outstanding, wanted: str, go_on: GoOn) -> KeptState:
    """`making`: it is done, on to the next."""
    if not go_on():
        return KeptState.WAITING
    lines = {key_of(container.embedder.name, line): line for line in _lines(container, document)}
    if not _fit(container, document, len(lines)):
        return KeptState.FULL
    known = db.begin(container.db, document, list(lines))
    missing = [key for key in lines if key not in known]
    if not _embed(container, document, {key: lines[key] for key in missing}, go_on):
        return KeptState.WAITING
    db.complete(container.db, document, wanted, list(lines))
    return KeptState.MAKING


def _lines(container: PrecomputeContainer, document: db.Outstanding) -> Sequence[str]:
    """Of a very long document from its chunks, as an answer looks for them."""
    text = read_text(container.db, document.document_id, LONGEST_TEXT)
    if text is not None:
        return lines_of(
            document.title, text, read_packed(container.db, [document.document_id]).get(document.document_id, "")
        )
    chunks, _ = container.store.chunks_of(document.document_id)
    return list(dict.fromkeys(line for chunk in chunks for line in lines_of(document.title, chunk.text)))


def _fit(container: PrecomputeContainer, document: db.Outstanding, sentences: int) -> bool:
    most = (
        container.settings.sentence_vectors_mb * 2**20 // (HALF.itemsize * container.embedder.dim + db.ROW_BYTES)
        - sentences
    )
    others = db.held_by_others(container.db, document.document_id)
    return others <= most or (
        db.sweep(container.db) > 0 and db.held_by_others(container.db, document.document_id) <= most
    )


def _embed(container: PrecomputeContainer, document: db.Outstanding, lines: dict[bytes, str], go_on: GoOn) -> bool:
    """A few at a time, each few kept at once; False when it was stopped. Past the memory of what
    was asked, which they would fill."""
    embedder = container.embedder.inner if isinstance(container.embedder, Cached) else container.embedder
    keys, at, size = list(lines), 0, 1
    while at < len(keys):
        if not go_on():
            return False
        batch, began = keys[at : at + size], time.monotonic()
        vectors = embedder.passages([lines[key] for key in batch])
        took = time.monotonic() - began
        db.put(
            container.db,
            document.document_id,
            {key: packed(vector) for key, vector in zip(batch, vectors, strict=True)},
        )
        at += size
        size = max(1, min(MOST, 2 * size, int(size * TAKES / max(took, 1e-6))))
    return True


class Precomputer:
    """The thread. `container.sentences` says how far it was when it last looked."""

    def __init__(self, container: PrecomputeContainer) -> None:
        self._container = container
        self._thread = Background(
            "precompute sentences", self._look, Pauses(FIRST, EVERY, AGAIN), "sentences are not precomputed now"
        )
        self._on = container.settings.sentence_vectors_mb > 0

    def start(self) -> None:
        if self._on:
            self._tell(SentencesKept(KeptState.WAITING))
            self._thread.start()

    def stop(self) -> None:
        """Returns when it has stopped: what it works with may be closed then."""
        self._thread.stop()

    def _look(self) -> None:
        if not self._go_on():
            return
        before, began = self._container.sentences, time.monotonic()
        kept = make_all(self._container.pinned(), self._go_on, self._tell)
        if kept.state in (KeptState.COMPLETE, KeptState.FULL) and kept != before:
            numbers = {"documents": kept.documents, "of": kept.of, "sentences": kept.sentences}
            seconds = round(time.monotonic() - began, 1)
            log.info("sentences are precomputed: %s", kept.state, extra={"fields": {**numbers, "seconds": seconds}})

    def _tell(self, kept: SentencesKept) -> None:
        self._container.sentences = kept

    def _go_on(self) -> bool:
        """Waits while something is more urgent. False: the server stops."""
        while not self._thread.stopping.is_set():
            if not self._container.in_flight.quiet(QUIET) or self._container.generator_is_starting:
                self._thread.stopping.wait(0.1)
            elif db.ingesting(self._container.db):
                self._thread.stopping.wait(1.0)
            else:
                return True
        return False
