"""The examples run as they stand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_example_decodes_an_answer_in_fewer_steps_and_names_what_was_copied() -> None:
    run = subprocess.run(
        [sys.executable, "examples/decode.py"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-1000:]
    tau, copied = (
        next(line for line in run.stdout.splitlines() if line.startswith(start)) for start in ("tau ", "copied:")
    )
    assert float(tau.split()[1].rstrip(":")) > 1.5
    assert "catheter" in copied
