"""`python -m tests.faults [--json FILE] [SERVICE:FAULT:WORK ...]`: the matrix, or some of its
cells. `--of FILE ...`: the tables of what was measured before."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.faults.disk import own_mounts
from tests.faults.matrix import SLACK, Cell, all_cells, run
from tests.faults.table import table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("cells", nargs="*", help="such as postgres:stop:answering, or *:kill:*; all when absent")
    parser.add_argument("--json", type=Path, help="where to write what is measured, after each cell")
    parser.add_argument("--of", type=Path, nargs="+", metavar="FILE", help="measured before: only the table is made")
    parser.add_argument(
        "--slack", type=float, default=SLACK, help="seconds more than five that a reader may wait: of a busy machine"
    )
    options = parser.parse_args()
    if options.of:
        print(table([_read(row) for path in options.of for row in json.loads(path.read_text(encoding="utf-8"))]))
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # what was started is ended too
    wanted = [cell for cell in all_cells() if not options.cells or any(cell.fits(pattern) for pattern in options.cells)]
    if any(cell.service == "disk" for cell in wanted):
        own_mounts()
    found = _run(wanted, options.json, options.slack)
    print(table(found))
    sys.exit(any(cell.wrong for cell in found))


def _run(wanted: list[Cell], into: Path | None, slack: float) -> list[Cell]:
    done: list[Cell] = []

    def tell(cell: Cell) -> None:
        done.append(cell)
        print(_line(cell), file=sys.stderr, flush=True)
        if into is not None:
            into.write_text(json.dumps([asdict(one) for one in done], indent=1) + "\n", encoding="utf-8")

    with tempfile.TemporaryDirectory(prefix="bedside-faults-", ignore_cleanup_errors=True) as folder:
        return run(Path(folder), wanted, tell, slack=slack)


def _read(row: dict[str, object]) -> Cell:
    return Cell(**{**row, "wrong": tuple(row["wrong"])})  # type: ignore[arg-type]


def _line(cell: Cell) -> str:
    return (
        f"{'ok   ' if not cell.wrong else 'WRONG'} {cell.service}:{cell.fault}:{cell.work} {'; '.join(cell.wrong)} "
        f"{cell.figures}"
    )


if __name__ == "__main__":
    main()
