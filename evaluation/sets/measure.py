"""A set's documents, read as an installation reads its own, and its questions asked through the
whole product.

A set is a folder with whole.csv (see evaluation.quality.whole) and unanswered.csv; `half` says of
each row whether who writes code may have read it: a half that was read is no measurement.
"""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evaluation.quality.whole import WholeOutcome, outcome, read_whole, whole_report
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.domain import AnswerStatus
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import survey

Asks = Callable[[str, str, Container], Any]  # a question before, a question: the answer
Close = Callable[[Container], Any]  # what asking opened


def measure(
    set_folder: Path,
    documents: Sequence[Path],
    settings: Settings,
    asks: Asks,
    close: Close,
    tell: Callable[[int], Any] = lambda done: None,
) -> dict[str, Any]:
    """Return what whole answers are like, in all and by half, and what is refused of what nothing
    answers. documents: files or folders; tell: called with how many questions are done."""
    with tempfile.TemporaryDirectory(prefix="bedside-set-") as folder:
        own = settings.model_copy(update={"data_dir": Path(folder), "database_url": None, "store": "lance"})
        with Container(own) as container:
            summary = ingest(
                survey(list(documents)),
                settings=own,
                documents_repo=PgDocuments(container.db),
                store=container.store,
                embedder=container.embedder,
            )
            container.store.tidy()
            container.start_generator()
            container.wait_for_generator()
            outcomes: list[WholeOutcome] = []
            for question in read_whole(set_folder / "whole.csv"):
                answer = asks(question.after, question.question, container)
                outcomes.append(outcome(question, answer.status == AnswerStatus.ANSWERED, answer.text))
                tell(len(outcomes))
            refused, asked = Counter[str](), Counter[str]()
            for row in unanswered(set_folder):
                answer = asks("", row["question"], container)
                for name in (row["note"], f"{row['note']}, {row['half']}"):
                    asked[name] += 1
                    refused[name] += answer.status != AnswerStatus.ANSWERED
                tell(len(outcomes) + asked.total() // 2)
            close(container)
    halves = sorted({one.question.half for one in outcomes})
    return {
        "documents": summary.indexed,
        "whole": whole_report(outcomes),
        "halves": {half: whole_report([one for one in outcomes if one.question.half == half]) for half in halves},
        "refused": {kind: {"n": asked[kind], "refused": refused[kind]} for kind in sorted(asked)},
    }


def unanswered(set_folder: Path) -> list[dict[str, str]]:
    with (set_folder / "unanswered.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def count(set_folder: Path) -> int:
    """How many questions a set has."""
    return len(read_whole(set_folder / "whole.csv")) + len(unanswered(set_folder))
