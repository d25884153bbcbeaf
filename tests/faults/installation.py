"""A whole Bedside as processes of their own: `bedside serve` with the PostgreSQL and the generator
that it starts itself, a real Weaviate and the embedding service beside it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import httpx
import psycopg

from rag_api import handbook
from rag_api.config import Settings
from rag_api.embed.e5.encoder import E5Encoder
from rag_api.stores.weaviate import WeaviateStore
from services.embedder.app import CARRIED
from tests.faults.services import Service
from tests.support import weaviate_dev
from tests.support.ports import free_ports

NAME = E5Encoder.name  # its languages' directions, and what the decision was fitted to, are known by this name
DIM = 384
HANDBOOK = ("paracetamol-iv-kinderen.pdf", "kalium-iv.pdf", "picc-zorg.pdf", "mews-escalatie.pdf")
START_SECONDS = 240.0


class Bedside(Protocol):
    """What is asked of an installation, whatever its services run in."""

    @property
    def folder(self) -> Path: ...
    @property
    def url(self) -> str: ...
    def client(self, timeout: float) -> httpx.Client: ...
    def run(self, *arguments: str) -> subprocess.Popen[bytes]: ...
    def query(self, text: str, **values: object) -> list[tuple[object, ...]]: ...
    def index(self) -> AbstractContextManager[WeaviateStore]: ...


@dataclass
class Installation:
    """Of one folder. `services` by name; the documents of HANDBOOK can be asked about."""

    folder: Path
    port: int
    embedder_port: int
    node: weaviate_dev.Node
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    # that were run, whether they have ended or not
    commands: list[subprocess.Popen[bytes]] = field(default_factory=list)
    further: dict[str, str] = field(default_factory=dict)  # in the environment of Bedside's processes

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def environment(self) -> dict[str, str]:
        own = {
            "DATA_DIR": str(self.data),
            "PORT": str(self.port),
            "STORE": "weaviate",
            "WEAVIATE_URL": f"{self.node.url}#{self.node.grpc_port}",
            "EMBEDDER": NAME,
            "EMBEDDER_URL": f"http://127.0.0.1:{self.embedder_port}/v1",
            "QUESTIONS_PER_MINUTE": "0",
            "REQUESTS_PER_MINUTE": "0",
            # nothing is embedded beside what is measured; the handbook's sentences are, before it
            "SENTENCE_VECTORS_MB": "0",
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("BEDSIDE_")}
        return kept | {f"BEDSIDE_{name}": value for name, value in own.items()} | self.further

    @property
    def services(self) -> dict[str, Service]:
        return {
            "postgres": Service("postgres", self._postgres, None, self._database_answers, signal.SIGINT),
            "store": Service(
                "store",
                lambda: self._pid("store"),
                self.start_store,
                lambda: _ok(f"{self.node.url}/v1/.well-known/ready"),
            ),
            "embedder": Service(
                "embedder", lambda: self._pid("embedder"), self.start_embedder, lambda: _ok(self._embedder_health)
            ),
            "generator": Service("generator", self._generator, None, self._generator_answers),
            "bedside": Service(
                "bedside", lambda: self._pid("bedside"), self.start_bedside, lambda: _ok(f"{self.url}/health/ready")
            ),
        }

    def run(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """`bedside ARGUMENTS` in this installation."""
        name = arguments[0]
        with (self.folder / f"{name}.log").open("ab") as log:
            command = [sys.executable, "-m", "rag_api.cli.app", *arguments]
            output = log if name == "serve" else subprocess.PIPE
            process = subprocess.Popen(
                command, env=self.environment | environment, stdin=subprocess.DEVNULL, stdout=output, stderr=log
            )
        self.commands.append(process)
        return process

    def start_bedside(self) -> None:
        self._started("bedside", self.run("serve"))

    def start_store(self) -> None:
        self._ended("store")
        self.node = weaviate_dev.again(self.node)
        self.processes["store"] = self.node.process

    def start_embedder(self) -> None:
        own = {
            "BEDSIDE_EMBEDDER_PORT": str(self.embedder_port),
            "BEDSIDE_EMBEDDER_MODEL": CARRIED,
            "BEDSIDE_EMBEDDER_SERVED_NAME": NAME,
        }
        with (self.folder / "embedder.log").open("ab") as log:
            command = [sys.executable, "-m", "services.embedder"]
            self._started(
                "embedder",
                subprocess.Popen(command, env=os.environ | own, stdin=subprocess.DEVNULL, stdout=log, stderr=log),
            )

    def client(self, timeout: float) -> httpx.Client:
        return httpx.Client(timeout=timeout)

    def query(self, text: str, **values: object) -> list[tuple[object, ...]]:
        """Straight from the database, past Bedside. Raises psycopg.OperationalError."""
        _, _, _, port, sockets, *_ = (self.data / "postgres" / "postmaster.pid").read_text().splitlines()
        with psycopg.connect(
            host=sockets, port=port, user="postgres", dbname="bedside", connect_timeout=3
        ) as connection:
            return connection.execute(text.encode(), values).fetchall()

    @contextmanager
    def index(self) -> Iterator[WeaviateStore]:
        """The store, past Bedside."""
        settings = Settings(
            data_dir=self.folder / "past", store="weaviate", weaviate_url=f"{self.node.url}#{self.node.grpc_port}"
        )
        store = WeaviateStore(settings, f"{NAME}+neutral", DIM)
        try:
            yield store
        finally:
            store.close()

    def close(self) -> None:
        for service in self.services.values():
            service.tell(signal.SIGCONT)
        for command in self.commands:
            if command is not self.processes.get("bedside") and command.poll() is None:
                command.kill()
                command.wait()
        for name in ("bedside", "embedder", "store"):
            process = self.processes.get(name)
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGINT if name == "bedside" else signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(30)
            self._ended(name)
        Service("postgres", self._postgres, None, bool).tell(signal.SIGKILL)

    def _started(self, name: str, process: subprocess.Popen[bytes]) -> None:
        self._ended(name)
        self.processes[name] = process

    def _ended(self, name: str) -> None:
        process = self.processes.get(name)
        if process is not None:
            process.kill()
            process.wait()

    def _pid(self, name: str) -> int:
        return self.processes[name].pid if name in self.processes else 0

    def _postgres(self) -> int:
        with suppress(OSError, ValueError, IndexError):
            pid = int((self.data / "postgres" / "postmaster.pid").read_text().split()[0])
            return pid if Path(f"/proc/{pid}/comm").read_text().strip() == "postgres" else 0
        return 0

    def _generator(self) -> int:
        with suppress(OSError, ValueError):
            return int(json.loads((self.data / "generator.json").read_text())["pid"])
        return 0

    def _generator_answers(self) -> bool:
        with suppress(OSError, ValueError):
            return _ok(f"http://127.0.0.1:{json.loads((self.data / 'generator.json').read_text())['port']}/health")
        return False

    def _database_answers(self) -> bool:
        try:
            return self.query("select 1") == [(1,)]
        except (OSError, ValueError, psycopg.Error):
            return False

    @property
    def _embedder_health(self) -> str:
        return f"http://127.0.0.1:{self.embedder_port}/health"


def _ok(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5.0).status_code in (200, 204)
    except httpx.HTTPError:
        return False


@contextmanager
def installation(
    folder: Path, *, generator: bool = True, further: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Installation]:
    """A running one, with the handbook's documents; ended at the end, whatever was done to its
    processes. Raises NotToBeHad."""
    with ExitStack() as stack:
        (node,) = weaviate_dev.start(folder / "weaviate")
        stack.callback(node.stop)
        port, embedder_port = free_ports(2)
        made = Installation(folder, port, embedder_port, node, {"store": node.process}, further=dict(further))
        stack.callback(made.close)
        made.start_embedder()
        made.services["embedder"].wait(START_SECONDS)
        made.start_bedside()
        made.services["bedside"].wait(START_SECONDS)
        pdfs = folder / "handbook"
        pdfs.mkdir()
        for name in HANDBOOK:
            (pdfs / name).symlink_to(Path(handbook.__file__).parent / "pdf" / name)
        for command in (("ingest", str(pdfs), "--json"), ("index", "sentences")):
            process = made.run(*command, BEDSIDE_SENTENCE_VECTORS_MB="64")
            said, _ = process.communicate(timeout=START_SECONDS)
            assert process.returncode == 0, said
        if generator:
            made.services["generator"].wait(START_SECONDS)
        yield made


def until(done: object, seconds: float) -> bool:
    """Whether `done` becomes true in time; what it raises while a service is away is waited out."""
    assert callable(done)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(psycopg.Error, OSError, ValueError, httpx.HTTPError):
            if done():
                return True
        time.sleep(0.1)
    return False
