"""A run that refuses skips fails on one, and says why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("reason", "option", "code", "said"),
    [
        ("LibreOffice is not installed", "--refuse-skips", 1, "skipped, and that fails this run"),
        ("LibreOffice is not installed", "", 0, "1 passed, 1 skipped"),
        ("torch sees no GPU", "--refuse-skips", 0, "1 passed, 1 skipped"),
        ("memory keeps nothing", "--refuse-skips", 0, "1 passed, 1 skipped"),
        ("no sample files in ../shared/data/pdf", "--refuse-skips", 0, "../shared IS NOT THERE"),
    ],
)
def test_a_skip_fails_the_run_unless_no_set_up_could_help(
    tmp_path: Path, reason: str, option: str, code: int, said: str
) -> None:
    (tmp_path / "conftest.py").write_text("from tests.skips import pytest_addoption, pytest_configure\n")
    (tmp_path / "test_one.py").write_text(
        f"import pytest\n@pytest.mark.skip(reason={reason!r})\ndef test_skipped(): ...\ndef test_run(): assert True\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
        *filter(None, [option]),
    ]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # packages' plugins take seconds to load
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == code, done.stdout
    assert said in done.stdout
