"""Python's numbers as C's, one behind the other, and back: faster than arrays are made of them, and
lists of arrays."""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import Any

_KEPT = 4096  # a draft has some hundred numbers at most


@lru_cache(maxsize=_KEPT)
def int32(count: int) -> Struct:
    return Struct(f"{count}i")


@lru_cache(maxsize=_KEPT)
def fp32(count: int) -> Struct:
    return Struct(f"{count}f")


@lru_cache(maxsize=_KEPT)
def fp64(count: int) -> Struct:
    return Struct(f"{count}d")


def fields(kind: Any, names: str) -> list[tuple[str, Any]]:
    """Those of a ctypes structure that stand one behind the other and are of one kind."""
    return [(name, kind) for name in names.split()]
