"""Gain and cost of a Ray cluster: the same small files on one machine's own path, and on Ray with
so many workers of each kind, one after another in one run, each in a process of its own with a
database, a collection and a data directory of its own.

Ray's nodes are started here (one core each, 100 MB of object store), Weaviate is the configured
one. What is told: documents a minute, seconds until Ray is ready, processor seconds of all but the
databases, memory of the driver, of all other processes, and of the object stores at their
fullest."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from evaluation.documents.size import LINES, CheapEmbedder, TimedEmbedder, write_files
from evaluation.service.processes import processor_seconds, resident_mb
from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.documents import PgDocuments
from rag_api.db.migrate import migrate
from rag_api.domain import Progress
from rag_api.embed import Embedder, open_embedder
from rag_api.ingest.cluster.connect import QUIET
from rag_api.ingest.cluster.engine import ray_cluster
from rag_api.ingest.cluster.steps import Openers
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import survey
from rag_api.own_processes.postgres import EmbeddedPostgres
from rag_api.stores import open_store
from rag_api.stores.weaviate import WeaviateStore

# Without what a cluster has for its operators: a page, logs sent to the driver, machines that are
# asked for as they are needed.
NODE = {
    "num_cpus": 1,
    "object_store_memory": 100 << 20,
    "include_dashboard": False,
    "include_log_monitor": False,
    "no_monitor": True,
}
# Ray gives way to all else on a machine (niceness 15); beside the local path, and beside other
# work, that would be what is measured.
EQUAL = {"RAY_worker_niceness": "0"}
MARK = 500  # documents
EVERY = 0.5  # seconds between two looks at memory


def measure(
    settings: Settings,
    files: Sequence[int],
    workers: Sequence[int],
    embedder: str,
    tell: Callable[[int], None],
    lines: int = LINES,
) -> dict[str, dict[str, Any]]:
    """For each number of files a row for the local path and for each number of workers."""
    rows = {}
    for many in files:
        for count in (0, *workers):
            said = {"url": settings.weaviate_url, "files": many, "workers": count, "embedder": embedder, "lines": lines}
            done = subprocess.run(
                [sys.executable, "-m", "evaluation.documents.cluster", json.dumps(said)], capture_output=True, text=True
            )
            if done.returncode:
                raise RuntimeError(done.stderr[-2000:])
            where = f"Ray, {count} {'worker' if count == 1 else 'workers'}" if count else "local"
            rows[f"{where}, {many} files"] = json.loads(done.stdout.splitlines()[-1])
            tell(many)
    return rows


def measure_one(url: str, files: int, workers: int, embedder: str, lines: int = LINES) -> dict[str, Any]:
    with ExitStack() as stack:
        kept = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bedside-cluster-")))
        write_files(kept / "documents", files, lines=lines)
        settings = stack.enter_context(_installed(kept, url, embedder))
        own = TimedEmbedder(open_named(settings))
        store = stack.enter_context(closing(open_store(settings, own.name, own.dim)))
        assert isinstance(store, WeaviateStore)
        stack.callback(store.drop)
        repo = stack.enter_context(_listed(settings))
        began = time.monotonic()
        address = stack.enter_context(small_cluster(workers)).address if workers else ""
        engine = stack.enter_context(ray_cluster(address, settings, OPENERS, own, workers)) if workers else None
        ready = time.monotonic() - began
        watched = stack.enter_context(watching(address))
        began = time.monotonic()
        report = ingest(
            survey([kept / "documents"]),
            settings=settings,
            documents_repo=repo,
            store=store,
            embedder=own,
            engine=engine,
            progress=watched.passed,
        )
        seconds = time.monotonic() - began
    return {
        "workers": workers,
        "documents": report.indexed,
        "documents_per_minute": round(60 * report.indexed / seconds),
        "seconds": round(seconds, 1),
        "seconds_until_ready": round(ready, 1),
        "chunks": report.chunks,
        "processor_seconds": round(watched.processor_seconds),
        "driver_peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "others_peak_mb": watched.others_mb,
        "object_store_peak_mb": watched.stored_mb,
        "on_the_way": watched.on_the_way,
    }


def open_named(settings: Settings) -> Embedder:
    return CheapEmbedder() if settings.embedder == "none" else open_embedder(settings)


def open_listed(settings: Settings) -> PgDocuments:
    assert settings.database_url is not None
    return PgDocuments(Database(settings.database_url.get_secret_value(), max_size=2))


OPENERS = Openers(open_listed, open_store, open_named)


@contextmanager
def _installed(kept: Path, url: str, embedder: str) -> Iterator[Settings]:
    server = EmbeddedPostgres(kept / "postgres")
    dsn = server.start()
    try:
        migrate(dsn)
        yield Settings(
            data_dir=kept / "data",
            embedder=embedder,
            database_url=SecretStr(dsn),
            store="weaviate",
            weaviate_url=url,
            weaviate_collection=f"Bench{uuid.uuid4().hex}",
        )
    finally:
        server.stop()


@contextmanager
def _listed(settings: Settings) -> Iterator[PgDocuments]:
    repo = open_listed(settings)
    yield repo
    repo.db.close()


@contextmanager
def small_cluster(nodes: int = 1) -> Iterator[Any]:
    """Ray's own `Cluster` of so many small nodes on this machine, all of it in a folder that goes
    with it."""
    os.environ.update(QUIET | EQUAL)
    # a short name: sockets lie there
    with tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        os.environ["RAY_TMPDIR"] = folder
        (Path(folder) / "ray").mkdir()
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args=NODE)
        try:
            for _ in range(nodes - 1):
                cluster.add_node(**NODE)
            yield cluster
        finally:
            cluster.shutdown()


@dataclass
class WatchedMemory:
    """Peaks of memory: of all processes below this one, and of what is in the object stores; and
    the processor's time of each process."""

    others_mb: int = 0
    stored_mb: int = 0
    others_now_mb: int = 0
    stored_now_mb: int = 0
    on_the_way: dict[int, dict[str, int]] = field(default_factory=dict)
    before: dict[int, float] = field(default_factory=dict)
    after: dict[int, float] = field(default_factory=dict)

    @property
    def processor_seconds(self) -> float:
        return sum(self.after.values()) - sum(self.before.values())

    def passed(self, progress: Progress) -> None:
        """Memory as it is at every MARK documents, said at once: a run that ends early has told
        something."""
        if progress.done % MARK or progress.done in self.on_the_way:
            return
        self.on_the_way[progress.done] = {
            "driver_mb": resident_mb(os.getpid()),
            "others_mb": self.others_now_mb,
            "object_store_mb": self.stored_now_mb,
            "seconds": round(progress.seconds),
        }
        print(progress.done, self.on_the_way[progress.done], file=sys.stderr, flush=True)


