"""The floor of coverage: what is counted, and that falling below it fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands.coverage import by_folder, main, percent

pytestmark = pytest.mark.quick

FILES = {
    "rag_api/db/questions/answers.py": {"executed_lines": [1, 2, 3], "missing_lines": [4]},
    "rag_api/db/questions/gaps.py": {"executed_lines": [], "missing_lines": [1, 2]},
    "services/generator/engine/engine.py": {"executed_lines": [1, 2, 3, 4], "missing_lines": []},
}


def test_lines_are_counted_by_folder() -> None:
    assert by_folder(FILES) == {"rag_api/db": (3, 6), "services/generator/engine": (4, 4)}
    assert percent(by_folder(FILES)) == 70.0


def test_below_the_floor_it_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.json").write_text(json.dumps({"files": FILES}))
    assert main([str(tmp_path / "c.json"), "70"]) == 0
    assert main([str(tmp_path / "c.json"), "70.1"]) == 1
    assert "70.0%  of 10 lines; the floor is 70.1%" in capsys.readouterr().out
