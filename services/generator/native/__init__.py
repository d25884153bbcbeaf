"""The CPU's own decoding step in C (c/kernels.c), and its weights; compiled on this machine at
first use, or with its image (compiling).

Where there is neither that nor a C compiler, or no Linux, `kernels()` is None and torch computes
the steps: slower, and the same text up to rounding. With it a step of several nodes gives the very
bits that single steps give (kernels.c says why).
"""

from __future__ import annotations

import ctypes
import logging
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from services.generator.native.compiling import compiled
from services.generator.native.compiling.built import best

CACHE = Path.home() / ".cache" / "bedside" / "native"

log = logging.getLogger(__name__)


@cache
def kernels() -> ctypes.CDLL | None:
    """Return the compiled library; None, with the reason in the log, where it cannot be had."""
    if os.environ.get("BEDSIDE_NATIVE", "1") == "0" or sys.platform != "linux":
        return None
    try:
        return load(best() or compiled(CACHE))
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("no native kernels, steps on a CPU take about twice as long: %s", error)
        return None


def load(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    for name in ("step", "draft", "multiply", "blend", "text_extend", "frequent", "merge"):
        getattr(library, f"bedside_{name}").restype = ctypes.c_int
    library.bedside_step.argtypes = library.bedside_draft.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.bedside_blend.argtypes = library.bedside_frequent.argtypes = [ctypes.c_void_p]
    library.bedside_text_extend.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32]
    library.bedside_merge.argtypes = [*[ctypes.c_void_p] * 4, *[ctypes.c_int32] * 2, *[ctypes.c_void_p] * 5]
    library.bedside_tile_bytes.argtypes, library.bedside_tile_bytes.restype = [ctypes.c_void_p], ctypes.c_int64
    library.bedside_pack.argtypes, library.bedside_pack.restype = [*[ctypes.c_void_p] * 3, ctypes.c_int], None
    library.bedside_multiply.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    return library
