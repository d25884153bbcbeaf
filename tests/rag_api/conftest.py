"""An installation with a store in memory, as the module's `settings` say, and a small hospital in
it for who asks for its `documents`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import Document
from tests.support.world import empty, load_hospital


@pytest.fixture
async def container(settings: Settings) -> AsyncIterator[Container]:
    """Empty again when the test is over."""
    with Container(settings) as made:
        yield made
        empty(made)
        await made.generator.close()


@pytest.fixture
def documents(container: Container) -> dict[str, Document]:
    return load_hospital(container)
