"""The container of a running Bedside: database, store, embedder, generator. Each is opened when it
is first needed, and closed here.

A part that cannot be opened now is tried again at the next call, so a server that comes back is
found without a restart.
"""

from __future__ import annotations

import copy
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from rag_api.answering.answer_outbox import UnsavedAnswers
from rag_api.answering.generator.client import Generator
from rag_api.audit.trail import Trail
from rag_api.config import Settings
from rag_api.domain import KeptState, SentencesKept
from rag_api.errors import (
    BedsideError,
    ConfigurationError,
    DatabaseUnavailable,
    EmbedderUnavailable,
    GeneratorUnavailable,
    StoreUnavailable,
    Unavailable,
)
from rag_api.guard import drugs
from rag_api.guard.drug_list import FILE as DRUGS
from rag_api.guard.drug_list import DrugList, read_drugs
from rag_api.query.synonyms import Expander, SynonymLists, lists_of
from rag_api.retrieval.decision.calibration import calibration
from rag_api.retrieval.decision.chosen_risk import ChosenRisk
from rag_api.retrieval.find import needed_by
from rag_api.retrieval.in_flight import InFlight
from rag_api.retrieval.reader_model.pointing_reader import PointingReader, judging_reader
from rag_api.stores.active_index import changed_at, in_force, named
from services.contract.wire import DEMO_MODELS, QUOTES

if TYPE_CHECKING:
    from rag_api.db import Database
    from rag_api.embed import Embedder
    from rag_api.embed.protocol import Closable
    from rag_api.own_processes.generator import GeneratorProcess
    from rag_api.own_processes.postgres import EmbeddedPostgres
    from rag_api.retrieval.reader_model.reader import PassageReader
    from rag_api.retrieval.search.reranker import Reranker
    from rag_api.stores import Store

log = logging.getLogger(__name__)

READERS_PATIENCE = 4.0  # seconds
FOLLOW_AGAIN = 30.0  # seconds after an index could not be opened
T = TypeVar("T")


C = TypeVar("C", bound="Closable")
OnMessage = Callable[[str], None]


def silent(line: str) -> None:
    """Says nothing."""


class Lazy(Generic[T]):
    """Opened once, by whoever asks first; others wait. An opening that raises is tried again by the
    next. Once it has, nobody waits longer than `patience` seconds: it goes on without them, and
    `away` says so."""

    def __init__(self, open_it: Callable[[], T], away: type[Unavailable] = Unavailable) -> None:
        self._open, self._away = open_it, away
        self._lock = threading.Lock()
        self._opening: Future[T] | None = None
        self.value: T | None = None
        self.patience: float | None = None
        self._failed = False

    def get(self) -> T:
        if self.value is not None:
            return self.value
        patience = self.patience if self._failed else None
        with self._lock:
            opening = self._opening
            if begins := opening is None:
                opening = self._opening = Future()
        if begins and patience is None:
            self._try(opening)
        elif begins:
            threading.Thread(target=self._try, args=(opening,), name="opening", daemon=True).start()
        try:
            return opening.result(patience)
        except TimeoutError as error:
            if opening.done():
                raise
            raise self._away("A part does not answer, or is still being opened.") from error

    def _try(self, opening: Future[T]) -> None:
        try:
            self.value = self._open()
            opening.set_result(self.value)
        except BaseException as error:
            with self._lock:
                self._opening, self._failed = None, True
            opening.set_exception(error)


