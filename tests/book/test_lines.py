"""Lines of what ruff does not read, C and the page: prose of at most 100 characters, code of 120.

biome lays the page's code out at 120 and leaves alone what it cannot break: such a line is a text,
an address or a pattern, and these rows leave it out too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
PROSE, CODE = 100, 120
NOT_OURS = {"node_modules", "dist", "build", ".venv"}
GENERATED = {"schema.ts"}
BIOMES = "biome-ignore"  # reads its reason from one line
OPENS = ("//", "/*", "*", "{/*")


def sources(*kinds: str) -> list[Path]:
    found = [
        path
        for folder in ("services", "tests", "web")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in kinds and NOT_OURS.isdisjoint(path.relative_to(ROOT).parts) and path.name not in GENERATED
    ]
    assert found
    return sorted(found)


def long_prose(text: str) -> Iterator[int]:
    """Yield the numbers of lines within comments that end behind the hundredth character."""
    inside = False
    for number, line in enumerate(text.split("\n"), start=1):
        said = line.strip()
        begins = said.startswith(("/*", "{/*"))
        if len(line) > PROSE and (inside or begins or said.startswith("//")) and BIOMES not in said:
            yield number
        inside = (inside or begins) and "*/" not in said


def long_code(text: str) -> Iterator[int]:
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > CODE and not line.strip().startswith(OPENS):
            yield number


@pytest.mark.parametrize("path", sources(".c", ".h"), ids=lambda path: path.name)
def test_lines_of_c_are_no_longer_than_others(path: Path) -> None:
    text = path.read_text("utf-8")
    assert [*long_prose(text), *long_code(text)] == []


def test_comments_of_the_page_are_no_longer_than_others() -> None:
    files = sources(".ts", ".tsx", ".mjs", ".css")
    found = {path.relative_to(ROOT).as_posix(): list(long_prose(path.read_text("utf-8"))) for path in files}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_a_comment_behind_the_pages_code_makes_no_line_too_long() -> None:
    behind = re.compile(r"[;,{)\]]\s+//\s")
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{number}"
        for path in sources(".ts", ".tsx", ".mjs")
        for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1)
        if len(line) > CODE and behind.search(line)
    ]
    assert found == [], "set the comment above its line"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/* " + "a " * 60 + "*/", [1]),
        ("/* short\n   " + "a " * 60 + "\n*/\n" + "a" * 110, [2]),
        ("x();\n// " + "a " * 60, [2]),
        ("/* a */ x();\n" + "b" * 119, []),
    ],
)
def test_what_is_prose_is_told_from_code(text: str, lines: list[int]) -> None:
    assert list(long_prose(text)) == lines
