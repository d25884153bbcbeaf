"""The work of one ingestion on a Ray cluster: what goes through which pool, and what comes back to
the driver."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rag_api.config import Settings
from rag_api.errors import BedsideError, IngestionStopped, Unavailable
from rag_api.ingest.cluster.connect import joined
from rag_api.ingest.cluster.fair import in_turns
from rag_api.ingest.cluster.rows import COLUMN, DocumentDone, Ticket, packed, unpacked
from rag_api.ingest.cluster.steps import EmbeddingStep, Openers, ReadingStep, StepParts, Writing, look
from rag_api.ingest.pipeline.letterheads import settle_shared
from rag_api.ingest.sources.run import Item, Run
from rag_api.ingest.sources.sources import SourceFile

if TYPE_CHECKING:
    from rag_api.embed import Embedder

T = TypeVar("T")
MOST_TOGETHER = 16  # files in one row block: what is done again when a machine is lost
BLOCKS_EACH = 8  # for a pool's every actor, where there are files enough
# Files whose rows are made at once: Ray's driver keeps some KB of each until all that were made
# together are done. The pools are started anew for the next ones, which takes seconds every quarter
# of an hour.
WINDOW = 5_000
FEW = 64  # files: their digests are taken here sooner than a process elsewhere has started
LISTENING = 0.5  # seconds between two looks whether somebody wants it to stop
# Of a core, for each actor: little, so that the machines that are left can take in the actors of
# one that is lost. A reader waits for its reader process, an embedder for what is read; so a core
# has one of each.
SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Pools:
    """How many actors there are of each kind."""

    readers: int
    embedders: int
    writers: int
    gpus: bool = False  # each embedder has one

    @classmethod
    def of(cls, resources: dict[str, float], workers: int | None = None) -> Pools:
        """One reader and embedder for each core, or a GPU; and a writer for two. workers: instead
        of cores."""
        cores, gpus = workers or max(1, int(resources.get("CPU", 1))), int(resources.get("GPU", 0))
        return cls(cores, gpus or cores, max(1, cores // 2), gpus > 0)


class RayCluster:
    """An Engine. `address` as ray.init has it; `workers`: how many of each actor, as many as the
    cluster has cores when absent."""

    def __init__(self, ray: Any, parts: StepParts, workers: int | None = None) -> None:
        self._ray, self._parts = ray, parts
        self.pools = Pools.of(ray.cluster_resources(), workers)

    def look(self, run: Run, sources: Sequence[SourceFile]) -> None:
        """Many files are read for their digests on all machines, not here."""
        unknown = [source for source in sources if source.digest is None and source.name not in run.digests]
        if len(unknown) <= FEW:
            return
        for some in _in_windows(unknown):
            for name, digest in self._results(self._rows(some).map_batches(look, **self._task())):
                run.digests[name] = digest

    def index(self, run: Run, items: Iterator[Item]) -> None:
        tickets = (
            Ticket(item, run.edits.get(name, {}), run.placed.get(name), run.taken.get(name))
            for item in in_turns(items)
            for name in [item.source.name]
        )
        with self._stoppable(run):
            for some in _in_windows(tickets):
                for done in self._results(self._pipeline(some)):
                    _count(run, done)
        settle_shared(run)

    def _pipeline(self, tickets: Sequence[Ticket]) -> Any:
        pools, gpu = self.pools, {"num_gpus": 1} if self.pools.gpus else {}
        read = self._rows(tickets).map_batches(ReadingStep, **self._actors(pools.readers))
        embedded = read.map_batches(EmbeddingStep, **self._actors(pools.embedders), **gpu)
        return embedded.map_batches(Writing, **self._actors(pools.writers))

    def _rows(self, values: Sequence[Any]) -> Any:
        size = max(1, min(MOST_TOGETHER, len(values) // (BLOCKS_EACH * self.pools.readers)))
        return self._ray.data.from_arrow(
            [packed(values[at : at + size]) for at in range(0, len(values), size)] or [packed([])]
        )

    def _actors(self, count: int) -> dict[str, Any]:
        pool = self._ray.data.ActorPoolStrategy(size=count, max_tasks_in_flight_per_actor=2)
        return self._task() | {"compute": pool, "fn_constructor_args": (self._parts,)}

    def _task(self) -> dict[str, Any]:
        return {"batch_format": "pyarrow", "batch_size": None, "num_cpus": SHARE}

    def _results(self, rows: Any) -> Iterator[Any]:
        """As they come. Raises what ended the work, as the error of ours that it is."""
        try:
            for table in rows.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
                if COLUMN in table.column_names:
                    yield from unpacked(table)
        except self._ray.exceptions.RayError as error:
            raise _ours(error) from error

    @contextmanager
    def _stoppable(self, run: Run) -> Iterator[None]:
        """Waiting for results cannot be left otherwise than as Ctrl-C leaves it."""
        import _thread

        asked, over = threading.Event(), threading.Event()

        def listen() -> None:
            while not over.wait(LISTENING):
                if run.repo.asked_to_stop():
                    asked.set()
                    _thread.interrupt_main()
                    return

        listening = threading.Thread(target=listen, name="listen for a stop", daemon=True)
        listening.start()
        try:
            yield
        except KeyboardInterrupt:
            if asked.is_set():
                raise IngestionStopped(
                    "The ingestion was stopped. What was done stays; the next run goes on from there."
                ) from None
            raise
        finally:
            over.set()
            listening.join()


@contextmanager
def ray_cluster(
    address: str, settings: Settings, openers: Openers, embedder: Embedder, workers: int | None = None
) -> Iterator[RayCluster]:
    """Join it, and leave it in any case: with the driver its actors go. embedder: the driver's own.
    Raises ConfigurationError."""
    with joined(address) as ray, _token(settings.data_dir) as token:
        yield RayCluster(ray, StepParts(settings, openers, (embedder.name, embedder.dim), token), workers)


@contextmanager
def _token(data_dir: Path) -> Iterator[Path]:
    """A file by which other machines can tell that they see the same folder."""
    data_dir.mkdir(parents=True, exist_ok=True)
    token = data_dir.resolve() / f"cluster-{uuid.uuid4().hex}.part"
    token.touch()
    try:
        yield token
    finally:
        token.unlink(missing_ok=True)


def _in_windows(values: Iterable[T]) -> Iterator[list[T]]:
    left = iter(values)
    while some := list(islice(left, WINDOW)):
        yield some


def _count(run: Run, done: DocumentDone) -> None:
    run.pages += done.pages
    run.chunks += done.chunks
    run.done(done.outcome)
    run.tell(done.outcome.source, "saved")


def _ours(error: Exception) -> Exception:
    """The error that an actor raised, from below what Ray wraps it in."""
    causes: Iterable[BaseException | None] = (getattr(error, "cause", None), error.__cause__, error.__context__)
    for cause in causes:
        if isinstance(cause, BedsideError):
            return cause
        if isinstance(cause, Exception) and isinstance(found := _ours(cause), BedsideError):
            return found
    return Unavailable(f"the Ray cluster gave up: {str(error).strip().splitlines()[-1]:.300}")
