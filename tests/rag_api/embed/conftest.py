"""Embedders under test: here each opening is a real one."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="module")
def one_encoder() -> None:
    """Nothing is opened once for all."""
