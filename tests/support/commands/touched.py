"""Tests that changed files touch, run: `python -m tests.support.commands.touched [BASE]` (`make
check`).

A test is touched when it changed, imports a module that changed, covers it by its line in
covered_by.csv, or names a changed file. Changed is what differs from BASE (main where there is one,
else the last commit) and what git does not know yet. What else is touched by way of other modules
is `make test`'s.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.parsed import parsed
from tests.project.test_architecture import ROOT, name_of
from tests.project.test_tests_by_path import lines

BOOK = "tests/book/test_book.py"


def git(*arguments: str) -> list[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()


def changed(base: str | None) -> list[str]:
    start = git("merge-base", "HEAD", base or "main") or ["HEAD"]
    return sorted({*git("diff", "--name-only", start[0]), *git("ls-files", "--others", "--exclude-standard")})


@cache
def imports(path: Path, root: Path = ROOT) -> frozenset[str]:
    """Return all that it may import, as names of modules: of `from a import b` both a and a.b."""
    found: set[str] = set()
    here = path.relative_to(root).parts
    for one in parsed(path).imports:
        module = ".".join([*here[: -one.level], *filter(None, [one.module])]) if one.level else one.module
        found |= {module, *(f"{module}.{name}" for name in one.names)}
    return frozenset(found)


def touched(files: Iterable[str], root: Path = ROOT) -> list[str]:
    """Return the test files that the changed files touch, but for the browser's."""
    there = [file for file in files if (root / file).exists()]
    modules = {name_of(root / file) for file in there if file.endswith(".py")}
    named = {Path(file).name for file in there if not file.endswith((".py", ".md"))}
    covered = lines()
    found = {covered[file] for file in there if file in covered}
    if any(file.endswith(".md") for file in files):
        found.add(BOOK)
    for path in sorted((root / "tests").rglob("test_*.py")):
        test = str(path.relative_to(root))
        if test.startswith("tests/e2e"):
            continue
        text = path.read_text(encoding="utf-8")
        if (
            test in there
            or imports(path, root) & modules
            or any(f'"{name}"' in text or f"/{name}" in text for name in named)
        ):
            found.add(test)
    return sorted(found)


def main(base: str | None) -> int:
    files = changed(base)
    tests = touched(files)
    print(f"{len(files)} changed files touch {len(tests)} test files", file=sys.stderr)
    page = (
        subprocess.run(["make", "web-test"], cwd=ROOT, check=False).returncode
        if any(file.startswith("web/") for file in files)
        else 0
    )
    python = (
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-m", "not slow", *tests], cwd=ROOT, check=False
        ).returncode
        if tests
        else 0
    )
    return page or (0 if python == 5 else python)  # 5: all of them are slow


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if sys.argv[1:] else None))
