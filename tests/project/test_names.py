"""Names and docstrings that a newcomer reads: a class has a name of its own, and a module's
docstring begins with its subject."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from tests.parsed import parsed

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("rag_api", "services", "evaluation")
RIDDLES = ("What ", "Whether ", "Which ", "Who ", "Whom ", "Whose ", "Where ", "When ", "How ", "Why ")


def paths(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def test_no_two_classes_have_one_name() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths(*PACKAGES):
        for name in parsed(path).classes:
            found[name].append(path.relative_to(ROOT).as_posix())
    assert found
    assert {name: files for name, files in found.items() if len(files) > 1} == {}, "say in each name what sets it apart"


@pytest.mark.parametrize("folder", [*PACKAGES, "tests"])
def test_docstrings_of_modules_begin_with_their_subject(folder: str) -> None:
    said = {path.relative_to(ROOT).as_posix(): parsed(path).docstring for path in paths(folder)}
    assert any(said.values())
    assert [path for path, words in said.items() if words.startswith(RIDDLES)] == [], (
        "begin with the subject: 'Headers and footers that ...'"
    )
