"""Tables of the docs, made from evaluation/results: `python -m evaluation.tables` writes them,
`--check` only compares.

A page names a file between two comments, and with `columns` which of its columns, under other names
where `=` says so:

    <!-- table retrieval/search.jsonl columns chunks | store | p50_ms=median, ms -->
    <!-- end -->

results/made.csv says of each file which command made it, when and on what; that stands below the
table. Knows no figure's meaning.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).with_name("results")
MARK = re.compile(
    r"(<!-- table (?P<file>[\w/.-]+?)(?: columns (?P<columns>[^>]*?))? -->\n).*?(<!-- end -->)", re.DOTALL
)

Row = dict[str, str]


def pages(root: Path = ROOT) -> list[Path]:
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def rows_of(file: str, results: Path = RESULTS) -> list[Row]:
    """Raises FileNotFoundError, with what to do, where a page names a file that is not there."""
    path = results / file
    if not path.exists():
        raise FileNotFoundError(
            f"evaluation/results/{file} is named by a page and does not exist: make it, or take the table out"
        )
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return list(csv.DictReader(text.splitlines()))
    return [
        {name: f"{value:,}" if isinstance(value, int) else str(value) for name, value in json.loads(line).items()}
        for line in text.splitlines()
    ]


def table(rows: Sequence[Row], columns: str | None) -> str:
    """Raises KeyError for a column that the file lacks."""
    named = (
        [part.strip().partition("=") for part in columns.split("|")]
        if columns
        else [(name, "", "") for name in rows[0]]
    )
    heads = [label or name for name, _, label in named]
    lines = [heads, ["---"] * len(heads), *([row[name].replace("|", "\\|") for name, _, _ in named] for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def below(file: str, made: Iterable[Row]) -> str:
    """Return the line that says how a table came about. Raises KeyError for a file of which
    made.csv says nothing."""
    found = {row["file"]: row for row in made}[file]
    command = f"`{found['command']}`, " if found["command"] else ""
    return f"\n[{Path(file).name}](RESULTS/{file}): {command}{found['date']}, {found['on']}.\n"


def written(text: str, depth: str, results: Path = RESULTS) -> str:
    """Return a page with its tables as the results say; depth leads from its folder to the root
    ("../")."""
    made = rows_of("made.csv", results)

    def one(match: re.Match[str]) -> str:
        file = match["file"]
        source = below(file, made).replace("RESULTS", f"{depth}evaluation/results")
        return f"{match[1]}\n{table(rows_of(file, results), match['columns'])}{source}\n{match[4]}"

    return MARK.sub(one, text)


def stale(root: Path = ROOT, write: bool = False) -> list[str]:
    """Return the pages whose tables are not what the results say, and write them anew where
    asked."""
    found = []
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        new = written(text, "../" * (len(page.relative_to(root).parts) - 1))
        if new != text:
            found.append(str(page.relative_to(root)))
            if write:
                page.write_text(new, encoding="utf-8")
    return found


if __name__ == "__main__":
    checking = "--check" in sys.argv[1:]
    changed = stale(write=not checking)
    print(
        "\n".join(f"{page}: {'differs from evaluation/results' if checking else 'written'}" for page in changed)
        or "all tables are current"
    )
    sys.exit(1 if checking and changed else 0)
