"""The whole comparison: `python -m tests.support.leaks --questions 10000`. Says what was asked and
what differed; fails if anything did."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

from rag_api.config import Settings
from rag_api.embed import Embedder, open_embedder
from tests.support.leaks.compare import Tally, WordEmbedder, compare, drawn
from tests.support.leaks.hospital import Hospital, hospital, visible_sets
from tests.support.leaks.reports import compare_reports
from tests.support.leaks.running import postgres, running

STORES = ("memory", "lance", "weaviate")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=10_000, help="over all stores together")
    parser.add_argument("--stores", nargs="+", choices=STORES, default=list(STORES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--embedder",
        choices=("words", "default"),
        default="words",
        help="words: quick and exact; default: the real one",
    )
    parser.add_argument(
        "--minutes", type=float, default=1e6, help="for each store, loading included; fewer questions where they end"
    )
    parser.add_argument(
        "--sets", type=int, default=16, help="of groups that people are in: so many of the 16, by the seed"
    )
    given = parser.parse_args()
    made = hospital(given.seed)
    sets = random.Random(given.seed).sample(visible_sets(), given.sets)
    embedder: Embedder = WordEmbedder() if given.embedder == "words" else open_embedder(Settings())
    differing = 0
    with tempfile.TemporaryDirectory(prefix="bedside-test-") as place, postgres(Path(place) / "postgres") as server:
        for number, store in enumerate(given.stores):
            count = given.questions // len(given.stores) + (number < given.questions % len(given.stores))
            tally, began = Tally(), time.monotonic()
            with running(store, made, Path(place) / store, server, embedder, sets) as (everything, without):
                compare_reports(everything, without, made, tally, given.seed)
                ready = time.monotonic()
                compare(
                    everything,
                    without,
                    drawn(made, count, 1000 * given.seed + number, sets),
                    tally,
                    began + 60 * given.minutes,
                )
            differing += len(tally.differing)
            print(json.dumps(_said(store, made, len(sets), tally, ready - began, time.monotonic() - ready)), flush=True)
            for one in tally.differing[:5]:
                print(json.dumps(one, ensure_ascii=False, indent=1), flush=True)
    return 1 if differing else 0


def _said(store: str, made: Hospital, sets: int, tally: Tally, ready: float, asking: float) -> dict[str, object]:
    return {
        "store": store, "documents": len(made.documents), "sets of groups": sets, "questions": tally.questions,
        "users": len(tally.users), "responses": dict(tally.asked), "status": dict(tally.status), "told": dict(tally.warned),
        "seconds to load": round(ready), "seconds": round(asking), "differing": len(tally.differing),
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
