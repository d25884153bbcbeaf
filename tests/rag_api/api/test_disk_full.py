"""No room on the disk: an upload hears so and leaves nothing half, an answer is shown and said to
be unstored."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient

from rag_api.container import Container
from rag_api.db import translated
from rag_api.errors import DiskFull, room
from rag_api.ingest.sources.sources import KeptFiles, SourceFile
from rag_api.main import create_app


def full(*_: object, **__: object) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_only_a_lack_of_room_is_said_to_be_one() -> None:
    with pytest.raises(DiskFull), room():
        full()
    with pytest.raises(PermissionError), room():
        raise PermissionError(errno.EACCES, "no")
    with pytest.raises(DiskFull, match="disk is full"), translated():
        raise psycopg.errors.DiskFull("could not extend file")


def test_a_file_that_does_not_fit_leaves_nothing_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("een tekst")
    kept = KeptFiles(tmp_path / "data")
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(DiskFull):
        kept.keep(SourceFile("a.txt", tmp_path / "a.txt"), "0" * 64)
    assert list(kept.folder.iterdir()) == []


def test_an_upload_hears_that_the_disk_is_full(container: Container, monkeypatch: pytest.MonkeyPatch) -> None:
    with TestClient(create_app(container.settings, container)) as client:
        monkeypatch.setattr(shutil, "copyfileobj", full)
        response = client.post("/documents", files={"file": ("nieuw.txt", b"Een nieuwe procedure.", "text/plain")})
    assert (response.status_code, response.json()["code"]) == (503, "disk_full")
    assert not list((container.settings.data_dir / "uploads").iterdir())


@pytest.mark.usefixtures("documents")
def test_on_a_full_disk_a_question_gets_its_sources_and_hears_that_it_is_not_stored(
    container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object, **__: object) -> None:
        with translated():
            raise psycopg.errors.DiskFull("could not extend file")

    monkeypatch.setattr("rag_api.answering.record.save_answer", no_room)
    monkeypatch.setattr(Path, "write_bytes", full)
    with TestClient(create_app(container.settings, container)) as client:
        body = client.post(
            "/ask", json={"question": "Hoeveel paracetamol mag een kind van 12 kg?", "mode": "sources"}
        ).json()
    assert body["sources"]
    assert "not_stored" in [notice["code"] for notice in body["notices"]]
