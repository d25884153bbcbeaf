"""A small hospital's real service before a browser, asked by whoever `asker` names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from rag_api.api.deps import current_user
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import LOCAL_USER, User
from rag_api.main import create_app
from tests.e2e.conftest import NewPage, Serving
from tests.e2e.scripted import DIST
from tests.support.scripted_server import Scripted
from tests.support.world import empty, load_hospital


class Asker:
    """Who asks next."""

    user: User = LOCAL_USER


@pytest.fixture
def asker() -> Asker:
    return Asker()


@pytest.fixture(scope="module")
def service(dsn: str, scripted: Scripted, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    data = tmp_path_factory.mktemp("data")
    with Container(
        Settings(data_dir=data, database_url=dsn, store="memory", generator_url=scripted.url, web_dir=DIST)
    ) as made:
        yield made


@pytest.fixture
def container(service: Container) -> Iterator[Container]:
    """With the hospital's documents, and without anything when the test is over."""
    load_hospital(service)
    yield service
    empty(service)
    service.db.run("truncate judged_questions, owners, users cascade")


@pytest.fixture
def url(container: Container, asker: Asker, serving: Serving) -> str:
    app = create_app(container.settings, container)
    app.dependency_overrides[current_user] = lambda: asker.user
    return serving(app)


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page(allowed="pdf|PDF")  # the small hospital's files are PDFs in name only
