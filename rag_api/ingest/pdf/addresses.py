"""PDFium's functions by their addresses, for loops over characters that run in C."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as raw


def fast(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """Return the function, which takes addresses as plain integers: no wrapper objects per call."""
    address = ctypes.cast(getattr(raw, name), ctypes.c_void_p).value
    assert address is not None
    return ctypes.CFUNCTYPE(result, *arguments)(address)
