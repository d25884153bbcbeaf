"""Embeds the sentences of indexed documents before anybody asks about them: the first question about a passage need not wait for it.

A thread of the server, not a part of ingestion: documents can be asked about as soon as they are indexed, which sentences would
delay by three times the passages' own embedding. It stops while a question is answered, a generator loads or documents are taken in.
What it made is kept in the database, so it goes on where it was. Knows no HTTP.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from rag_api.answering.ask import LONGEST_TEXT
from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db import sentences as db
from rag_api.db.documents import read_text
from rag_api.domain import KeptState, SentencesKept
from rag_api.embed import Cached, Embedder
from rag_api.embed.kept import HALF, key_of, packed
from rag_api.errors import BedsideError
from rag_api.retrieval import sentence_scorer
from rag_api.retrieval.in_flight import Asking
from rag_api.retrieval.sentence_scorer import lines_of
from rag_api.stores import Store
from rag_api.text import quotable_spans, sentence_splitter

log = logging.getLogger(__name__)

TAKES = 0.05  # seconds that a batch may take: whoever begins to ask meanwhile shares the processor with it for no longer
MOST = 64  # sentences in a batch, of an embedder that is fast
QUIET = 1.0  # seconds without an answer before it goes on
FIRST, EVERY, AGAIN = 3.0, 15.0, 60.0  # seconds until it looks for new documents: after the start, ever after, after an error

GoOn = Callable[[], bool]
Tell = Callable[[SentencesKept], None]


class AheadParts(Protocol):
    settings: Settings
    asking: Asking
    sentences: SentencesKept

    @property
    def db(self) -> Database: ...
    @property
    def store(self) -> Store: ...
    @property
    def embedder(self) -> Embedder: ...
    @property
    def generator_is_starting(self) -> bool: ...


def made_by(embedder: Embedder) -> str:
    """Say what the kept vectors follow from beside the texts and titles. What a new version of the rules leaves as it was is found by
    its key and not embedded again."""
    return f"{embedder.name} rules {sentence_splitter.VERSION}.{quotable_spans.VERSION}.{sentence_scorer.VERSION}"


def make_all(parts: AheadParts, go_on: GoOn, tell: Tell = lambda kept: None) -> SentencesKept:
    """Embed what is outstanding, for as long as `go_on` says so; it may wait. Another process at it: nothing is done here."""
    wanted = made_by(parts.embedder)
    state = KeptState.WAITING
    if db.outstanding(parts.db, wanted):
        with db.only_one(parts.db) as mine:
            state = _make(parts, wanted, go_on, tell) if mine else KeptState.WAITING
    else:
        db.sweep(parts.db)
    found = _kept(parts, wanted, state)
    tell(found)
    return found


def _make(parts: AheadParts, wanted: str, go_on: GoOn, tell: Tell) -> KeptState:
    for document in db.outstanding(parts.db, wanted):
        tell(_kept(parts, wanted, KeptState.MAKING))
        state = _made(parts, document, wanted, go_on)
        if state != KeptState.MAKING:
            return state
    db.sweep(parts.db)
    return KeptState.MAKING


def _kept(parts: AheadParts, wanted: str, state: KeptState) -> SentencesKept:
    counted = db.counts(parts.db, wanted)
    return SentencesKept(KeptState.COMPLETE if counted.documents == counted.of else state, counted.documents, counted.of, counted.sentences)


def _made(parts: AheadParts, document: db.Outstanding, wanted: str, go_on: GoOn) -> KeptState:
    """`making`: it is done, on to the next."""
    if not go_on():
        return KeptState.WAITING
    lines = {key_of(parts.embedder.name, line): line for line in _lines(parts, document)}
    if not _fit(parts, document, len(lines)):
        return KeptState.FULL
    known = db.begin(parts.db, document, list(lines))
    missing = [key for key in lines if key not in known]
    if not _embed(parts, document, {key: lines[key] for key in missing}, go_on):
        return KeptState.WAITING
    db.complete(parts.db, document, wanted, list(lines))
    return KeptState.MAKING


def _lines(parts: AheadParts, document: db.Outstanding) -> Sequence[str]:
    """Of a very long document from its chunks, as an answer looks for them."""
    text = read_text(parts.db, document.document_id, LONGEST_TEXT)
    if text is not None:
        return lines_of(document.title, text)
    chunks, _ = parts.store.chunks_of(document.document_id)
    return list(dict.fromkeys(line for chunk in chunks for line in lines_of(document.title, chunk.text)))


def _fit(parts: AheadParts, document: db.Outstanding, sentences: int) -> bool:
    most = parts.settings.sentence_vectors_mb * 2**20 // (HALF.itemsize * parts.embedder.dim + db.ROW_BYTES) - sentences
    others = db.held_by_others(parts.db, document.document_id)
    return others <= most or (db.sweep(parts.db) > 0 and db.held_by_others(parts.db, document.document_id) <= most)


def _embed(parts: AheadParts, document: db.Outstanding, lines: dict[bytes, str], go_on: GoOn) -> bool:
    """A few at a time, each few kept at once; False when it was stopped. Past the memory of what was asked, which they would fill."""
    embedder = parts.embedder.inner if isinstance(parts.embedder, Cached) else parts.embedder
    keys, at, size = list(lines), 0, 1
    while at < len(keys):
        if not go_on():
            return False
        batch, began = keys[at : at + size], time.monotonic()
        vectors = embedder.passages([lines[key] for key in batch])
        took = time.monotonic() - began
        db.put(parts.db, document.document_id, {key: packed(vector) for key, vector in zip(batch, vectors, strict=True)})
        at += size
        size = max(1, min(MOST, 2 * size, int(size * TAKES / max(took, 1e-6))))
    return True


class Ahead:
    """The thread. `parts.sentences` says how far it was when it last looked."""

    def __init__(self, parts: AheadParts) -> None:
        self._parts = parts
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sentences ahead", daemon=True)
        self._on = parts.settings.sentence_vectors_mb > 0

    def start(self) -> None:
        if self._on:
            self._tell(SentencesKept(KeptState.WAITING))
            self._thread.start()

    def stop(self) -> None:
        """Returns when it has stopped: what it works with may be closed then."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        pause = FIRST
        while not self._stop.wait(pause):
            pause = EVERY
            try:
                self._look()
            except BedsideError as error:
                pause = AGAIN
                log.warning("sentences are not embedded ahead now: %s", error.message)
            except Exception:
                pause = AGAIN
                log.exception("sentences are not embedded ahead now")

    def _look(self) -> None:
        if not self._go_on():
            return
        before, began = self._parts.sentences, time.monotonic()
        kept = make_all(self._parts, self._go_on, self._tell)
        if kept.state in (KeptState.COMPLETE, KeptState.FULL) and kept != before:
            numbers = {"documents": kept.documents, "of": kept.of, "sentences": kept.sentences}
            seconds = round(time.monotonic() - began, 1)
            log.info("sentences are embedded ahead: %s", kept.state, extra={"fields": {**numbers, "seconds": seconds}})

    def _tell(self, kept: SentencesKept) -> None:
        self._parts.sentences = kept

    def _go_on(self) -> bool:
        """Waits while something is more urgent. False: the server stops."""
        while not self._stop.is_set():
            if not self._parts.asking.quiet(QUIET) or self._parts.generator_is_starting:
                self._stop.wait(0.1)
            elif db.ingesting(self._parts.db):
                self._stop.wait(1.0)
            else:
                return True
        return False