class Container:
    """Opens by the settings; closes what it opened, in the opposite order. Safe from several
    threads."""

    def __init__(self, settings: Settings, say: OnMessage = silent, agreeing: PointingReader | None = None) -> None:
        """agreeing: who must agree, in place of whom BEDSIDE_READER names; for measuring. It is not
        closed."""
        self.settings, self._given_agreeing = settings, agreeing
        self.say = say
        self.in_flight = InFlight(settings.data_dir / "answering.lock")
        self.sentences = SentencesKept(KeptState.OFF)  # how far precompute.py is, where that runs
        self._opened = ExitStack()
        self._switching = threading.Lock()
        self._following: threading.Thread | None = None
        self._followed = changed_at(settings.data_dir)  # settings are read with what is in force then
        self._follow_again = 0.0  # time.monotonic(), after a switch that failed
        self._postgres: EmbeddedPostgres | None = None
        self._process: GeneratorProcess | None = None
        self._starting: threading.Thread | None = None
        self._generator_problem = ""
        self._db = Lazy(self._open_db, DatabaseUnavailable)
        self.chosen_risk: ChosenRisk | None = ChosenRisk(lambda: self.db)
        self._embedder = Lazy(self._open_embedder, EmbedderUnavailable)
        self._store = Lazy(self._open_store, StoreUnavailable)
        self._generator = Lazy(self._open_generator)
        self._afterwards = Lazy(self._open_afterwards)
        self._unsaved = Lazy(lambda: self._closing(UnsavedAnswers(self.settings.data_dir / "unsaved", lambda: self.db)))
        self._trail = Lazy(lambda: self._closing(Trail(self.settings, lambda: self.db)))
        self._open_what_follows_settings()

    def _open_what_follows_settings(self) -> None:
        self._lists: Lazy[SynonymLists] = Lazy(lambda: lists_of(self.settings))
        self._drugs: Lazy[DrugList] = Lazy(self._open_drugs)
        self._reranker: Lazy[tuple[Reranker | None]] = Lazy(self._open_reranker)
        self._reader: Lazy[tuple[PassageReader | PointingReader | None]] = Lazy(self._open_reader)
        self._agreeing: Lazy[tuple[PointingReader | None]] = Lazy(self._open_agreeing)

    def pinned(self, *, wait: bool = False) -> Self:
        """Return the same with the index that is in force now: one question sees one index and its
        embedder, whatever is switched meanwhile. A switch is followed in the background, and
        questions are answered from the old index until then. wait: not for what writes, which would
        write where nobody looks any more."""
        self._follow(wait)
        with self._switching:
            return copy.copy(self)

    def _follow(self, wait: bool) -> None:
        changed = changed_at(self.settings.data_dir)
        with self._switching:
            busy = self._following is not None and self._following.is_alive()
            if changed != self._followed and not busy and time.monotonic() >= self._follow_again:
                self._following = threading.Thread(
                    target=self._switch, args=(changed,), name="switch the index", daemon=True
                )
                self._following.start()
            following = self._following
        if wait and following is not None:
            following.join()

    def _switch(self, changed: int) -> None:
        """Open what is in force now, and answer from it. What was open stays so until the end:
        somebody may still be asking it."""
        from rag_api.embed import close, open_embedder
        from rag_api.stores import open_store

        try:
            target = in_force(self.settings)
            if named(target) != named(self.settings):
                embedder = open_embedder(target)
                self._opened.callback(close, embedder)
                store = self._closing(open_store(target, embedder.name, embedder.dim))
                embedder.query("is it there")
                with self._switching:
                    self.settings, self._embedder, self._store = target, Lazy(lambda: embedder), Lazy(lambda: store)
                log.info(
                    "the index is now %s", " ".join(f"{name}={value}" for name, value in named(target).items() if value)
                )
            self._followed = changed
        except BedsideError as error:
            self._follow_again = time.monotonic() + FOLLOW_AGAIN
            log.error("the index cannot be switched: %s", error.message)

    def use(self, *, embedder: Embedder | None = None, generator: Generator | None = None) -> None:
        """Ask these instead of what the settings name. Whoever opened them closes them."""
        if embedder is not None:
            self._embedder = Lazy(lambda: embedder)
        if generator is not None:
            self._generator = Lazy(lambda: generator)

    def with_settings(self, settings: Settings) -> Container:
        """Return the same database, store, embedder and generator, asked with other settings. What
        that opens is closed with the rest."""
        other = copy.copy(self)
        other.settings = settings
        if settings.risk != self.settings.risk:
            other.chosen_risk = None
        other._open_what_follows_settings()
        return other

    @property
    def db(self) -> Database:
        return self._db.get()

    @property
    def opened_db(self) -> Database | None:
        """The database, for what can do without: None until somebody has opened it."""
        return self._db.value

    @property
    def embedder(self) -> Embedder:
        return self._embedder.get()

    @property
    def store(self) -> Store:
        return self._store.get()

    @property
    def generator(self) -> Generator:
        """Usable at once; its calls raise GeneratorUnavailable until an embedded generator has
        started."""
        return self._generator.get()

    @property
    def expander(self) -> Expander:
        """The hospital's own abbreviations and synonyms as they stand now, its drugs as at the
        start. Raises ConfigurationError when they are wrong at first sight."""
        self._drugs.get()
        return self._lists.get().get()

    @property
    def own_drugs(self) -> DrugList:
        """The hospital's own drugs, in use. Raises ConfigurationError."""
        return self._drugs.get()

    def _open_drugs(self) -> DrugList:
        own = read_drugs(self.settings.data_dir / DRUGS)
        drugs.use(own.rows)
        return own

    @property
    def reranker(self) -> Reranker | None:
        """None when none is configured. Raises ConfigurationError."""
        return self._reranker.get()[0]

    @property
    def reader(self) -> PassageReader | PointingReader | None:
        """None when none is configured. Raises ConfigurationError."""
        return self._reader.get()[0]

    @property
    def agreeing(self) -> PointingReader | None:
        """Who must point to what is quoted, too; None when nobody is configured."""
        return self._agreeing.get()[0]

    def afterwards(self, act: Callable[[], object]) -> None:
        """Do it in another thread, after the request that wants it is gone; `close` waits for
        it."""
        self._afterwards.get().submit(act)

    @property
    def unsaved(self) -> UnsavedAnswers:
        """Answers that are shown and wait for the database."""
        return self._unsaved.get()

    @property
    def unfinished_restore(self) -> Path:
        """There while a restoration is under way, and after one that broke off."""
        return self.settings.data_dir / "restore.unfinished"

    @property
    def trail(self) -> Trail:
        """Where who did what is written before it is shown."""
        return self._trail.get()

    @property
    def is_demo(self) -> bool:
        """A model that packages bring answers: not for clinical use."""
        return self.settings.generator_kind == "bedside" and self.settings.generator_model in DEMO_MODELS

    @property
    def risk(self) -> str | float:
        """A name of RISKS, or the share of answers that may be wrong."""
        return (self.chosen_risk.now() if self.chosen_risk else None) or self.settings.risk

    @property
    def offers_writing(self) -> bool:
        """The page lets its reader choose answers that the model writes."""
        chosen = self.settings.written_answers
        if self.settings.generator_model == QUOTES:
            return False
        return not self.is_demo if chosen == "auto" else chosen == "offered"

    def warm(self) -> None:
        """Open database, store and embedder side by side. What is merely unavailable is left for
        later; what is configured wrongly (ConfigurationError, EmbedderMismatch) raises: such a
        service should not start."""
        if self.unfinished_restore.exists():
            folder = self.unfinished_restore.read_text(encoding="utf-8")
            raise ConfigurationError(
                f"A restoration was not finished, so parts are missing: run `bedside restore {folder} --yes` again."
            )
        with ThreadPoolExecutor(2) as pool:
            opening: list[Future[Any]] = [pool.submit(self._db.get), pool.submit(self._store.get)]
            for future in opening:
                try:
                    future.result()
                except Unavailable as error:
                    log.warning("%s", error.message)
        try:
            self.check_decision()
        except Unavailable as error:
            log.warning("%s", error.message)
        self.unsaved.store_soon()

    def hurry(self) -> None:
        """From now on readers wait: a part that was away when it was first tried is tried again in
        the background."""
        for part in (self._db, self._embedder, self._store):
            part.patience = READERS_PATIENCE

    def check_decision(self) -> None:
        """A calibration of an earlier version, a risk that is not reached, a reader that cannot be
        opened: told now, not to who asks."""
        measured = calibration(self.embedder.name, self.settings.data_dir)
        if measured.not_found is not None:
            measured.not_found.at(self.risk)
        if isinstance(self.reader, PointingReader):
            needed_by(self.reader, measured, self.settings, self.risk)
        if (judging := judging_reader(self.reader)) is not None and judging.name not in measured.readers:
            log.warning(
                "the reader %s was not measured for this embedder and is not used: `bedside quality calibrate`",
                judging.name,
            )

    def start_generator(self, command: tuple[str, ...] = ()) -> None:
        """Start the embedded generator in the background, when no other is configured; `command`:
        as GeneratorProcess has it."""
        if self.settings.generator_url is not None or self._starting is not None:
            return
        from rag_api.own_processes.generator import GeneratorProcess

        self._process = GeneratorProcess(self.settings.data_dir, self.settings.generator_model, command)
        self._opened.callback(self._process.stop)
        self._starting = threading.Thread(
            target=self._start, args=(self._process,), name="generator start", daemon=True
        )
        self._starting.start()

    def _start(self, process: GeneratorProcess) -> None:
        try:
            process.start(self.say)
        except BedsideError as error:
            self._generator_problem = error.message
            log.error("%s", error.message)

    @property
    def generator_is_starting(self) -> bool:
        return self._starting is not None and self._starting.is_alive()

    def wait_for_generator(self) -> None:
        """Until an embedded generator that was started is ready. Raises GeneratorUnavailable, with
        the end of its log."""
        if self._starting is not None:
            self._starting.join()
            if self._generator_problem:
                raise GeneratorUnavailable(self._generator_problem)

    def generator_url(self) -> str:
        """The base URL to ask now, or several with commas. Raises GeneratorUnavailable while an
        embedded one starts or there is none."""
        if self.settings.generator_url is not None:
            return self.settings.generator_url
        if self._process is None or not self._process.port:
            raise GeneratorUnavailable(self._generator_problem or "The generator is still loading its model.")
        return self._process.url

    def close(self) -> None:
        """What was opened last is closed first."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def dsn(self) -> str:
        """Return the database's address; our own server is started for it. Migrated it may not
        be."""
        if self.settings.database_url is not None:
            return self.settings.database_url.get_secret_value()
        from rag_api.own_processes.postgres import EmbeddedPostgres

        if self._postgres is None:
            self._postgres = EmbeddedPostgres(self.settings.data_dir / "postgres")
            self._opened.callback(self._postgres.stop)
        return self._postgres.start()

    def _open_db(self) -> Database:
        from rag_api.db import Database
        from rag_api.db.migrate import migrate, outstanding

        dsn = self.dsn()
        if self.settings.database_url is None:
            migrate(dsn)
        elif missing := outstanding(dsn):
            raise ConfigurationError(f"The database lacks {', '.join(missing)}. Run `bedside migrate` first.")
        return self._closing(Database(dsn))

    def _closing(self, part: C) -> C:
        self._opened.callback(part.close)
        return part

    def _open_embedder(self) -> Embedder:
        from rag_api.embed import close, open_embedder

        embedder = open_embedder(self.settings)
        self._opened.callback(close, embedder)
        return embedder

    def _open_store(self) -> Store:
        from rag_api.stores import open_store

        return self._closing(open_store(self.settings, self.embedder.name, self.embedder.dim))

    def _open_reranker(self) -> tuple[Reranker | None]:
        from rag_api.retrieval.search.reranker import open_reranker

        reranker = open_reranker(self.settings)
        return (None if reranker is None else self._closing(reranker),)

    def _open_reader(self) -> tuple[PassageReader | PointingReader | None]:
        from rag_api.qa_readers.opening import open_reader

        reader = open_reader(self.settings, lambda: self.generator.address())
        return (None if reader is None else self._closing(reader),)

    def _open_agreeing(self) -> tuple[PointingReader | None]:
        from rag_api.qa_readers.opening import open_agreeing

        if self._given_agreeing is not None:
            return (self._given_agreeing,)
        reader = open_agreeing(self.settings, lambda: self.generator.address())
        return (None if reader is None else self._closing(reader),)

    def _open_afterwards(self) -> ThreadPoolExecutor:
        pool = ThreadPoolExecutor(1, thread_name_prefix="store stopped answers")
        self._opened.callback(pool.shutdown)
        return pool

    def _open_generator(self) -> Generator:
        settings = self.settings
        return Generator(
            self.generator_url,
            model=settings.generator_model,
            kind=settings.generator_kind,
            api_key=settings.generator_api_key.get_secret_value() if settings.generator_api_key else None,
        )
