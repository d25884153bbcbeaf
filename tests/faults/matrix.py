"""The cells: each service, each fault, in ingestion and in answers; and what must hold in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

from tests.faults.answering import OFFLINE, Answered, answer_through
from tests.faults.clock import JUMP, jump, prepare
from tests.faults.disk import Filled, answer_on_a_full_disk, small_disk
from tests.faults.ingesting import Ingested, ingest_through
from tests.faults.installation import Installation, installation
from tests.faults.services import FAULTS

SERVICES = ("postgres", "store", "embedder", "generator")
WORKS = ("ingestion", "answering")
WORD_WITHIN = 5.0  # seconds until a reader is told that something is away
SLACK = 1.0  # seconds more, of the machine itself
WELL_WITHIN = 45.0  # seconds until answers are whole again
WAY = ("bedside", "nginx")  # without these nobody answers, and the page says so
# What breaks a stream where nobody is left who could say why: the page does, and asks again or
# offers it (web/src/api/ask.test.ts).
BREAKS = {("bedside", "kill"), ("rag_api", "kill"), ("rag_api", "stop"), ("nginx", "kill"), ("nginx", "stop")}
# Nothing comes through, or nothing from the one that was asked: the page says so by itself
# (web/src/api/silence.ts).
STANDS_STILL = {("nginx", "stop"), ("rag_api", "stop")}


@dataclass(frozen=True, slots=True)
class Cell:
    service: str
    fault: str
    work: str
    figures: dict[str, Any] = field(default_factory=dict)
    wrong: tuple[str, ...] = ()

    def fits(self, pattern: str) -> bool:
        return fnmatch(f"{self.service}:{self.fault}:{self.work}", pattern)


def all_cells() -> list[Cell]:
    """Those without a fault first: what the others are compared with."""
    usual = [
        Cell(service, fault, work)
        for work in WORKS
        for service in SERVICES
        for fault in ("stop", "slow", "restart", "kill")
    ]
    own = [
        ("disk", "full", "answering"),
        ("clock", "forward", "answering"),
        ("clock", "back", "answering"),
        ("ingestion", "kill", "ingestion"),
        ("bedside", "restart", "answering"),
        ("bedside", "kill", "answering"),
    ]
    return [*(Cell("nothing", "none", work) for work in WORKS), *usual, *(Cell(*one) for one in own)]


def run(
    folder: Path,
    cells: Sequence[Cell],
    tell: Callable[[Cell], None] = lambda cell: None,
    *,
    slack: float = SLACK,
    felt: float = 0.0,
) -> list[Cell]:
    """One installation for all: each cell finds what the one before left. `slack`: seconds that the
    machine itself may take; `felt`: see answer_through."""
    found = []
    generator = any(cell.work == "answering" or cell.service == "generator" for cell in cells)
    disk = small_disk(folder / "data") if any(cell.service == "disk" for cell in cells) else nullcontext()
    further = prepare(folder) if any(cell.service == "clock" for cell in cells) else {}
    with disk, installation(folder, generator=generator, further=further) as bedside:
        for number, cell in enumerate(cells):
            found.append(_done(bedside, cell, number, slack, felt))
            tell(found[-1])
    return found


def _done(bedside: Installation, cell: Cell, number: int, slack: float, felt: float) -> Cell:
    if cell.service == "disk":
        filled = answer_on_a_full_disk(bedside)
        return Cell(cell.service, cell.fault, cell.work, asdict(filled), tuple(_wrong_filled(filled)))
    if cell.service == "clock":
        put = partial(jump, bedside.folder, JUMP if cell.fault == "forward" else -JUMP)
        answered = answer_through(bedside, bedside.services["bedside"], put)
        return Cell(cell.service, cell.fault, cell.work, asdict(answered), tuple(wrong_answered(answered, cell, slack)))
    service = (
        bedside.services["postgres" if cell.service == "nothing" else cell.service]
        if cell.service != "ingestion"
        else None
    )
    try:
        if cell.work == "ingestion":
            ingested = ingest_through(bedside, service, FAULTS[cell.fault], f"{cell.service}-{cell.fault}-{number:02d}")
            return Cell(cell.service, cell.fault, cell.work, asdict(ingested), tuple(wrong_ingested(ingested)))
        assert service is not None
        answered = answer_through(bedside, service, FAULTS[cell.fault], felt)
        return Cell(cell.service, cell.fault, cell.work, asdict(answered), tuple(wrong_answered(answered, cell, slack)))
    except (AssertionError, TimeoutError) as error:
        return Cell(cell.service, cell.fault, cell.work, {}, (str(error),))


def wrong_ingested(found: Ingested) -> list[str]:
    wrong = []
    if found.lost:
        wrong.append(f"{found.lost} documents lost")
    if found.doubled:
        wrong.append(f"{found.doubled} documents or passages doubled")
    if found.broke_off and "Traceback" in found.said:
        wrong.append("it broke off without a reason")
    return wrong


def wrong_answered(found: Answered, cell: Cell, slack: float = SLACK) -> list[str]:
    wrong = []
    which = (cell.service, cell.fault)
    if cell.service not in WAY and OFFLINE in found.outcomes:
        wrong.append("Bedside itself was away")
    if found.lost:
        wrong.append(f"{found.lost} answers lost")
    if found.doubled:
        wrong.append(f"{found.doubled} answers doubled")
    if found.unclear and which not in BREAKS:
        wrong.append(f"ends that say nothing: {found.unclear}")
    if found.slowest_failure > WORD_WITHIN + slack and which not in STANDS_STILL:
        wrong.append(f"a failure came after {found.slowest_failure} s")
    if found.slowest_sources > WORD_WITHIN + slack and which not in STANDS_STILL:
        wrong.append(f"a reader knew nothing for {found.slowest_sources} s")
    if found.well_after > WELL_WITHIN + slack:
        wrong.append(f"no whole answer within {WELL_WITHIN:.0f} s of the fault")
    return wrong


def _wrong_filled(found: Filled) -> list[str]:
    wrong = []
    if found.lost or found.doubled:
        wrong.append(f"{found.lost} answers lost, {found.doubled} doubled")
    if found.shown < found.asked:
        wrong.append(f"{found.asked - found.shown} questions without sources: {found.outcomes}")
    if found.upload != "503 disk_full":
        wrong.append(f"an upload heard {found.upload}")
    if found.upload_after != "indexed":
        wrong.append(f"an upload after it heard {found.upload_after}")
    return wrong
