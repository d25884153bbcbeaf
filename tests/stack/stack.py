"""The stack of docker-compose.yml: built, started, filled with the sample handbook, asked through
nginx over TLS, taken down."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psycopg

from rag_api.config import Settings
from rag_api.stores.weaviate import WeaviateStore
from services.embedder.app import CARRIED
from tests.deployment.nginx import self_signed
from tests.faults.installation import DIM, NAME
from tests.faults.services import Service
from tests.stack import bases
from tests.stack.engine.compose import Compose, read
from tests.stack.engine.containers import HEALTHY, Containers
from tests.stack.engine.jobs import side_by_side
from tests.stack.engine.machine import Failed, expect_a_kernel_that_runs_them, expect_containers, last_words, podman

ROOT = bases.ROOT
STATE = ROOT / "build" / "stack"
SECRETS = (
    "BEDSIDE_POSTGRES_PASSWORD",
    "BEDSIDE_WEAVIATE_API_KEY",
    "BEDSIDE_EMBEDDER_API_KEY",
    "BEDSIDE_GENERATOR_API_KEY",
)
AT_ONCE = 3  # builds: on two cores the third one has what the others leave while they wait for the network
PERSON = "demo"
MACHINE = "stack"
QUESTION = "hoeveel paracetamol iv bij een kind van 12 kg?"


@dataclass
class Stack:
    """Of one project. `generator`: its image is the largest by far (torch with CUDA); without it
    questions get their sources."""

    project: str = "bedside"
    http: int = 80
    https: int = 443
    generator: bool = True
    monitoring: bool = False
    short: bool = False
    tell: Callable[[str], None] = lambda said: print(f"== {said}", flush=True)
    scale: Mapping[str, int] = field(default_factory=lambda: {"rag_api": 2})
    settings: Mapping[str, str] = field(default_factory=dict)  # further ones of the .env
    checkout: Path = ROOT  # whose compose file and Dockerfiles these are
    tag: str = ""  # of our images; empty: as the compose file says
    previous: str = ""  # the commit that an upgrade begins at
    disks: Mapping[str, Path] = field(default_factory=dict)  # see Containers
    jobs: tuple[str, ...] = ("ingest",)  # that are run beside what stays

    @property
    def folder(self) -> Path:
        return STATE / self.project

    @property
    def values(self) -> dict[str, str]:
        lines = (self.folder / "env").read_text("utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines) | {"BEDSIDE_RESOLVER": self._resolver} | dict(self.settings)

    _resolver = "127.0.0.11"

    @property
    def compose(self) -> Compose:
        found = read(self.checkout / "docker-compose.yml", self.values)
        for one in found.services.values():
            if self.tag and "build" in one:
                one["image"] = f"{one['image'].rpartition(':')[0]}:{self.tag}"
        if self.short:
            ingest, rag_api = found.services["ingest"], found.services["rag_api"]
            ingest |= {name: rag_api[name] for name in ("image", "build")}
            # no service: as children, which read what is neither Word nor a scan
            ingest["environment"]["READING_SOCKET"] = ""
        return found

    @property
    def containers(self) -> Containers:
        return Containers(self.project, self.compose, self.checkout, self.scale, self.disks)

    @property
    def active(self) -> list[str]:
        found = self.compose.active(
            [*(["cpu"] if self.generator else []), *(["monitoring"] if self.monitoring else [])]
        )
        return [service for service in found if not (self.short and service == "reading")]

    # -- up and down

    def prepare(self) -> None:
        """The .env with secrets of its own, and a certificate; those of the last time where there
        are some."""
        if (self.folder / "env").exists():
            return
        (self.folder / "tls").mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        for path in self_signed(self.folder / "tls"):
            os.chown(path, 101, 101)
        (self.folder / "tls").chmod(0o755)
        values = {name: secrets.token_hex(32) for name in SECRETS} | {
            "BEDSIDE_SERVER_NAME": "localhost",
            "BEDSIDE_TLS_DIR": str(self.folder / "tls"),
            "BEDSIDE_SIGN_IN": "local",
            "BEDSIDE_GENERATOR_MODEL": "demo",
            "BEDSIDE_EMBEDDER": NAME,
            "BEDSIDE_EMBEDDER_MODEL": CARRIED,
            "BEDSIDE_EMBEDDER_LOCK": "embedder-e5",
            "BEDSIDE_DOCUMENTS": str(ROOT / "rag_api" / "handbook" / "pdf"),
            "BEDSIDE_MONITOR_FILE": str(self.folder / "monitor.key"),
            "BEDSIDE_PUBLIC_HTTP": str(self.http),
            "BEDSIDE_PUBLIC_HTTPS": str(self.https),
        }
        (self.folder / "monitor.key").touch(0o600)
        os.chown(self.folder / "monitor.key", 65534, 65534)
        (self.folder / "env").write_text("".join(f"{name}={value}\n" for name, value in values.items()))
        (self.folder / "env").chmod(0o600)

    def build(self) -> None:
        """Every image that is not there, side by side: some wait for the network while others
        compute. Raises Failed, NoContainers or NotToBeHad, after what is being built."""
        expect_containers()
        self.prepare()
        bases_of = bases.bases()
        python = f"docker.io/{bases.full_name(bases_of['python'].image)}"

        def provide(name: str) -> None:
            bases.provide(bases_of[name], self.tell)
            if name == "python":
                expect_a_kernel_that_runs_them(python)

        works = {name: partial(provide, name) for name in bases_of} | {
            image: partial(self._build, service) for image, service in self._own().items()
        }
        waits = {name: bases.needed_by(name) for name in bases_of} | {
            image: self._needed_by(image) for image in self._own()
        }
        side_by_side(works, waits, AT_ONCE)

    def _own(self) -> dict[str, str]:
        """Our images that are wanted, and the first service of each."""
        found: dict[str, str] = {}
        for service in [*self.active, *self.jobs]:
            if "build" in (one := self.compose.services[service]):
                found.setdefault(one["image"], service)
        return found

    def _needed_by(self, image: str) -> set[str]:
        """The bases that its Dockerfile begins with, and the image that is made by the same file
        before it, whose layers it shares."""
        services = self.compose.services
        file = services[self._own()[image]]["build"]["dockerfile"]
        before = [other for other, service in self._own().items() if services[service]["build"]["dockerfile"] == file]
        text = (self.checkout / file).read_text("utf-8")
        return {name for name, base in bases.bases().items() if f"FROM {base.image}" in text} | set(
            before[: before.index(image)]
        )

    def _build(self, service: str) -> None:
        one = self.compose.services[service]
        began = time.monotonic()
        file = one["build"]["dockerfile"]
        options = [f"--build-arg={name}={value}" for name, value in one["build"].get("args", {}).items()]
        options += [f"--target={target}"] if (target := one["build"].get("target")) else []
        image, key = f"docker.io/{one['image']}", bases.made_of(self.checkout / file, self.checkout, options)
        if bases.label(image) == key:  # told from layers it would take long: the engine reads all of a copied one again
            self.tell(f"{one['image']} is there, built of the same files")
            return
        options += [f"--label={bases.MADE_OF}={key}"]
        bases.build(
            self.checkout / file, self.checkout, image, *options, log=self.folder / f"{service}{self.tag}.build.log"
        )
        self.tell(f"{one['image']} is built ({time.monotonic() - began:.0f} s)")

    def start(self, without: tuple[str, ...] = (), order: Sequence[str] = ()) -> None:
        """Each service after those that it waits for, as the file says, or in an `order` that waits
        for nobody; then until all are healthy. Raises Failed."""
        wanted = [*order] or [service for service in self.active if service not in without]
        self.containers.remove(volumes=False)
        self.containers.make_networks()
        self._resolver = self.containers.gateway("front")
        containers = self.containers
        for service in wanted:
            waits_for = {} if order else containers.compose.services[service].get("depends_on", {})
            for other, on in waits_for.items():
                if on["condition"] == "service_healthy":
                    containers.wait_healthy(other)
                else:
                    containers.wait_ended(other)
            containers.start(service)
        for service in wanted:
            if "healthcheck" in containers.compose.services[service]:
                containers.wait_healthy(service)

    def down(self) -> None:
        """Containers, networks, volumes and secrets; images stay, since making them anew takes
        long."""
        if (self.folder / "env").exists():
            self.containers.remove(volumes=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        if STATE.exists() and not any(STATE.iterdir()):
            STATE.rmdir()

    # -- work

    def ingest(self, folder: Path | None = None) -> dict[str, Any]:
        """By the profile `ingest`: the folder of the .env, or another one. Raises Failed."""
        process = self.run("ingest", str(folder or ""), "--json")
        said, _ = process.communicate(timeout=1200)
        if process.returncode != 0:
            raise Failed(
                f"The ingestion ended with {process.returncode}: "
                f"{last_words((self.folder / 'ingest.log').read_text('utf-8'))}"
            )
        found: dict[str, Any] = json.loads(said.decode().strip().splitlines()[-1])
        return found

    def upkeep(self, command: str, backups: Path) -> None:
        """`bedside backup` or `restore`, of the folder `today` there. Raises Failed."""
        process = self.run(command, "/backups/today", options=(f"--volume={backups}:/backups",))
        process.communicate(timeout=600)
        if process.returncode != 0:
            raise Failed(
                f"`bedside {command}` ended with {process.returncode}: "
                f"{last_words((self.folder / f'{command}.log').read_text())}"
            )

    def run(
        self, *arguments: str, name: str = "", options: tuple[str, ...] = (), **environment: str
    ) -> subprocess.Popen[bytes]:
        """`bedside ARGUMENTS` in a container of its own. A folder of this machine is mounted for
        `ingest`."""
        command, *rest = arguments
        further = [*options, *(f"--env={variable}={value}" for variable, value in environment.items())]
        if command == "ingest":
            given, *rest = rest
            further += [f"--volume={given}:/given:ro"] if given else []
            rest = ["/given" if given else "/documents", *rest]
        with (self.folder / f"{command}.log").open("ab") as log:
            return self.containers.run(
                "ingest",
                "bedside",
                command,
                *rest,
                options=further,
                name=name or self.ingestion(),
                log=log,
            )

    def ingestion(self) -> str:
        return f"{self.project}-ingestion-{secrets.token_hex(4)}"

    def inside(self, *command: str, feed: str | None = None) -> str:
        """What a command in the first rag_api printed. Raises Failed."""
        return podman("exec", "--interactive", self.containers.name("rag_api"), *command, feed=feed)

    def accounts(self) -> None:
        """One for a person, with a password; one for this driver, with a key. Once."""
        if (self.folder / "key").exists():
            return
        password = secrets.token_urlsafe(12)
        self.inside("bedside", "users", "add", PERSON, "--roles", "reader,judge,admin", feed=f"{password}\n")
        self.inside("bedside", "users", "add", MACHINE, "--machine", "--roles", "reader,admin,auditor")
        key = self._key("stack", "ask,read,ingest,monitor")
        (self.folder / "monitor.key").write_text(self._key("prometheus", "monitor"))
        for name, value in (("password", password), ("key", key)):
            (self.folder / name).write_text(value)
            (self.folder / name).chmod(0o600)

    def _key(self, name: str, scopes: str) -> str:
        return (
            self.inside("bedside", "keys", "add", MACHINE, "--name", name, "--scopes", scopes).strip().splitlines()[-1]
        )

    @property
    def url(self) -> str:
        return f"https://localhost:{self.https}/api"

    def client(self, timeout: float) -> httpx.Client:
        import ssl

        trusted = ssl.create_default_context(cafile=str(self.folder / "tls" / "tls.crt"))
        return httpx.Client(
            timeout=timeout, verify=trusted, headers={"Authorization": f"Bearer {(self.folder / 'key').read_text()}"}
        )

    def ask(self, question: str = QUESTION, **further: str) -> dict[str, Any]:
        """Through nginx. Raises Failed."""
        with self.client(120) as client:
            try:
                response = client.post(f"{self.url}/ask", json={"question": question, **further})
            except httpx.HTTPError as error:
                raise Failed(f"nginx does not answer on port {self.https}: {error}") from error
        if response.status_code != 200:
            raise Failed(f"The question was refused with {response.status_code}: {response.text[:300]}")
        found: dict[str, Any] = response.json()
        return found

    # -- what tests/faults asks of an installation

    def query(self, text: str, **values: object) -> list[tuple[object, ...]]:
        """Straight from the database, past Bedside. Raises psycopg.OperationalError."""
        host = self.containers.address(self.containers.name("postgres"), "data")
        password = self.values["BEDSIDE_POSTGRES_PASSWORD"]
        with psycopg.connect(
            host=host, user="bedside", dbname="bedside", password=password, connect_timeout=3
        ) as connection:
            return connection.execute(text.encode(), values).fetchall()

    @contextmanager
    def index(self) -> Iterator[WeaviateStore]:
        host = self.containers.address(self.containers.name("weaviate"), "data")
        key = self.values["BEDSIDE_WEAVIATE_API_KEY"]
        settings = Settings(
            data_dir=self.folder / "past",
            store="weaviate",
            weaviate_url=f"http://{host}:8080#50051",
            weaviate_api_key=key,
        )
        store = WeaviateStore(settings, f"{NAME}+neutral", DIM)
        try:
            yield store
        finally:
            store.close()

    @property
    def services(self) -> dict[str, Service]:
        """Every container that stays, by its service. The engine starts again what ended."""
        found = {}
        for service in self.active:
            if "healthcheck" in self.compose.services[service]:
                found[service] = self._service(service)
        return found

    def _service(self, service: str) -> Service:
        containers = self.containers
        name = containers.name(service)
        ends_by = containers.stop_signal(service)
        return Service(
            service, lambda: containers.pid(name), None, lambda: containers.is_healthy(service, name), ends_by, HEALTHY
        )
