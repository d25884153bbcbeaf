"""The documents list that ingestion writes to: its implementations take what its protocol names."""

from __future__ import annotations

from inspect import getmembers, isfunction, signature

import pytest

from rag_api.db.documents import PgDocuments
from rag_api.ingest.sources.repository import DocumentsRepo, MemoryDocuments

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("made", [PgDocuments, MemoryDocuments])
def test_every_method_may_be_called_by_the_protocols_names(made: type) -> None:
    wanted = {name: list(signature(method).parameters) for name, method in getmembers(DocumentsRepo, isfunction)}
    wanted = {name: names for name, names in wanted.items() if not name.startswith("_")}
    assert wanted["put_progress"] == ["self", "at"]
    taken = {name: list(signature(getattr(made, name)).parameters) for name in wanted}
    assert {name: names[: len(wanted[name])] for name, names in taken.items()} == wanted
