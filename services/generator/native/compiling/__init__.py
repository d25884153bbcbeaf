"""Make the library of kernels.c with the C compiler that there is."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "c"
FLAGS = ("-O3", "-std=gnu11", "-fPIC", "-shared", "-pthread", "-Wno-psabi")
LONGEST = 600.0  # seconds that compiling may take: half a minute, and many times that on a machine with much else to do


def compiled(folder: Path, cpu: str = "native") -> Path:
    """Return the library for this source and `cpu` (as the compiler's -march), made when it is not
    in `folder` yet.

    Raises OSError or SubprocessError.
    """
    file = folder / f"kernels-{_key(compiler(), cpu)}.so"
    if not file.exists():
        compile_into(file, (f"-march={cpu}",))
    return file


def compile_into(file: Path, options: Sequence[str]) -> None:
    """Make `file`, whole or not at all, for the CPUs that these options of the compiler name.
    Raises OSError or SubprocessError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".so", delete=False) as made:
        pass
    try:
        _run([*compiler(), *FLAGS, *options, "-o", made.name, str(FOLDER / "kernels.c"), "-lm"])
        os.replace(made.name, file)
    finally:
        Path(made.name).unlink(missing_ok=True)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    if done.returncode:
        raise OSError(f"{command[0]} failed: {done.stderr.strip()[-500:]}")


def compiler() -> list[str]:
    """Return the command of the machine's compiler, or of the one that the package ziglang brings.
    Raises OSError."""
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        if name and shutil.which(name):
            return [name]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    raise OSError("no C compiler (cc, gcc, clang or the package ziglang)")


def _key(compiler: list[str], target: str) -> str:
    """Hash what the library was made from and for: a home folder may be shared by machines of
    several kinds."""
    return _hash(source_key(), " ".join(compiler), target, platform.machine(), " ".join(sorted(cpu_words())))


def source_key() -> str:
    """Hash what every library is made from, whatever makes it."""
    return _hash(*(file.read_text() for file in sorted(FOLDER.rglob("*.[ch]"))), " ".join(FLAGS))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def cpu_words() -> frozenset[str]:
    """Return what the kernel says that this CPU can do; nothing where it does not say."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    return frozenset(
        next((line.partition(":")[2] for line in lines if line.startswith(("flags", "Features"))), "").split()
    )
