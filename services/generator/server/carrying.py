"""A service to be run elsewhere, from a folder that is only read, without network or compiler:
`python -m services.generator.server.carrying --model MODEL` puts together what it needs.

The model's weights and tokenizer, its adapters, kernels for several kinds of CPU, and an empty
library in the place of each of CUDA's that torch names and that was not carried along. Without
`--into` it says how many bytes that is.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from services.generator.errors import ModelError
from services.generator.models.decoder.adapters import adapter_folders
from services.generator.models.loading import model_folder
from services.generator.native.compiling import compiler
from services.generator.native.compiling.built import build
from services.generator.server.config import GeneratorSettings

SHIPPED = Path(__file__).parents[2] / "reader" / "adapters"
OF_CUDA = re.compile(r"^\s*(lib(?:cu|nv|nccl)\S+) => (.*?)(?: \(0x\w+\))?$", re.MULTILINE)
DRIVER = "libcuda.so"  # may be looked for, and is then of the machine


def needed(model: str, adapters: str, named: Sequence[str]) -> Mapping[str, Path]:
    """Return where in the folder it goes -> the folder that is here. Absent `adapters`: those that
    come with Bedside. Raises ModelError."""
    folders = adapter_folders(adapters or str(SHIPPED / model)) if named else {}
    if missing := [name for name in named if name not in folders]:
        raise ModelError(f"no adapter {missing[0]!r} of {model} is here: name its folder in BEDSIDE_GENERATOR_ADAPTERS")
    return {"model": model_folder(model), **{f"adapters/{name}": folders[name] for name in named}}


def carry(parts: Mapping[str, Path], target: Path) -> None:
    """For whoever opens it: folders and files of a cache are its owner's alone."""
    for name, folder in parts.items():
        (target / name).mkdir(parents=True)
        for file in folder.iterdir():
            shutil.copyfile(file, target / name / file.name)


def stand_in(libraries: Path, carried: Path, target: Path) -> list[Path]:
    """Make those that `libraries` name and that do not lie below `carried`. Raises OSError."""
    names = set[str]()
    for library in sorted(libraries.glob("*.so*")):
        listed = subprocess.run(["ldd", str(library)], capture_output=True, text=True, check=False).stdout
        names |= {name for name, path in OF_CUDA.findall(listed) if not Path(path).is_relative_to(carried)}
    made = [target / name for name in sorted(names) if not name.startswith(DRIVER)]
    with tempfile.TemporaryDirectory() as folder:
        (source := Path(folder) / "empty.c").touch()
        for file in made:
            command = [*compiler(), "-shared", f"-Wl,-soname,{file.name}", "-o", str(file), str(source)]
            subprocess.run(command, capture_output=True, check=True)
    return made


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m services.generator.server.carrying", description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--adapter", action="append", default=[], help="name of an adapter that goes along")
    parser.add_argument("--into", type=Path, help="a new folder for them")
    parser.add_argument("--kernels", type=Path, help="folder for the kernels")
    parser.add_argument("--libraries", type=Path, help="folder for what stands in for CUDA's libraries")
    parser.add_argument("--packages", type=Path, help="the packages, torch among them, that are carried along")
    given = parser.parse_args(arguments)
    try:
        parts = needed(given.model, GeneratorSettings().adapters, given.adapter)
        if given.into is None:
            print(sum(file.stat().st_size for folder in parts.values() for file in folder.rglob("*")))
            return 0
        carry(parts, given.into)
        if given.kernels is not None:
            build(given.kernels)
        if given.libraries is not None:
            stand_in(given.packages / "torch" / "lib", given.packages, given.libraries)
    except (ModelError, OSError, subprocess.SubprocessError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
