"""`make demo` starts the model that could be fetched, and with it the adapter that must agree,
where one ships."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ("BEDSIDE_GENERATOR_MODEL", "BEDSIDE_GENERATOR_ADAPTERS", "BEDSIDE_READER")

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.mark.parametrize(
    ("chosen", "fetched", "reader", "told"),
    [
        (
            [],
            "qwen2.5-coder-0.5b",
            None,
            ("qwen2.5-coder-0.5b", "services/reader/adapters/qwen2.5-coder-0.5b", "agreeing:reading"),
        ),
        ([], "demo", None, ("demo", "", "")),
        ([], "qwen2.5-coder-0.5b", "", ("qwen2.5-coder-0.5b", "", "")),
        (
            ["BEDSIDE_DEMO_MODEL=qwen2.5-coder-1.5b"],
            "qwen2.5-coder-1.5b",
            None,
            ("qwen2.5-coder-1.5b", "services/reader/adapters/qwen2.5-coder-1.5b", "agreeing:reading"),
        ),
        (["BEDSIDE_DEMO_MODEL=demo"], "nothing is fetched", None, ("", "", "")),
    ],
)
def test_the_adapter_comes_with_its_model_alone(
    chosen: list[str], fetched: str, reader: str | None, told: tuple[str, str, str], tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    programs = {"python": f"echo {fetched}", "bedside": f'echo "told|{"|".join(f"${name}" for name in NAMES)}"'}
    for name, line in programs.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(0o755)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("BEDSIDE_", "MAKE", "MFLAGS"))
    }
    given = {} if reader is None else {"BEDSIDE_READER": reader}
    # what is installed is another test's matter
    ready = [f"--assume-old={tmp_path}/{stamp}" for stamp in ("demo", "web")]
    done = subprocess.run(
        ["make", *ready, "demo", f"VENV={tmp_path}", f"STAMPS={tmp_path}", *chosen],
        cwd=ROOT,
        env=environment | given,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "|".join(("told", *told)), done.stderr
