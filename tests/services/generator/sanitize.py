"""`make sanitize`: the C kernels under the compiler's sanitizers, for this CPU and for lesser ones.

Compiles native/driver.c, which includes the kernels and calls all that they export, and runs it. A
finding ends the run with its trace.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from services.generator.native import compiling

DRIVER = Path(__file__).parent / "native" / "driver.c"
SANITIZERS = {"address and undefined behaviour": "address,undefined", "threads": "thread"}
CPUS = ("native", "x86-64-v3", "x86-64-v2")
FLAGS = ("-O1", "-g", "-std=gnu11", "-pthread", "-Wno-psabi", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all")


def run(sanitizer: str, cpu: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Compile and run the driver. Raises CalledProcessError where the compiler has no such
    sanitizer."""
    program = folder / f"driver-{sanitizer.replace(',', '-')}-{cpu}"
    command = [
        *compiling.compiler(),
        *FLAGS,
        f"-fsanitize={sanitizer}",
        f"-march={cpu}",
        f"-I{compiling.FOLDER}",
        "-o",
        str(program),
        str(DRIVER),
    ]
    subprocess.run([*command, "-lm"], check=True, capture_output=True, text=True, timeout=600)
    options = {
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "TSAN_OPTIONS": "halt_on_error=1",
    }
    return subprocess.run(
        [str(program)], env=os.environ | options, capture_output=True, text=True, timeout=600, check=False
    )


def main() -> int:
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, sanitizer in SANITIZERS.items():
            for cpu in CPUS:
                try:
                    done = run(sanitizer, cpu, Path(folder))
                except subprocess.CalledProcessError as error:
                    print(f"{name}, {cpu}: cannot be built here: {error.stderr.strip()[-300:]}", file=sys.stderr)
                    failed = 1
                    continue
                print(f"{name}, {cpu}: {'nothing found' if done.returncode == 0 else 'FOUND'}")
                if done.returncode:
                    print(done.stdout[-1000:], done.stderr[-6000:], sep="\n")
                    failed = 1
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
