"""The dashboard and the alert rules in docs/monitoring speak of metrics, labels and values that
exist."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
from prometheus_client import CollectorRegistry

from rag_api.api.server.metrics import PHASES
from rag_api.api.server.metrics import Metrics as ApiMetrics
from rag_api.domain import AnswerStatus, KeptState, Mode, SentencesKept
from rag_api.errors import TooBusy, TooManyTries
from services.generator.server.metrics import GeneratorMetrics

pytestmark = pytest.mark.quick

FOLDER = Path(__file__).parents[2] / "docs" / "monitoring"
OWN = {"up"}  # Prometheus's


def watched(api: ApiMetrics) -> ApiMetrics:
    api.watch(lambda: SentencesKept(KeptState.OFF), lambda: 0, lambda: 0, lambda: None)
    return api


def exported() -> dict[str, set[str]]:
    """Return what Prometheus would store -> its labels."""
    api = ApiMetrics()
    watched(api)
    found: dict[str, set[str]] = {}
    for registry in (api.registry, GeneratorMetrics().registry):
        found |= _series(registry)
    return found


def _series(registry: CollectorRegistry) -> dict[str, set[str]]:
    endings = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
    found: dict[str, set[str]] = {}
    for collector in registry._collector_to_names:
        labels = set(collector._labelnames)  # type: ignore[attr-defined]
        for metric in collector.describe():  # type: ignore[attr-defined]
            found |= {
                metric.name + ending: labels | ({"le"} if ending == "_bucket" else set())
                for ending in endings[metric.type]
            }
    return found


def expressions() -> list[str]:
    panels: list[dict[str, Any]] = json.loads((FOLDER / "grafana.json").read_text("utf-8"))["panels"]
    rules = [
        rule
        for group in yaml.safe_load((FOLDER / "alerts.yml").read_text("utf-8"))["groups"]
        for rule in group["rules"]
    ]
    return [target["expr"] for panel in panels for target in panel["targets"]] + [rule["expr"] for rule in rules]


@pytest.mark.parametrize("expression", expressions())
def test_every_metric_and_label_exists(expression: str) -> None:
    known = exported()
    names = re.findall(r"\b(bedside_\w+|up)\b(?=[{\[) ]|$)", expression)
    assert names, expression
    for name in names:
        assert name in known.keys() | OWN, name
    labels = set(re.findall(r"(\w+)(?:=|!=|=~)\"", expression)) - {"job"}
    grouped = {word for group in re.findall(r"by \(([^)]*)\)", expression) for word in re.split(r",\s*", group)}
    own = set().union(*(known.get(name, set()) for name in names))
    assert labels | grouped <= own, (labels | grouped) - own


def test_every_metric_that_is_named_stands_in_what_prometheus_reads() -> None:
    pages = watched(ApiMetrics()).page() + GeneratorMetrics().page()
    types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", pages.decode(), re.M))
    endings = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
    read = {name + ending for name, kind in types.items() for ending in endings[kind]}
    named = {name for expression in expressions() for name in re.findall(r"\bbedside_\w+", expression)}
    assert len(named) > 15
    assert named <= read


def test_every_value_that_is_looked_for_exists() -> None:
    text = " ".join(expressions())
    known = {
        "status": {status.value for status in AnswerStatus} | {"5.."},
        "mode": {mode.value for mode in Mode},
        "phase": set(PHASES.values()),
        "reason": {TooManyTries("", 1.0).of, "requests|questions", TooBusy("", 1.0).of},
        "job": {
            job["job_name"] for job in yaml.safe_load((FOLDER / "prometheus.yml").read_text("utf-8"))["scrape_configs"]
        },
    }
    for label, value in re.findall(r"(\w+)(?:=|!=|=~)\"([^\"]*)\"", text):
        assert value in known[label], f"{label}={value}"


def test_every_alert_says_what_is_wrong_and_how_urgent_it_is() -> None:
    for group in yaml.safe_load((FOLDER / "alerts.yml").read_text("utf-8"))["groups"]:
        for rule in group["rules"]:
            assert rule["labels"]["severity"] in ("page", "ticket")
            assert rule["annotations"]["summary"].endswith((".", "?"))
            assert rule["for"]


def test_the_runbook_says_where_to_look_first_for_every_alert() -> None:
    rules = [
        rule
        for group in yaml.safe_load((FOLDER / "alerts.yml").read_text("utf-8"))["groups"]
        for rule in group["rules"]
    ]
    runbook = (FOLDER.parent / "runbook.md").read_text("utf-8")
    assert [rule["alert"] for rule in rules if f"`{rule['alert']}`" not in runbook] == []


def test_what_is_exported_is_on_the_dashboard() -> None:
    """But for what only those who study decoding look at."""
    shown = " ".join(expressions())
    studied = {"prompt_tokens", "drafted_nodes", "accepted_lengths", "joules"}
    families = {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in exported()}
    missing = {name for name in families if name not in shown} - {f"bedside_generator_{name}" for name in studied}
    assert missing == set()


def test_grafana_knows_every_word_of_the_dashboard() -> None:
    """Read by the types that Grafana makes from its schemas, and written again: what they do not
    know is gone."""
    register_default_plugins()
    written = json.loads((FOLDER / "grafana.json").read_text("utf-8"))
    assert list(_unknown(written)) == []
    written["panels"][0]["fieldConfig"]["defaults"]["uint"] = "s"
    assert list(_unknown(written)) == [".panels[0].fieldConfig.defaults.uint"]


def _unknown(written: Any) -> Iterator[str]:
    yield from _missing(written, json.loads(JSONEncoder().encode(Dashboard.from_json(written))))


def _missing(written: Any, read: Any, at: str = "") -> Iterator[str]:
    if isinstance(written, dict):
        for key, value in written.items():
            yield from _missing(value, read[key], f"{at}.{key}") if key in read else [f"{at}.{key}"]
    elif isinstance(written, list):
        for number, (value, other) in enumerate(zip(written, read, strict=True)):
            yield from _missing(value, other, f"{at}[{number}]")
    elif written != read:
        yield at
