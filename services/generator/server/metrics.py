"""Metrics of /metrics. One registry per application, so that two in one process do not mix."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from services.generator.types import SequenceStats

SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


class GeneratorMetrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        prefix, registry = "bedside_generator", self.registry
        self._requests = Counter(f"{prefix}_requests", "Requests by how they ended.", ["outcome"], registry=registry)
        self._prompt = Counter(
            f"{prefix}_prompt_tokens",
            "Prompt tokens; `cached` of them were not computed again.",
            ["kind"],
            registry=registry,
        )
        self._tokens = Counter(
            f"{prefix}_tokens", "Emitted tokens by who drafted them (target: nobody).", ["source"], registry=registry
        )
        self._steps = Counter(
            f"{prefix}_steps", "Forwards of the target after the prefill, per request.", registry=registry
        )
        self._drafted = Counter(f"{prefix}_drafted_nodes", "Draft nodes that were verified.", registry=registry)
        self._accepted = Counter(
            f"{prefix}_accepted_lengths",
            "Steps by how many tokens of a source were accepted.",
            ["source", "length"],
            registry=registry,
        )
        self._joules = Counter(f"{prefix}_joules", "Energy of requests, where the GPU counts it.", registry=registry)
        self._seconds = Histogram(
            f"{prefix}_seconds", "Time per request and phase.", ["phase"], buckets=SECONDS, registry=registry
        )
        self.running = Gauge(f"{prefix}_running", "Requests that are being decoded.", registry=registry)
        self.waiting = Gauge(f"{prefix}_waiting", "Requests in the queue.", registry=registry)

    def refused(self, code: str) -> None:
        self._requests.labels(code).inc()

    def finished(self, outcome: str, stats: SequenceStats) -> None:
        self._requests.labels(outcome).inc()
        self._prompt.labels("computed").inc(stats.prompt_tokens - stats.cached_tokens)
        self._prompt.labels("cached").inc(stats.cached_tokens)
        self._steps.inc(stats.steps)
        self._drafted.inc(stats.drafted)
        self._joules.inc(stats.joules or 0.0)
        for source, count in stats.accepted_by_source.items():
            self._tokens.labels(source).inc(count)
        for source, lengths in stats.accepted_lengths.items():
            for length, steps in lengths.items():
                self._accepted.labels(source, str(length)).inc(steps)
        for phase, seconds in (
            ("queue", stats.queue_seconds),
            ("prefill", stats.prefill_seconds),
            ("decode", stats.decode_seconds),
        ):
            self._seconds.labels(phase).observe(seconds)

    def page(self) -> bytes:
        return generate_latest(self.registry)
