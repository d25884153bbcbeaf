"""Containers stopped, restarted and killed in the middle of asking and of ingestion: the measures are those of tests/faults."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from tests.faults.answering import answer_through
from tests.faults.ingesting import ingest_through
from tests.faults.matrix import Cell, wrong_answered, wrong_ingested
from tests.faults.services import FAULTS, Service
from tests.faults.table import table
from tests.stack.engine.machine import Failed
from tests.stack.stack import Stack

Tell = Callable[[list[Cell]], None]
WORKS = ("answering", "ingestion")
KINDS = ("kill", "stop", "restart")
INGESTION = "bedside-ingestion"
AWAY = ("rag_api", "nginx")  # services whose end breaks connections: a question to a dying nginx has nobody who could say why


def cells_of(stack: Stack) -> list[Cell]:
    found = [Cell(service, kind, work) for work in WORKS for service in stack.services for kind in KINDS]
    return [*found, Cell("ingestion", "kill", "ingestion"), *(Cell("host", fault, "all") for fault in WHOLE)]


def run(
    stack: Stack, patterns: Sequence[str] = (), tell: Callable[[list[Cell]], None] = lambda done: None, slack: float = 3.0
) -> list[Cell]:
    """Start the stack of images that are there, and fill it. `tell` hears what is done after each cell; the table is printed at the end."""
    stack.start()
    stack.ingest()
    stack.accounts()
    done = []
    chosen = [cell for pattern in patterns or ("*",) for cell in cells_of(stack) if cell.fits(pattern)]  # in the order asked for
    for number, cell in enumerate(chosen):
        done.append(_done(stack, cell, number, slack))
        tell(done)
        print(f"{'ok   ' if not done[-1].wrong else 'WRONG'} {done[-1]}", file=sys.stderr, flush=True)
    print(table(done))
    for cell in done:
        if cell.work == "all":
            print(f"\n{cell.service} {cell.fault}: {cell.figures} {'; '.join(cell.wrong) or 'holds'}")
    return done


def _done(stack: Stack, cell: Cell, number: int, slack: float) -> Cell:
    try:
        if cell.work == "all":
            return _whole(stack, cell)
        if cell.work == "ingestion":
            service = stack.services.get(cell.service) or _ingestion(stack)
            ingested = ingest_through(stack, service, FAULTS[cell.fault], f"{cell.service}-{cell.fault}-{number:02d}")
            return replace(cell, figures=asdict(ingested), wrong=tuple(wrong_ingested(ingested)))
        answered = answer_through(stack, stack.services[cell.service], FAULTS[cell.fault])
        # a connection that breaks is not clear to who asked by hand; the page says so, as for `bedside` in tests/faults
        judged = replace(cell, service="bedside") if cell.service in AWAY else cell
        return replace(cell, figures=asdict(answered), wrong=tuple(wrong_answered(answered, judged, slack)))
    except (AssertionError, TimeoutError, Failed) as error:
        return replace(cell, wrong=(str(error),))


def _whole(stack: Stack, cell: Cell) -> Cell:
    """Everything ends and comes back: what it held is there, once, and it answers."""
    before, began = _held(stack), time.monotonic()
    WHOLE[cell.fault](stack)
    after, seconds = _held(stack), round(time.monotonic() - began)
    answer = stack.ask(mode="sources")
    wrong = [f"{name}: {before[name]} before, {after[name]} after" for name in before if before[name] != after[name]]
    return replace(cell, figures=before | {"seconds": seconds}, wrong=(*wrong, *(() if answer["sources"] else ("nothing is found",))))


def _held(stack: Stack) -> dict[str, int]:
    kept = ("documents", "answers", "users")
    found = {name: int(str(stack.query(f"select count(*) from {name}")[0][0])) for name in kept}
    with stack.index() as store:
        return found | {"indexed": len(store.document_ids())}


def _down_and_up(stack: Stack) -> None:
    stack.containers.remove(volumes=False)
    stack.start()


def _restored(stack: Stack) -> None:
    """A backup of the filled stack into an empty one."""
    backups = stack.folder / "backups"
    shutil.rmtree(backups, ignore_errors=True)
    backups.mkdir()
    os.chown(backups, 10001, 10001)
    stack.upkeep("backup", backups)
    stack.containers.remove(volumes=True)
    stack.start(("rag_api", "nginx"))
    stack.upkeep("restore", backups)
    stack.start()


WHOLE = {"down and up": _down_and_up, "restore": _restored}


def _ingestion(stack: Stack) -> Service:
    """The container of the run itself; nobody starts it again but the second run."""

    def root() -> int:
        from tests.stack.engine.machine import podman

        newest = podman("ps", "--quiet", "--filter", f"label=project={stack.project}", "--filter", "name=ingestion").split()
        return stack.containers.pid(newest[0]) if newest else 0

    return Service("ingestion", root, None, lambda: True)
