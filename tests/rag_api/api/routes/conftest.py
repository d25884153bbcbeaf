"""The service over HTTP, asked by whoever `asker` names: the real API on a real port, without a
generator."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag_api.api.deps import current_user
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import LOCAL_USER, User
from rag_api.main import create_app
from tests.support.http_server import served


class Asker:
    """Who asks next."""

    user: User = LOCAL_USER


@pytest.fixture(scope="module")
def asker() -> Asker:
    return Asker()


@pytest.fixture(scope="module")
def container(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    web, data = tmp_path_factory.mktemp("no page"), tmp_path_factory.mktemp("data")
    settings = Settings(
        data_dir=data, database_url=dsn, store="memory", generator_url="http://127.0.0.1:1/v1", web_dir=web
    )
    with Container(settings.model_copy(update={"questions_per_minute": 0, "requests_per_minute": 0})) as made:
        yield made


@pytest.fixture(scope="module")
def url(container: Container, asker: Asker) -> Iterator[str]:
    app = create_app(container.settings, container)
    app.dependency_overrides[current_user] = lambda: asker.user
    with served(app) as address:
        yield address
