"""An index that an earlier release left in the demo's data directory is no reason to stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.cli.serving.demo import open_index
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.errors import EmbedderMismatch
from rag_api.stores.lance import LanceStore


def test_an_index_of_another_embedder_is_made_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    LanceStore(tmp_path / "index", "an embedder of before", 8).close()
    with Container(Settings(data_dir=tmp_path, store="lance")) as container:
        with pytest.raises(EmbedderMismatch):
            container.store.count()
        open_index(container)
        assert container.store.count() == 0
    assert "made anew" in capsys.readouterr().err
