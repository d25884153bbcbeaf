"""The CPU's own decoding step in C (c/kernels.c), compiled on this machine at first use, and its weights.

Where there is no C compiler, or no Linux, `kernels()` is None and torch computes the steps: slower, and the same text up to
rounding. With it a step of several nodes gives the very bits that single steps give (kernels.c says why).
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(__file__).parent / "c"
CACHE = Path.home() / ".cache" / "bedside" / "native"
FLAGS = ("-O3", "-std=gnu11", "-fPIC", "-shared", "-pthread", "-Wno-psabi")
LONGEST = 600.0  # seconds that compiling may take: half a minute, and many times that on a machine with much else to do

log = logging.getLogger(__name__)


@cache
def kernels() -> ctypes.CDLL | None:
    """Return the compiled library; None, with the reason in the log, where it cannot be had."""
    if os.environ.get("BEDSIDE_NATIVE", "1") == "0" or sys.platform != "linux":
        return None
    try:
        return load(compiled(CACHE))
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("no native kernels, steps on a CPU take about twice as long: %s", error)
        return None


def compiled(folder: Path, cpu: str = "native") -> Path:
    """Return the library for this source and `cpu` (as the compiler's -march), made when it is not in `folder` yet.

    Raises OSError or SubprocessError.
    """
    command = compiler()
    file = folder / f"kernels-{_key(command, cpu)}.so"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".so", delete=False) as made:
            pass
        try:
            _run([*command, *FLAGS, f"-march={cpu}", "-o", made.name, str(FOLDER / "kernels.c"), "-lm"])
            os.replace(made.name, file)
        finally:
            Path(made.name).unlink(missing_ok=True)
    return file


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    if done.returncode:
        raise OSError(f"{command[0]} failed: {done.stderr.strip()[-500:]}")


def compiler() -> list[str]:
    """Return the command of the machine's compiler, or of the one that the package ziglang brings."""
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        if name and shutil.which(name):
            return [name]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    raise OSError("no C compiler (cc, gcc, clang or the package ziglang)")


def _key(compiler: list[str], target: str) -> str:
    """Hash what the library was made from and for: a home folder may be shared by machines of several kinds."""
    cpu = next((line for line in _cpuinfo() if line.startswith(("flags", "Features"))), "")
    sources = [file.read_text() for file in sorted(FOLDER.rglob("*.[ch]"))]
    parts = (*sources, " ".join(FLAGS), " ".join(compiler), target, platform.machine(), cpu)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _cpuinfo() -> list[str]:
    try:
        return Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return []


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
