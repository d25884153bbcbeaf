"""A reader in the tests' own process, which is there already: starting one for each run takes
longer than the runs."""

from __future__ import annotations

import pytest

from rag_api.domain import ReadDocument
from rag_api.ingest.common.job import Job
from rag_api.ingest.readers.read import read


class ReaderHere:
    timeout, memory_mb = 30.0, 512

    def __init__(self, *_: object) -> None: ...

    def read(self, job: Job, on_page: object = None) -> ReadDocument:
        return read(job.path, job.name, job.kind, job.max_pages, job.shown)

    def close(self) -> None: ...


@pytest.fixture
def reader_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag_api.ingest.sandbox.pool.ReaderProcess", ReaderHere)
