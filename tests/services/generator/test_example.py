"""examples/decode.py decodes an answer and says what was copied."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_the_example_decodes_an_answer_and_says_what_was_copied() -> None:
    ran = subprocess.run(
        [sys.executable, "examples/decode.py"], cwd=ROOT, env=None, capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "tau " in ran.stdout
    assert "copied: [" in ran.stdout
