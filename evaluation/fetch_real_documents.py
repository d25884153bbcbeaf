"""Fetches the papers of hospitals and governments that real_documents.csv lists, each from its
public repository: none of them is ours.

python evaluation/fetch_real_documents.py FOLDER [LIST]

LIST: another file of that form, such as documents/docx_documents.csv.
"""

from __future__ import annotations

import csv
import hashlib
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path, PurePosixPath

LIST = Path(__file__).with_name("real_documents.csv")


def fetch(folder: Path, listed: Path = LIST) -> list[str]:
    """Bring what is listed into a folder; return what could not be had, each as a sentence."""
    folder.mkdir(parents=True, exist_ok=True)
    by_source: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    with listed.open(newline="") as file:
        for row in csv.DictReader(file):
            by_source[row["repository"], row["commit"]].append(row)
    failed: list[str] = []
    for (repository, commit), rows in by_source.items():
        with tempfile.TemporaryDirectory() as git:
            got = _git(git, "init", "--quiet") and _git(
                git, "fetch", "--quiet", "--depth", "1", "--filter", "blob:none", repository, commit
            )
            _git(git, "config", "remote.origin.url", repository)
            _git(git, "config", "remote.origin.promisor", "true")
            for row in rows:
                content = _shown(git, f"{commit}:{row['path']}") if got else b""
                if hashlib.sha256(content).hexdigest() != row["sha256"]:
                    failed.append(
                        f"{row['path']}: not had from {repository} at {commit}; see whether that repository "
                        f"is still public"
                    )
                    continue
                (folder / f"{row['number']} {PurePosixPath(row['path']).name}").write_bytes(content)
    return failed


def _git(folder: str, *arguments: str) -> bool:
    return subprocess.run(["git", "-C", folder, *arguments], check=False, capture_output=True).returncode == 0


def _shown(folder: str, name: str) -> bytes:
    return subprocess.run(["git", "-C", folder, "show", name], check=False, capture_output=True).stdout


if __name__ == "__main__":
    missing = fetch(*map(Path, sys.argv[1:3]))
    print("\n".join(missing) or "all are there")
    sys.exit(bool(missing))
