"""`make demo` starts `bedside demo` with the model that could be fetched."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.mark.parametrize(
    ("chosen", "fetched"),
    [
        ([], "qwen2.5-coder-0.5b"),
        ([], "demo"),
        (["BEDSIDE_DEMO_MODEL=qwen2.5-coder-1.5b"], "qwen2.5-coder-1.5b"),
        (["BEDSIDE_DEMO_MODEL=demo"], "demo"),
    ],
)
def test_the_demo_starts_with_the_model_that_was_fetched(chosen: list[str], fetched: str, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    programs = {"python": f'echo "{fetched}"', "bedside": 'echo "told $BEDSIDE_GENERATOR_MODEL"'}
    for name, line in programs.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(0o755)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("BEDSIDE_", "MAKE", "MFLAGS"))
    }
    # what is installed is another test's matter
    ready = [f"--assume-old={tmp_path}/{stamp}" for stamp in ("demo", "web")]
    done = subprocess.run(
        ["make", *ready, "demo", f"VENV={tmp_path}", f"STAMPS={tmp_path}", *chosen],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == f"told {fetched}", done.stderr
