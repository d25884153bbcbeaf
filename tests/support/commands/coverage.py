"""Coverage of lines by the tests, folder by folder; fails below the floor: `python -m
tests.support.commands.coverage FILE FLOOR`.

FILE is slipcover's JSON. Lines that only processes of their own run (the reader of files, the
generator behind the demo, `bedside serve`) are not counted as run: the figure is a lower bound.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Files = Mapping[str, Mapping[str, Any]]


def by_folder(files: Files) -> dict[str, tuple[int, int]]:
    """Return folder -> (lines run, lines), the folders two deep: `rag_api/db`."""
    run, all_lines = Counter[str](), Counter[str]()
    for name, lines in files.items():
        folder = "/".join(Path(name).parts[:-1][: 3 if name.startswith("services") else 2])
        run[folder] += len(lines["executed_lines"])
        all_lines[folder] += len(lines["executed_lines"]) + len(lines["missing_lines"])
    return {folder: (run[folder], all_lines[folder]) for folder in sorted(all_lines)}


def percent(folders: Mapping[str, tuple[int, int]]) -> float:
    """Return the share of all lines that were run, in percent."""
    return 100 * sum(run for run, _ in folders.values()) / max(1, sum(lines for _, lines in folders.values()))


def main(arguments: Sequence[str]) -> int:
    file, floor = Path(arguments[0]), float(arguments[1])
    folders = by_folder(json.loads(file.read_text("utf-8"))["files"])
    for folder, (run, lines) in folders.items():
        print(f"{100 * run / max(1, lines):5.1f}%  {lines:5} lines  {folder}")
    total = percent(folders)
    print(f"{total:5.1f}%  of {sum(lines for _, lines in folders.values())} lines; the floor is {floor:g}%")
    if total < floor:
        print("Fewer lines are tested than before: add the test that is missing.", file=sys.stderr)
    return int(total < floor)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
