"""`make check` runs the tests that changes touch, and the devcontainer sets up what there is."""

from __future__ import annotations

import json
import re

import pytest

from tests.project.test_architecture import ROOT
from tests.support.commands.touched import touched

pytestmark = pytest.mark.quick


@pytest.mark.longer
def test_a_module_touches_the_tests_that_import_it_and_no_others() -> None:
    found = touched(["rag_api/text/language.py"])
    assert "tests/rag_api/text/test_language.py" in found
    assert "tests/services/generator/drafters/copies/test_blend.py" not in found


@pytest.mark.longer
def test_a_module_without_a_test_by_its_path_touches_the_one_that_covers_it() -> None:
    assert "tests/rag_api/api/routes/test_usage.py" in touched(["rag_api/db/choices.py"])


@pytest.mark.longer
def test_a_page_touches_the_book_and_a_table_the_tests_that_name_it() -> None:
    assert touched(["docs/architecture.md"]) == ["tests/book/test_book.py"]
    assert "tests/deployment/test_containers.py" in touched(["docker-compose.yml"])


@pytest.mark.longer
def test_a_changed_test_is_run_and_a_browser_test_is_not() -> None:
    assert touched(["tests/project/test_ports.py", "tests/e2e/test_states.py"]) == ["tests/project/test_ports.py"]


def test_the_devcontainer_makes_what_the_makefile_has() -> None:
    said = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("$(STAMPS)", ".make")
    wanted = said["postCreateCommand"].removeprefix("make ").split()
    assert set(wanted) <= set(re.findall(r"^(\S+):", makefile, re.MULTILINE))
    assert "check: " in makefile
    assert "quick: " in makefile
