"""Metrics of /metrics, for Prometheus. One registry per application, so that two in one process do
not mix.

Of several processes on one address (workers.py) each says what all have counted. Labels are routes
and states, never paths, names or words: what was asked, and by whom, is not in here.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from rag_api.answering.generator.replicas import GeneratorReplicas, Replica
from rag_api.domain import Answer, SentencesKept
from rag_api.upkeep.pack.last_check import LastCheck

CONTENT_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
# What an answer's stats say of its time, and how that phase is called here.
PHASES = {
    "retrieve_seconds": "retrieve",
    "first_token_seconds": "first_token",
    "generate_seconds": "generate",
    "seconds": "whole",
}


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        registry = self.registry
        self._requests = Counter(
            "bedside_requests", "Requests by route and status.", ["method", "route", "status"], registry=registry
        )
        self._request = Histogram(
            "bedside_request_seconds",
            "Time per request, streams to their end.",
            ["route"],
            buckets=SECONDS,
            registry=registry,
        )
        self._answers = Counter(
            "bedside_answers", "Stored answers by what came of the question.", ["status", "mode"], registry=registry
        )
        self._failures = Counter(
            "bedside_answer_failures", "Answers that broke off, by error.", ["code"], registry=registry
        )
        self._answer = Histogram(
            "bedside_answer_seconds", "Time per answer and phase.", ["phase"], buckets=SECONDS, registry=registry
        )
        self.asking = Gauge(
            "bedside_asking", "Questions that are being answered.", registry=registry, multiprocess_mode="livesum"
        )

        self._generated = Counter(
            "bedside_generator_answers",
            "What came of asking a generator: finished; broken (it had begun); retried (another was asked); failed; "
            "refused.",
            ["replica", "outcome"],
            registry=registry,
        )
        self._documents = Gauge(
            "bedside_documents",
            "Documents with and without their sentences embedded ahead.",
            ["sentences"],
            registry=registry,
            multiprocess_mode="livemostrecent",
        )
        self._kept = Gauge(
            "bedside_sentences",
            "Sentences that are embedded ahead.",
            registry=registry,
            multiprocess_mode="livemostrecent",
        )
        self._waiting = Gauge(
            "bedside_questions_waiting",
            "Questions that wait to be looked up.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._journal = Gauge(
            "bedside_audit_journal_entries",
            "Entries of the audit trail in processes' files, because the database does not take them.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._limited = Counter(
            "bedside_limited",
            "Requests that got 429: too many requests, questions, questions that wait, or tries to sign in; by what "
            "they are counted.",
            ["reason", "by"],
            registry=registry,
        )
        self._sign_in_failures = Counter(
            "bedside_sign_in_failures", "Tries to sign in that failed, by error.", ["code"], registry=registry
        )
        self._pack_checked = Gauge(
            "bedside_pack_check_timestamp_seconds",
            "When a downtime pack was last asked what this server is asked; 0: never.",
            registry=registry,
            multiprocess_mode="livemostrecent",
        )
        self._pack_failed = Gauge(
            "bedside_pack_check_failed",
            "1: the pack could not be asked; `bedside doctor` says why.",
            registry=registry,
            multiprocess_mode="livemostrecent",
        )
        self._pack_differing = Gauge(
            "bedside_pack_differing_answers",
            "Questions that the pack answered otherwise than this server.",
            registry=registry,
            multiprocess_mode="livemostrecent",
        )
        # at what is not counted but asked for, as of when /metrics is read
        self._look: Callable[[], None] = lambda: None
        self._out = Gauge(
            "bedside_generator_out",
            "1: it does not answer and others are asked first.",
            ["replica"],
            registry=registry,
            multiprocess_mode="livemax",
        )

    def watch_generators(self, replicas: GeneratorReplicas) -> None:
        """Count what comes of each, from now on."""
        replicas.tell = self._generator_said

    def _generator_said(self, replica: Replica, outcome: str) -> None:
        self._out.labels(replica.name).set(int(replica.is_out))
        if outcome not in ("out", "in"):
            self._generated.labels(replica.name, outcome).inc()

    def watch(
        self,
        sentences: Callable[[], SentencesKept],
        waiting: Callable[[], int],
        journal: Callable[[], int],
        pack: Callable[[], LastCheck | None],
    ) -> None:
        """How far the sentences of documents are embedded ahead, how many questions and entries of
        the audit trail wait, and what came of checking the downtime pack."""

        def look() -> None:
            kept = sentences()
            self._documents.labels("ahead").set(kept.documents)
            self._documents.labels("outstanding").set(kept.of - kept.documents)
            self._kept.set(kept.sentences)
            self._waiting.set(waiting())
            self._journal.set(journal())
            if checked := pack():
                self._pack_checked.set(checked.checked_at.timestamp())
                self._pack_failed.set(int(bool(checked.problem)))
                self._pack_differing.set(len(checked.differing))

        self._look = look

    def requested(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._request.labels(route).observe(seconds)

    def answered(self, answer: Answer) -> None:
        self._answers.labels(answer.status.value, answer.mode.value).inc()
        for name, phase in PHASES.items():
            if isinstance(seconds := answer.stats.get(name), float):
                self._answer.labels(phase).observe(seconds)

    def failed(self, code: str) -> None:
        self._failures.labels(code).inc()

    def limited(self, reason: str, by: str) -> None:
        self._limited.labels(reason, by).inc()

    def sign_in_failed(self, code: str) -> None:
        self._sign_in_failures.labels(code).inc()

    def page(self) -> bytes:
        self._look()
        return generate_latest(_of_all() if "PROMETHEUS_MULTIPROC_DIR" in os.environ else self.registry)


def _of_all() -> CollectorRegistry:
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry
