"""The CPU's own kernels as compiled for this machine and for a lesser one."""

from __future__ import annotations

import ctypes

import pytest

from services.generator import native
from services.generator.models import tiles
from services.generator.native import head, matrix, step


@pytest.fixture(scope="session")
def plain_cpu(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """As compiled for a CPU without bf16 instructions; half a minute of compiling."""
    try:
        return native.load(native.compiled(tmp_path_factory.mktemp("native"), "x86-64-v3"))
    except OSError as error:
        pytest.skip(f"this machine or its compiler knows no x86-64-v3: {error}")


@pytest.fixture(params=["this CPU", "a CPU without bf16"])
def any_cpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param != "this CPU":
        library = request.getfixturevalue("plain_cpu")
        for module in (head, matrix, step, tiles):
            monkeypatch.setattr(module, "kernels", lambda: library)