@contextmanager
def watching(address: str) -> Iterator[WatchedMemory]:
    own = {os.getpid(), *_descendants()}
    watched, over = WatchedMemory(before={pid: processor_seconds(pid) for pid in own}), threading.Event()

    def look() -> None:
        below = _descendants()
        watched.after |= {pid: seconds for pid in (os.getpid(), *below) if (seconds := processor_seconds(pid)) > 0}
        watched.others_now_mb = sum(map(_own_kb, below)) // 1024
        watched.others_mb = max(watched.others_mb, watched.others_now_mb)
        if address:
            watched.stored_now_mb = _stored_mb(address)
            watched.stored_mb = max(watched.stored_mb, watched.stored_now_mb)

    def watch() -> None:
        while not over.wait(EVERY):
            look()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield watched
    finally:
        over.set()
        thread.join()
        look()


def _stored_mb(address: str) -> int:
    from ray._private.internal_api import get_memory_info_reply, get_state_from_address

    try:
        return int(get_memory_info_reply(get_state_from_address(address)).store_stats.object_store_bytes_used) >> 20
    except Exception:  # a node is starting or gone
        return 0


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    left, found = list(children.get(os.getpid(), [])), []
    while left:
        found.append(pid := left.pop())
        left += children.get(pid, [])
    return found


def _own_kb(pid: int) -> int:
    """Memory of its own: what several share is counted in shares."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


if __name__ == "__main__":
    print(json.dumps(measure_one(**json.loads(sys.argv[1]))))
