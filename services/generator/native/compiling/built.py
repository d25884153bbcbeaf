"""The kernels for several kinds of CPU, compiled when an image is built: what runs then needs no
compiler.

`python -m services.generator.native.compiling` compiles them into `built/`, where `kernels()` looks
first.
"""

from __future__ import annotations

import platform
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from services.generator.native.compiling import FOLDER, compile_into, cpu_words, source_key

BUILT = FOLDER.parent / "built"


@dataclass(frozen=True, slots=True)
class CpuKind:
    """A kind of CPU: the compiler's options for it, and the words in /proc/cpuinfo that all of its
    CPUs have."""

    name: str
    options: tuple[str, ...]
    needs: frozenset[str]


_V3 = frozenset({"avx2", "fma", "f16c", "bmi1", "bmi2", "abm", "movbe"})
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
# The best one first. A CPU that is none of them computes with torch, as where there is no compiler.
KINDS = {
    "x86_64": (
        CpuKind(
            "avx512-bf16", ("-march=x86-64-v4", "-mavx512vnni", "-mavx512bf16"), _V4 | {"avx512_vnni", "avx512_bf16"}
        ),
        CpuKind("avx512-vnni", ("-march=x86-64-v4", "-mavx512vnni"), _V4 | {"avx512_vnni"}),
        CpuKind("avx512", ("-march=x86-64-v4",), _V4),
        CpuKind("avx2", ("-march=x86-64-v3",), _V3),
    ),
    "aarch64": (CpuKind("armv8", ("-march=armv8-a",), frozenset({"fp", "asimd"})),),
}


def build(folder: Path = BUILT) -> list[Path]:
    """Compile one library for each kind. Raises OSError or SubprocessError."""
    files = {_file(folder, kind): kind.options for kind in KINDS.get(platform.machine(), ())}
    with ThreadPoolExecutor() as pool:
        list(pool.map(compile_into, files, files.values()))
    for file in files:
        file.chmod(0o755)  # whoever the image runs as loads it
    return list(files)


def best(folder: Path = BUILT, words: frozenset[str] | None = None) -> Path | None:
    """Return the best library that was built of this very source and that this CPU can run, if
    there is one."""
    has = cpu_words() if words is None else words
    able = (_file(folder, kind) for kind in KINDS.get(platform.machine(), ()) if kind.needs <= has)
    return next((file for file in able if file.exists()), None)


def _file(folder: Path, kind: CpuKind) -> Path:
    return folder / f"{kind.name}-{source_key()}.so"
