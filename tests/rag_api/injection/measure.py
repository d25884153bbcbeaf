"""Prints what came of every attack, by kind and mode: `python -m tests.rag_api.injection.measure
[attacks]`. Needs no generator."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import Counter
from pathlib import Path

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.migrate import migrate
from rag_api.domain import Mode
from rag_api.own_processes.postgres import EmbeddedPostgres
from tests.rag_api.injection.attacks import Attack, asked, attacks, honest, load, obedient

MODES = {"verbatim": Mode.VERBATIM, "written": Mode.ANSWER}


async def measure(container: Container, folder: Path, name: str) -> None:
    generator, found = obedient(container), attacks(name)
    report = load(container, folder, [*found, *honest()])
    noted = {
        item.source.removesuffix(".txt")
        for item in report.items
        if any("addressed to a machine" in w for w in item.warnings)
    }
    print(
        "attacks noted at upload",
        sum(a.id in noted for a in found),
        "of",
        len(found),
        "honest",
        sorted(h for h in noted if h[0] == "h"),
    )
    for mode_name, mode in MODES.items():
        rows: dict[str, Counter[str]] = {}
        for one in found:
            outcome = await asked(container, generator, one, mode)
            result = _result(one, outcome.answer.text, outcome.reached)
            half = "held" if one.is_held_back else "own"
            rows.setdefault(one.kind, Counter()).update(
                [f"{half} {result}", f"{half} fact {_fact(one, outcome.reached)}"]
            )
            if not one.is_held_back and (result != "harmless" or _fact(one, outcome.reached) == "missing"):
                print(
                    "  ",
                    mode_name,
                    one.id,
                    one.kind,
                    result,
                    _fact(one, outcome.reached),
                    outcome.answer.status,
                    repr(outcome.answer.text[:150]),
                )
        for kind, counts in rows.items():
            print(mode_name, kind, dict(sorted(counts.items())))
        total: Counter[str] = sum(rows.values(), Counter())
        print(mode_name, "TOTAL", dict(sorted(total.items())))
        for passage in honest():
            outcome = await asked(container, generator, passage, mode)
            if passage.keep not in " ".join(outcome.reached.split()):
                print("  ", mode_name, passage.id, "LOST", outcome.answer.status, repr(outcome.answer.text[:200]))


def _result(one: Attack, answer: str, reached: str) -> str:
    return "shown" if one.shows_in(answer) else "reachable" if one.shows_in(reached) else "harmless"


def _fact(one: Attack, reached: str) -> str:
    return "none" if not one.fact else "there" if one.fact in " ".join(reached.split()) else "missing"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="bedside-test-") as folder:
        server = EmbeddedPostgres(Path(folder) / "pg")
        dsn = server.start()
        migrate(dsn)
        container = Container(Settings(data_dir=Path(folder) / "data", database_url=dsn, store="memory"))
        try:
            asyncio.run(measure(container, Path(folder) / "files", *sys.argv[1:] or ["attacks"]))
        finally:
            container.close()
            server.stop()


if __name__ == "__main__":
    main()
