"""Headers of what rag_api itself serves: the page may ask for the microphone where that is
configured, and for nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.main import create_app


@pytest.mark.parametrize(("hands_free", "microphone"), [(False, "microphone=()"), (True, "microphone=(self)")])
def test_the_microphone_is_for_the_page_alone_where_it_is_hands_free(
    dsn: str, tmp_path: Path, hands_free: bool, microphone: str
) -> None:
    settings = Settings(data_dir=tmp_path, database_url=dsn, store="memory", hands_free=hands_free)
    with Container(settings) as container:
        client = TestClient(create_app(settings, container))
        session = client.get("/api/session")
    assert session.headers["Permissions-Policy"] == f"camera=(), geolocation=(), {microphone}"
    assert session.json()["hands_free"] is hands_free
