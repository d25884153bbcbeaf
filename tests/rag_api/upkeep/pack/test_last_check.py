"""Outcome of the last check of a downtime pack: kept, read again, and seen by Prometheus."""

from __future__ import annotations

from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from rag_api.api.server.metrics import Metrics
from rag_api.domain import KeptState, SentencesKept
from rag_api.upkeep.pack.last_check import FILE, LastCheck, last_check, note

pytestmark = pytest.mark.quick


def read(data_dir: Path) -> LastCheck:
    last = last_check(data_dir)
    assert last is not None
    return last


def test_what_is_noted_is_read_again(tmp_path: Path) -> None:
    assert last_check(tmp_path) is None
    note(tmp_path, tmp_path / "pack", 12, ("ward/1", "ward/7"))
    assert (read(tmp_path).asked, read(tmp_path).differing) == (12, ("ward/1", "ward/7"))
    assert read(tmp_path).folder == str(tmp_path / "pack")
    note(tmp_path, tmp_path / "pack", 12, problem="Het pakket is te oud.")
    assert (read(tmp_path).differing, read(tmp_path).problem) == ((), "Het pakket is te oud.")
    (tmp_path / FILE).write_text("{")
    assert last_check(tmp_path) is None
    note(tmp_path / "nowhere", tmp_path, 12)


def test_prometheus_sees_it_as_soon_as_it_is_noted(tmp_path: Path) -> None:
    metrics = Metrics()
    metrics.watch(lambda: SentencesKept(KeptState.OFF), lambda: 0, lambda: 0, lambda: last_check(tmp_path))
    assert seen(metrics) == {"check_timestamp_seconds": 0, "check_failed": 0, "differing_answers": 0}
    note(tmp_path, tmp_path / "pack", 12, ("ward/1", "ward/7"))
    when = read(tmp_path).checked_at.timestamp()
    assert seen(metrics) == {"check_timestamp_seconds": when, "check_failed": 0, "differing_answers": 2}
    note(tmp_path, tmp_path / "pack", 12, problem="The pack did not open.")
    assert (seen(metrics)["check_failed"], seen(metrics)["differing_answers"]) == (1, 0)


def seen(metrics: Metrics) -> dict[str, float]:
    families = text_string_to_metric_families(metrics.page().decode())
    samples = [sample for family in families for sample in family.samples]
    prefix = "bedside_pack_"
    return {one.name.removeprefix(prefix): one.value for one in samples if one.name.startswith(prefix)}
