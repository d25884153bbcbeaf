"""The second hospital's documents, read as an installation reads its own, and its questions asked
through the whole product."""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evaluation.quality.whole import outcome, read_whole, whole_report
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.domain import AnswerStatus
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import survey

HERE = Path(__file__).parent
Asks = Callable[[str, str, Container], Any]  # a question before, a question: the answer
Close = Callable[[Container], Any]  # what asking opened


def measure(
    settings: Settings, asks: Asks, close: Close, tell: Callable[[int], Any] = lambda done: None
) -> dict[str, Any]:
    """Return what its whole answers are like, in all and of the rows that nobody read, and what is
    refused of what nothing answers. tell: called with how many questions are done."""
    with tempfile.TemporaryDirectory(prefix="bedside-second-") as folder:
        own = settings.model_copy(update={"data_dir": Path(folder), "database_url": None, "store": "lance"})
        with Container(own) as container:
            summary = ingest(
                survey([HERE / "pdf"]),
                settings=own,
                documents_repo=PgDocuments(container.db),
                store=container.store,
                embedder=container.embedder,
            )
            container.store.tidy()
            container.start_generator()
            container.wait_for_generator()
            questions, outcomes = read_whole(HERE / "whole.csv"), []
            for question in questions:
                answer = asks(question.after, question.question, container)
                outcomes.append(outcome(question, answer.status == AnswerStatus.ANSWERED, answer.text))
                tell(len(outcomes))
            refused, asked = Counter[str](), Counter[str]()
            for row in unanswered():
                answer = asks("", row["question"], container)
                asked[row["note"]] += 1
                refused[row["note"]] += answer.status != AnswerStatus.ANSWERED
                tell(len(outcomes) + asked.total())
            close(container)
    return {
        "documents": summary.indexed,
        "whole": whole_report(outcomes),
        "never_read": whole_report(outcomes[1::2]),
        "refused": {kind: {"n": asked[kind], "refused": refused[kind]} for kind in sorted(asked)},
    }


def unanswered() -> list[dict[str, str]]:
    with (HERE / "unanswered.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def count() -> int:
    """How many questions there are."""
    return len(read_whole(HERE / "whole.csv")) + len(unanswered())
