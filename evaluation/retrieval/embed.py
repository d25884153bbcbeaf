"""Speed of embedding: embedders in turn in one run, on the handbook's passages and questions.

What disturbs one disturbs all; on a busy machine the ratios, and the processor's time, are what to
read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rag_api import handbook
from rag_api.embed import EMBEDDERS, Embedder, close
from rag_api.errors import UnreadableDocument
from rag_api.evaluate.judged import HANDBOOK, read_judged
from rag_api.ingest.common.chunk import chunk, embedding_text
from rag_api.ingest.readers.read import media_type, read

Tell = Callable[[int], object]
_LOADED = """
import json, resource, sys, time
from rag_api.embed import EMBEDDERS
before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
EMBEDDERS[sys.argv[1]]().passages(["Eerste zin.", "Tweede zin."])
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"load_s": round(time.perf_counter() - start, 2), "mb": round((after - before) / 1024)}))
"""


def measure(names: Sequence[str], passages: int, rounds: int, tell: Tell = lambda done: None) -> dict[str, Any]:
    """Return for each embedder medians over the rounds; `likeness`: the least cosine of its
    passages to those of the first."""
    texts = handbook_passages(passages)
    questions = [judged.question for judged in read_judged(HANDBOOK, "all")[:: max(1, 400 // passages)]][:passages]
    found: dict[str, Any] = {name: loaded(name) for name in names}
    opened = {name: EMBEDDERS[name]() for name in names}
    vectors = {name: embedder.passages(texts[:4]) for name, embedder in opened.items()}
    times: dict[str, list[tuple[float, ...]]] = {name: [] for name in names}
    for done in range(rounds):
        for name, embedder in opened.items():
            times[name].append(_round(embedder, texts, questions))
        tell(done + 1)
    for name, embedder in opened.items():
        elapsed, processor, query, processor_query = (median(column) for column in zip(*times[name], strict=True))
        found[name] |= {
            "passages_per_s": round(1 / elapsed, 1),
            "cpu_ms_per_passage": round(1000 * processor, 1),
            "ms_per_query": round(1000 * query, 1),
            "cpu_ms_per_query": round(1000 * processor_query, 1),
            "likeness": round(float((vectors[names[0]] * vectors[name]).sum(axis=1).min()), 4),
        }
        close(embedder)
    characters = sum(map(len, texts)) // len(texts)
    return {
        "passages": len(texts),
        "characters": characters,
        "rounds": rounds,
        "load": os.getloadavg()[0],
        "embedders": found,
    }


def loaded(name: str) -> dict[str, float]:
    """Return what opening it takes in a process of its own: seconds to the first vectors, and MB
    (mapped weights among them)."""
    run = subprocess.run([sys.executable, "-c", _LOADED, name], check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(run.stdout)
    return measured


def handbook_passages(count: int) -> list[str]:
    """Return what ingestion embeds of the sample handbook, from documents all over it."""
    texts: list[str] = []
    for path in sorted((Path(handbook.__file__).parent / "pdf").glob("*.pdf"))[::3]:
        try:
            document = read(path, path.name, media_type(path, path.name), 1000)
        except UnreadableDocument:
            continue  # the handbook has a scan
        texts += [embedding_text(one) for one in chunk("0" * 32, document.metadata, document.pages)]
        if len(texts) >= 4 * count:
            break
    return texts[:: max(1, len(texts) // count)][:count]


def _round(embedder: Embedder, texts: Sequence[str], questions: Sequence[str]) -> tuple[float, ...]:
    """Return seconds a passage and seconds a question, each elapsed and of the processor."""
    return *_timed(lambda: embedder.passages(texts), len(texts)), *_timed(
        lambda: [embedder.query(q) for q in questions], len(questions)
    )


def _timed(act: Callable[[], object], count: int) -> tuple[float, float]:
    start, busy = time.perf_counter(), time.process_time()
    act()
    return (time.perf_counter() - start) / count, (time.process_time() - busy) / count
