"""`python -m tests.support.handbook.render`: writes every procedure's PDF and the metadata that
stands beside them.

Rendering is repeatable: the same sources give the same bytes. `--check` writes nothing and fails
when a file would change.
"""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

from tests.support.handbook.layout import render
from tests.support.handbook.source import Procedure, read_procedure

HANDBOOK = Path(__file__).parents[3] / "rag_api" / "handbook"  # where the PDFs stand
SOURCES = Path(__file__).parent / "sources"
COLUMNS = (
    "source", "title", "department", "document_type", "target_groups", "version", "valid_from", "valid_until", "owner", "language",
    "supersedes",
)  # fmt: skip


def procedures(sources: Path = SOURCES) -> list[Procedure]:
    return [read_procedure(path) for path in sorted(sources.glob("*.md"))]


def metadata_csv(documents: list[Procedure]) -> str:
    """One row per PDF: the sidecar that ingestion reads from the folder of the PDFs."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for p in documents:
        supersedes = f"{p.supersedes}.pdf" if p.supersedes else ""
        row = [p.file_name, p.title, p.department, p.document_type, ";".join(p.target_groups), p.version]
        writer.writerow([*row, p.valid_from, p.valid_until or "", p.owner, p.language, supersedes])
    return out.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(description="Render the sample handbook.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a committed file differs")
    parser.add_argument("names", nargs="*", help="only these procedures (file names without .md)")
    args = parser.parse_args()
    everything = procedures()
    chosen = [p for p in everything if not args.names or p.name in args.names]
    files = {HANDBOOK / "pdf" / p.file_name: render(p, SOURCES / "scans") for p in chosen}
    files[HANDBOOK / "pdf" / "metadata.csv"] = metadata_csv(everything).encode()
    changed = [path for path, content in files.items() if not path.is_file() or path.read_bytes() != content]
    for path in changed:
        print(("differs: " if args.check else "written: ") + path.name)
        if not args.check:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(files[path])
    print(f"{len(files)} files, {len(changed)} changed")
    return 1 if args.check and changed else 0


if __name__ == "__main__":
    raise SystemExit(main())
