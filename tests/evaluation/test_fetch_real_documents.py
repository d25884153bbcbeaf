"""The list of real papers can be fetched from repositories, and what has become another file is
said."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import subprocess
from pathlib import Path

import pytest

COMMAND = Path(__file__).parents[2] / "evaluation" / "fetch_real_documents.py"


@pytest.mark.quick
def test_listed_files_come_from_their_repository_and_another_content_is_said(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("fetch_real_documents", COMMAND)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(command := importlib.util.module_from_spec(spec))
    origin = tmp_path / "origin"
    (origin / "a map").mkdir(parents=True)
    for name in ("one", "two"):
        (origin / "a map" / f"{name}.pdf").write_bytes(f"%PDF {name}".encode())
    git = ["git", "-C", str(origin), "-c", "user.name=a", "-c", "user.email=a@b"]
    for step in (
        ["init", "-q"],
        ["config", "uploadpack.allowAnySHA1InWant", "true"],
        ["add", "."],
        ["commit", "-qm", "a"],
    ):
        subprocess.run([*git, *step], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    listed = tmp_path / "list.csv"
    with listed.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["number", "repository", "commit", "path", "sha256"])
        for number, name, content in (("01", "one", "%PDF one"), ("02", "two", "%PDF other")):
            writer.writerow(
                [number, origin.as_uri(), commit, f"a map/{name}.pdf", hashlib.sha256(content.encode()).hexdigest()]
            )
    failed = command.fetch(tmp_path / "papers", listed)
    assert [path.name for path in (tmp_path / "papers").iterdir()] == ["01 one.pdf"]
    assert [one.split(" from ")[0] for one in failed] == ["a map/two.pdf: not had"]
