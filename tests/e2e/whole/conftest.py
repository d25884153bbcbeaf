"""The whole service before a browser: files that the real pipeline read, and mail that a real
server takes; asked by whoever `asker` names."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from rag_api.api.deps import current_user
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import survey
from rag_api.main import create_app
from tests.conftest import new_database
from tests.e2e.managing.conftest import Asker, asker
from tests.e2e.scripted import DIST
from tests.rag_api.made_files.pdfs import HANDBOOK, both, lines, pdf, write
from tests.support.http_server import served
from tests.support.ports import free_port
from tests.support.scripted_server import scripted_server

__all__ = ["asker"]
PROCEDURES = ("paracetamol-iv-kinderen.pdf", "prikaccident.pdf", "nuchterbeleid.pdf")
DOSE = "Hoeveel paracetamol iv krijgt een kind van 12 kg?"
LETTERHEAD = (
    "Algemeen Ziekenhuis De Brug vzw",
    "Brugstraat 12, 9000 Gent",
    "Telefoon 09 111 22 33",
    "www.debrug.example",
)
LETTERS = {
    "dagopname.pdf": (
        "Onthaal van de dagopname",
        "De verpleegkundige haalt de patiënt om 7 uur op aan de balie.",
        "Zij vraagt naar allergie en naar een contactpersoon.",
    ),
    "wondzorg.pdf": (
        "Verzorging van een steekwonde",
        "Spoel een steekwonde met lauw water.",
        "Verwijder een splinter met een steriel pincet.",
    ),
    "linnen.pdf": (
        "Vervanging van het linnen",
        "Vervang het linnen van een bed elke dag voor 10 uur.",
        "Leg vuil linnen in een blauwe zak.",
    ),
}


class Box:
    """The mails that a server took."""

    def __init__(self) -> None:
        self.mails: list[Message] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.mails.append(message_from_bytes(envelope.content, policy=default))
        return "250 taken"


@pytest.fixture(scope="package")
def box() -> Box:
    return Box()


@pytest.fixture(scope="package")
def settings(
    postgres_server: str, migrated: str, box: Box, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    controller = Controller(box, hostname="127.0.0.1", port=free_port())
    controller.start()
    port = free_port()
    with scripted_server() as generator, new_database(postgres_server, migrated) as dsn:
        yield Settings(
            data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="lance", generator_url=generator.url, web_dir=DIST,
            port=port, public_url=f"http://127.0.0.1:{port}",
            smtp_host="127.0.0.1", smtp_port=controller.port, smtp_security="off", smtp_from="bedside@hospital.example",
        )  # fmt: skip
    controller.stop()


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Procedures of the sample handbook, and letters under one letterhead."""
    made = tmp_path_factory.mktemp("documents")
    for name in PROCEDURES:
        shutil.copy(HANDBOOK / name, made / name)
    for name, (title, *texts) in LETTERS.items():
        page = both(lines(*LETTERHEAD), lines(title, y=690, size=18, font="Helvetica-Bold"), lines(*texts, y=660))
        write(made, name, pdf(page))
    return made


def outcomes(container: Container, folder: Path, settings: Settings) -> set[str]:
    """What became of the files, read as these settings say."""
    report = ingest(
        survey([folder]),
        settings=settings,
        documents_repo=PgDocuments(container.db),
        store=container.store,
        embedder=container.embedder,
    )
    return {one.outcome for one in report.items}


@pytest.fixture(scope="package")
def container(settings: Settings, folder: Path) -> Iterator[Container]:
    with Container(settings) as made:
        assert outcomes(made, folder, settings) == {"indexed"}
        yield made


@pytest.fixture
def url(container: Container, asker: Asker) -> Iterator[str]:
    app = create_app(container.settings, container)
    app.dependency_overrides[current_user] = lambda: asker.user
    with served(app, container.settings.port) as address:
        yield address
