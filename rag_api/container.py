"""What a running Bedside is made of: database, store, embedder, generator. Each is opened when it is first needed.

A part that cannot be opened now is tried again at the next call, so a server that comes back is found without a restart.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rag_api.answering.generator_client import Generator
from rag_api.config import Settings
from rag_api.domain import KeptState, SentencesKept
from rag_api.errors import BedsideError, ConfigurationError, GeneratorUnavailable, Unavailable
from rag_api.retrieval.in_flight import Asking
from rag_api.retrieval.reranker import close_rerankers

if TYPE_CHECKING:
    from rag_api.db import Database
    from rag_api.embed import Embedder
    from rag_api.embedded.postgres import EmbeddedPostgres, GeneratorProcess
    from rag_api.stores import Store

log = logging.getLogger(__name__)

T = TypeVar("T")
Say = Callable[[str], None]


def silent(line: str) -> None:
    """Says nothing."""


class Lazy(Generic[T]):
    """Opened once, by whoever asks first; others wait. An opening that raises is tried again by the next."""

    def __init__(self, open_it: Callable[[], T]) -> None:
        self._open = open_it
        self._lock = threading.Lock()
        self.value: T | None = None

    def get(self) -> T:
        with self._lock:
            if self.value is None:
                self.value = self._open()
            return self.value


class Parts:
    """Opens by the settings; closes what it opened, in the opposite order. Safe from several threads."""

    def __init__(self, settings: Settings, say: Say = silent) -> None:
        self.settings = settings
        self.say = say
        self.asking = Asking()
        self.sentences = SentencesKept(KeptState.OFF)  # how far ahead.py is, where that runs
        self._postgres: EmbeddedPostgres | None = None
        self._process: GeneratorProcess | None = None
        self._starting: threading.Thread | None = None
        self._generator_problem = ""
        self._db = Lazy(self._open_db)
        self._embedder = Lazy(self._open_embedder)
        self._store = Lazy(self._open_store)
        self._generator = Lazy(self._open_generator)

    @property
    def db(self) -> Database:
        return self._db.get()

    @property
    def embedder(self) -> Embedder:
        return self._embedder.get()

    @property
    def store(self) -> Store:
        return self._store.get()

    @property
    def generator(self) -> Generator:
        """Usable at once; its calls raise GeneratorUnavailable until an embedded generator has started."""
        return self._generator.get()

    @property
    def is_demo(self) -> bool:
        """The demo model answers: not for clinical use."""
        return self.settings.generator_kind == "bedside" and self.settings.generator_model == "demo"

    def warm(self) -> None:
        """Open database, store and embedder side by side. What is merely unavailable is left for later; what is configured
        wrongly (ConfigurationError, EmbedderMismatch) raises: such a service should not start."""
        with ThreadPoolExecutor(2) as pool:
            opening: list[Future[Any]] = [pool.submit(self._db.get), pool.submit(self._store.get)]
            for future in opening:
                try:
                    future.result()
                except Unavailable as error:
                    log.warning("%s", error.message)

    def start_generator(self) -> None:
        """Start the embedded generator in the background, when no other is configured."""
        if self.settings.generator_url is not None or self._starting is not None:
            return
        from rag_api.embedded.postgres import GeneratorProcess

        self._process = GeneratorProcess(self.settings.data_dir, self.settings.generator_model)
        self._starting = threading.Thread(target=self._start, args=(self._process,), name="generator start", daemon=True)
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
        """Until an embedded generator that was started is ready. Raises GeneratorUnavailable, with the end of its log."""
        if self._starting is not None:
            self._starting.join()
            if self._generator_problem:
                raise GeneratorUnavailable(self._generator_problem)

    def generator_url(self) -> str:
        """The base URL to ask now. Raises GeneratorUnavailable while an embedded one is starting, or when none was started."""
        if self.settings.generator_url is not None:
            return self.settings.generator_url.rstrip("/")
        if self._process is None or not self._process.port:
            raise GeneratorUnavailable(self._generator_problem or "The generator is still loading its model.")
        return self._process.url

    def close(self) -> None:
        if self._process is not None:
            self._process.stop()
        if self._store.value is not None:
            self._store.value.close()
        if self._embedder.value is not None:
            from rag_api.embed import close

            close(self._embedder.value)
        close_rerankers()
        if self._db.value is not None:
            self._db.value.close()
        if self._postgres is not None:
            self._postgres.stop()

    def __enter__(self) -> Parts:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _open_db(self) -> Database:
        from rag_api.db import Database
        from rag_api.db.migrate import migrate, outstanding

        if self.settings.database_url is not None:
            dsn = self.settings.database_url.get_secret_value()
            missing = outstanding(dsn)
            if missing:
                raise ConfigurationError(f"The database lacks {', '.join(missing)}. Run `bedside migrate` first.")
            return Database(dsn)
        from rag_api.embedded.postgres import EmbeddedPostgres

        self._postgres = self._postgres or EmbeddedPostgres(self.settings.data_dir / "postgres")
        dsn = self._postgres.start()
        migrate(dsn)
        return Database(dsn)

    def _open_embedder(self) -> Embedder:
        from rag_api.embed import open_embedder

        return open_embedder(self.settings)

    def _open_store(self) -> Store:
        from rag_api.stores import open_store

        return open_store(self.settings, self.embedder.name, self.embedder.dim)

    def _open_generator(self) -> Generator:
        settings = self.settings
        return Generator(
            self.generator_url,
            model=settings.generator_model,
            kind=settings.generator_kind,
            api_key=settings.generator_api_key.get_secret_value() if settings.generator_api_key else None,
        )
