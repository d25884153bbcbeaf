"""`python -m rag_api.embed`: the language directions that ship are what it measures."""

from __future__ import annotations

import runpy
import shutil
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

neutral = import_module("rag_api.embed.neutral")  # the package has a function of this name


def test_it_keeps_the_directions_that_ship(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = neutral.FOLDER
    shutil.copy(shipped / "pairs.tsv", tmp_path)
    monkeypatch.setattr(neutral, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["rag_api.embed", "e5-small"])
    runpy.run_module("rag_api.embed", run_name="__main__")
    (made,) = tmp_path.glob("*.npy")
    # a direction has no sign
    np.testing.assert_allclose(np.abs(np.load(made)), np.abs(np.load(shipped / made.name)), atol=1e-3)
