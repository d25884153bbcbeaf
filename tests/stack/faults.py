"""Containers stopped, restarted and killed in the middle of asking and of ingestion: the measures
are those of tests/faults."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial

from tests.faults.answering import answer_through
from tests.faults.ingesting import ingest_through
from tests.faults.matrix import Cell, wrong_answered, wrong_ingested
from tests.faults.services import FAULTS, Service
from tests.faults.table import table
from tests.stack.engine.machine import Failed
from tests.stack.stack import Stack
from tests.stack.whole import DISKS, WHOLE, asked_about, full, small_disks, whole

WORKS = ("answering", "ingestion")
KINDS = ("kill", "stop", "restart")


def cells_of(stack: Stack) -> list[Cell]:
    found = [Cell(service, kind, work) for work in WORKS for service in stack.services for kind in KINDS]
    found += [Cell(service, "full", work) for work in WORKS for service in DISKS]
    return [*found, Cell("ingestion", "kill", "ingestion"), *(Cell("stack", fault, "all") for fault in WHOLE)]


def run(
    stack: Stack,
    patterns: Sequence[str] = (),
    tell: Callable[[list[Cell]], None] = lambda done: None,
    running: bool = False,
) -> list[Cell]:
    """Start the stack of images that are there, and fill it, unless it is `running` so already.
    `tell` hears what is done after each cell; the table is printed at the end."""
    done: list[Cell] = []
    stack.prepare()
    cells = cells_of(stack)
    # in the order asked for, each once
    chosen = list({id(cell): cell for pattern in patterns or ("*",) for cell in cells if cell.fits(pattern)}.values())
    if any(cell.fault == "full" for cell in chosen) and not running:
        stack.containers.remove(volumes=True)  # those that are there have the machine's disk
        (stack.folder / "key").unlink(missing_ok=True)
        stack.disks = small_disks(stack)
    if not running:
        stack.start()
        stack.ingest(asked_about(stack))
        stack.accounts()
    for number, cell in enumerate(chosen):
        done.append(_done(stack, cell, number))
        tell(done)
        print(f"{'ok   ' if not done[-1].wrong else 'WRONG'} {done[-1]}", file=sys.stderr, flush=True)
    print(table(done))
    for cell in done:
        if cell.work == "all":
            print(f"\n{cell.service} {cell.fault}: {cell.figures} {'; '.join(cell.wrong) or 'holds'}")
    return done


def _done(stack: Stack, cell: Cell, number: int) -> Cell:
    try:
        if cell.work == "all":
            return whole(stack, cell)
        fault = FAULTS[cell.fault] if cell.fault in FAULTS else partial(full, stack)
        if cell.work == "ingestion":
            service = stack.services.get(cell.service) or _ingestion(stack)
            ingested = ingest_through(stack, service, fault, f"{cell.service}-{cell.fault}-{number:02d}")
            return replace(cell, figures=asdict(ingested), wrong=tuple(wrong_ingested(ingested)))
        answered = answer_through(stack, stack.services[cell.service], fault)
        return replace(cell, figures=asdict(answered), wrong=tuple(wrong_answered(answered, cell, slack=0.0)))
    except (AssertionError, TimeoutError, Failed) as error:
        return replace(cell, wrong=(str(error),))


def _ingestion(stack: Stack) -> Service:
    """The container of the run itself; nobody starts it again but the second run."""

    def root() -> int:
        from tests.stack.engine.machine import podman

        newest = podman(
            "ps", "--quiet", "--filter", f"label=project={stack.project}", "--filter", "name=ingestion"
        ).split()
        return stack.containers.pid(newest[0]) if newest else 0

    return Service("ingestion", root, None, lambda: True)
