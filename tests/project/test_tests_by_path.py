"""A module's test is found by its path, or by its line in covered_by.csv: `rag_api/db/access.py`
has `tests/rag_api/db/test_access.py`.

A line names a test that reaches the module by its imports, its own or those of what it imports.
What has a test by its path has no line.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from tests.parsed import parsed

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
LINES = Path(__file__).with_name("covered_by.csv")
PACKAGES = ("bedside", "rag_api", "services")


def modules() -> list[str]:
    """Return all that hold code, by their paths from the root."""
    found = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [path.relative_to(ROOT).as_posix() for path in found if parsed(path).holds_code]


def test_by_path(module: str) -> Path:
    """`rag_api/db/access.py` -> `tests/rag_api/db/test_access.py`; a package's `__init__.py` is
    tested under the package's name."""
    path = Path(module)
    name = path.parent.name if path.name == "__init__.py" else path.stem.strip("_")
    return ROOT / "tests" / path.parent / f"test_{name}.py"


test_by_path.__test__ = False  # type: ignore[attr-defined]  # no test of its own


@cache
def file_of(name: str) -> Path | None:
    """Return the file of a dotted module of this project; None for other packages and for names
    within modules."""
    path = ROOT / name.replace(".", "/")
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@cache
def imports(path: Path) -> frozenset[Path]:
    """Return the files of this project that a file imports, or names to be run; for a test, its
    conftests too."""
    names = set()
    package = ".".join(path.parent.relative_to(ROOT).parts)
    for one in parsed(path).imports:
        names |= {one.module, *(f"{one.module}.{name}" for name in one.names)} - {""}
    for name in parsed(path).dotted:
        names |= {name, f"{name}.__main__", f"{package}.{name}"}
    whole = {".".join(name.split(".")[: size + 1]) for name in names for size in range(name.count(".") + 1)}
    found = {file for name in whole if (file := file_of(name))}
    if path.name.startswith("test_"):
        found |= {
            folder / "conftest.py"
            for folder in path.parents
            if ROOT in folder.parents and (folder / "conftest.py").is_file()
        }
    return frozenset(found)


def reached(test: Path) -> dict[Path, int]:
    """Return all files that a test's imports lead to, each with the number of imports on the
    shortest way there."""
    steps = {test: 0}
    queue = [test]
    for path in queue:
        for other in imports(path):
            if other not in steps:
                steps[other] = steps[path] + 1
                queue.append(other)
    return steps


def lines() -> dict[str, str]:
    """Return covered_by.csv: the test of each module that it lists."""
    with LINES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["module"] for row in rows}) == len(rows), "a module stands twice"
    return {row["module"]: row["test"] for row in rows}


def test_every_module_has_its_test() -> None:
    without = {module for module in modules() if not test_by_path(module).is_file()}
    listed = lines().keys()
    assert not without - listed, "write its test where its path says, or name the test that covers it in covered_by.csv"
    assert not listed - without, "these have a test by their path, or are gone: take their lines away"


@pytest.mark.parametrize("test", sorted(set(lines().values())))
def test_a_named_test_reaches_what_it_covers(test: str) -> None:
    assert (ROOT / test).is_file()
    found = reached(ROOT / test)
    assert [module for module, named in lines().items() if named == test and ROOT / module not in found] == []
