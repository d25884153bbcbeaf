"""The CPU's own kernels as compiled for this machine and for lesser ones."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from services.generator import native
from services.generator.models.decoder import tiles
from services.generator.native import head, matrix, step
from services.generator.native.compiling import compiled as compiled_for

# without AVX2, with it, and with AVX-512 that has no products of words or bf16
LESSER = ("x86-64-v2", "x86-64-v3", "x86-64-v4")


@pytest.fixture(scope="session")
def compiled() -> Callable[[str], ctypes.CDLL]:
    """As compiled for another CPU: half a minute for each, once for each version of their
    source."""

    @cache
    def library(cpu: str) -> ctypes.CDLL:
        if cpu == "x86-64-v4" and "avx512bw" not in Path("/proc/cpuinfo").read_text():
            pytest.skip("this CPU has no AVX-512")
        try:
            return native.load(compiled_for(native.CACHE, cpu))
        except OSError as error:
            pytest.skip(f"this machine or its compiler knows no {cpu}: {error}")

    return library


@pytest.fixture(params=["native", *LESSER])
def any_cpu(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, compiled: Callable[[str], ctypes.CDLL]
) -> None:
    if request.param != "native":
        library = compiled(request.param)
        for module in (head, matrix, step, tiles):
            monkeypatch.setattr(module, "kernels", lambda: library)
