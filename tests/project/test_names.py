"""Names and docstrings that a newcomer reads: a class has a name of its own, a module's docstring
begins with its subject, and no test asks for what is private: what is behind what a caller sees can
be written anew without its tests. `make lint` runs it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from tests.parsed import parsed

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("bedside", "rag_api", "services", "evaluation")
# Of others' libraries, where there is no other way.
OTHERS = {
    "_add_object": "pypdf adds an object to a file by nothing else",
    "_cells": "python-docx gives all cells of a table at once by nothing else",
    "_code": "reportlab writes operators of its own by nothing else",
    "_doc": "reportlab's document behind a canvas, whose dates must be fixed",
    "_timeStamp": "reportlab's, as above",
    "_collector_to_names": "prometheus-client lists what is registered by nothing else",
    "_labelnames": "prometheus-client's, as above",
    "_fields_": "ctypes documents it",
    "_replace": "a named tuple's, documented",
    "_exit": "os ends a process at once by nothing else",
}
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


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_of_a_type_stands_for_two(package: str) -> None:
    found: dict[str, set[str]] = defaultdict(set)
    classes = {name for path in paths(package) for name in parsed(path).classes}
    for path in paths(package):
        for name, meant in parsed(path).aliases:
            found[name] |= {meant, "a class"} if name in classes else {meant}
    assert found
    assert {name: meant for name, meant in found.items() if len(meant) > 1} == {}, "say in each name what sets it apart"


@pytest.mark.parametrize("folder", [*PACKAGES, "tests"])
def test_docstrings_of_modules_begin_with_their_subject(folder: str) -> None:
    said = {path.relative_to(ROOT).as_posix(): parsed(path) for path in paths(folder)}
    assert [path for path, one in said.items() if one.holds_code and not one.docstring] == []
    assert [path for path, one in said.items() if one.docstring.startswith(RIDDLES)] == [], (
        "begin with the subject: 'Headers and footers that ...'"
    )


def used() -> dict[str, list[str]]:
    """Private names -> the files of tests that ask for them."""
    found: dict[str, list[str]] = {}
    for path in sorted(set(paths("tests")) - {Path(__file__).resolve()}):
        for name in parsed(path).private:
            found.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    return found


def test_no_test_asks_for_what_is_private_in_the_product() -> None:
    assert {name: files for name, files in used().items() if name not in OTHERS} == {}, (
        "ask what a caller sees, or make it public with a name and a docstring"
    )


def test_what_is_allowed_is_needed() -> None:
    assert sorted(OTHERS.keys() - used().keys()) == []


def test_names_of_types_are_seen_wherever_they_are_given(tmp_path: Path) -> None:
    lines = [
        "class One:", "    class Two: ...",
        "def f():", "    class Three: ...",
        "Item = Line | Row", "Boxes = NDArray[float]", "Other = One",
        "Query = Annotated[str, Path()]", "COUNT = A | B", "first = table[0]", "Made = One()",
    ]  # fmt: skip
    (tmp_path / "one.py").write_text("\n".join(lines))
    seen = parsed(tmp_path / "one.py")
    assert set(seen.classes) == {"One", "Two", "Three"}
    assert dict(seen.aliases) == {"Item": "Line | Row", "Boxes": "NDArray[float]", "Other": "One"}


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("a._b", {"_b"}),
        ("a.c._b.d()", {"_b"}),
        ("a()._b", {"_b"}),
        ("from a import _b", {"_b"}),
        ("monkeypatch.setattr(a, '_b', 1)", {"_b"}),
        ("monkeypatch.setattr('a.c._b', 1)", {"_b"}),
        ("getattr(a, '_b')", {"_b"}),
        ("run('print(a._b.c)')", {"_b"}),
        ("self._b = cls._c = super()._d", set()),
        ("a.__dict__", set()),
        ("'self._b'", set()),
        ("from a import b", set()),
    ],
)
def test_every_way_to_ask_is_seen(tmp_path: Path, code: str, seen: set[str]) -> None:
    (tmp_path / "one.py").write_text(code)
    assert parsed(tmp_path / "one.py").private == seen
