"""Each target for a few seconds, from another seed in every run; half an hour each is `make fuzz`.
And: the fuzzer does find faults."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import NAMES

SECONDS = 12
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris has no wheel for this machine"
)
ROOT = Path(__file__).parents[2]


def fuzzed(target: str, seconds: int, seed: int, folder: Path, before: str = "") -> subprocess.CompletedProcess[str]:
    start = (
        f"import runpy, sys; sys.argv = ['fuzz', {target!r}, '{seconds}', '{seed}']; "
        f"runpy.run_module('tests.fuzz', None, '__main__')"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", f"{before}\n{start}"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace")


@pytest.mark.parametrize("target", NAMES)
def test_no_input_breaks(target: str, seed: int, tmp_path: Path) -> None:
    done = fuzzed(target, SECONDS, seed, tmp_path)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    runs = next(line for line in done.stderr.splitlines() if line.startswith("stat::number_of_executed_units"))
    assert int(runs.split()[-1]) >= 10, runs


def test_an_exception_that_is_not_ours_by_name_ends_the_run_and_keeps_its_input(tmp_path: Path) -> None:
    breaks = "import services.contract.templates as t; t.without_tokens = lambda text: 1 // (len(text) - 8)"
    done = fuzzed("wire", 5, 1, tmp_path, breaks)
    assert done.returncode != 0
    assert "ZeroDivisionError" in done.stdout + done.stderr
    assert list((tmp_path / "build" / "fuzz").glob("wire-crash-*"))
