"""Containers stopped, restarted and killed in the middle of asking and of ingestion: the measures are those of tests/faults."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace

from tests.faults.answering import answer_through
from tests.faults.ingesting import ingest_through
from tests.faults.matrix import Cell, wrong_answered, wrong_ingested
from tests.faults.services import FAULTS, Service
from tests.faults.table import table
from tests.stack.machine import Failed
from tests.stack.stack import Stack

WORKS = ("answering", "ingestion")
KINDS = ("kill", "stop", "restart")
INGESTION = "bedside-ingestion"
AWAY = ("rag_api", "nginx")  # services whose end breaks connections: a question to a dying nginx has nobody who could say why


def cells_of(stack: Stack) -> list[Cell]:
    found = [Cell(service, kind, work) for work in WORKS for service in stack.services for kind in KINDS]
    return [cell for cell in found if cell.work == "answering" or cell.service not in AWAY] + [Cell("ingestion", "kill", "ingestion")]


def run(stack: Stack, patterns: Sequence[str] = (), slack: float = 3.0) -> list[Cell]:
    """A running stack with the handbook in it. Prints the table at the end."""
    stack.start()
    stack.ingest()
    stack.accounts()
    done = []
    for number, cell in enumerate(cells_of(stack)):
        if not patterns or any(cell.fits(pattern) for pattern in patterns):
            done.append(_done(stack, cell, number, slack))
            print(f"{'ok   ' if not done[-1].wrong else 'WRONG'} {done[-1]}", file=sys.stderr, flush=True)
    print(table(done))
    return done


def _done(stack: Stack, cell: Cell, number: int, slack: float) -> Cell:
    try:
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


def _ingestion(stack: Stack) -> Service:
    """The container of the run itself; nobody starts it again but the second run."""

    def root() -> int:
        from tests.stack.machine import podman

        newest = podman("ps", "--quiet", "--filter", f"label=project={stack.project}", "--filter", "name=ingestion").split()
        return stack.containers.pid(newest[0]) if newest else 0

    return Service("ingestion", root, None, lambda: True)
