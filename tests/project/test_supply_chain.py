"""The supply chain: what is installed is what the locks name, by its hash; an audit that asked
nobody is none; licences are listed."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.support.commands import audit, licences

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SETS = {
    "api": ("telemetry",),
    "embedder": ("embedder", "telemetry"),
    "embedder-e5": ("embedder-e5", "telemetry"),
    "pack": ("pack", "embedder-e5", "telemetry"),
    "generator": ("generator", "telemetry"),
    "demo": ("embedded", "generator"),
    "dev": ("embedded", "generator", "embedder", "dev"),
}
LOCKS = sorted(path.stem for path in (ROOT / "locks").glob("*.txt"))


def locked(name: str) -> dict[str, str]:
    """Return package -> version."""
    return dict(
        re.findall(
            r"^([a-z0-9][\w.-]*)==([^\s;\\]+)", (ROOT / "locks" / f"{name}.txt").read_text("utf-8"), re.MULTILINE
        )
    )


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_named_with_hashes(name: str) -> None:
    entries = re.split(r"^(?=[a-z0-9])", (ROOT / "locks" / f"{name}.txt").read_text("utf-8"), flags=re.MULTILINE)
    entries = [entry for entry in entries if entry.strip()]
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9][\w.-]*==", entry), entry[:80]
        assert "--hash=sha256:" in entry, entry[:80]


@pytest.mark.parametrize("name", SETS)
def test_locks_hold_what_the_project_asks_for(name: str) -> None:
    """After a change of pyproject.toml: pin it in constraints.txt, then `make hashes`."""
    found = locked(name)
    wanted = [
        *PROJECT["dependencies"],
        *(line for extra in SETS[name] for line in PROJECT["optional-dependencies"][extra]),
    ]
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(Version(found.get(plain(requirement.name), "0"))), (
            f"{requirement}: run `make hashes`"
        )


@pytest.mark.parametrize("name", SETS)
def test_locks_are_made_of_the_tested_versions(name: str) -> None:
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").split() if "==" in line)
    pinned = {plain(package): version for package, version in pinned.items()}
    assert {p: v for p, v in locked(name).items() if p in pinned} == {p: pinned[p] for p in locked(name) if p in pinned}


def test_every_installation_checks_hashes() -> None:
    texts = [(ROOT / "Makefile").read_text("utf-8"), *(path.read_text("utf-8") for path in ROOT.glob("**/Dockerfile"))]
    for text in texts:
        for line in re.findall(r"pip install [^\n&]*", text):
            # ourselves, and what makes the locks
            if not re.search(r"--no-build-isolation -e \.|'uv>|\.\[embedded", line):
                assert "--require-hashes" in line or ("$(PIP)" in text and "progress-bar off\n" in f"{line}\n"), line


def test_a_package_that_nobody_was_asked_about_is_no_success() -> None:
    said = json.dumps(
        {
            "dependencies": [
                {"name": "a", "version": "1", "vulns": []},
                {"name": "b", "skip_reason": "not found on PyPI"},
            ]
        }
    )
    found = audit.of_pip_audit("locks/x.txt", said, "No known vulnerabilities found")
    assert (found.asked, found.problem != "") == (1, True)
    lines, code = audit.told([found])
    assert code == audit.UNASKED
    assert any("NOT AUDITED" in line for line in lines)
    assert audit.told([audit.of_pip_audit("x", "", "connection error of audit")])[1] == audit.UNASKED
    assert (
        audit.told([audit.of_npm_audit("web", '{"message": "405"}', "npm error audit endpoint returned an error")])[1]
        == audit.UNASKED
    )


def test_a_known_weakness_is_told_and_fails() -> None:
    python = json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}]})
    npm = json.dumps({"vulnerabilities": {"b": {"severity": "high"}}, "metadata": {"dependencies": {"total": 3}}})
    lines, code = audit.told([audit.of_pip_audit("p", python, ""), audit.of_npm_audit("n", npm, "")])
    assert code == audit.KNOWN
    assert lines[:2] == ["p: a 1: CVE-1", "n: b: high"]


def test_all_asked_and_nothing_known_is_clean() -> None:
    python = json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": []}]})
    npm = json.dumps({"vulnerabilities": {}, "metadata": {"dependencies": {"total": 3}}})
    assert audit.told([audit.of_pip_audit("p", python, ""), audit.of_npm_audit("n", npm, "")])[1] == audit.CLEAN


def test_the_licence_of_every_package_is_listed() -> None:
    text = (ROOT / "docs" / "licences.md").read_text("utf-8")
    listed = set(re.findall(r"^\| (\S+)", text, re.MULTILINE))
    assert set(licences.names("dev")) <= listed, "run `make licences`"
    assert {name for name, _, _ in licences.of_the_page()} <= listed, "run `make licences`"
    assert "GNU readline" in text


def test_no_pickle_of_a_model_is_read_where_questions_are_answered() -> None:
    """Loading one can run code. What trains (services/*/train, fit) reads its own interrupted
    state, as plain tensors. What an ingestion's own steps hand on over a Ray cluster, which moves
    nothing but pickles, is no model, and where questions are answered there is no Ray."""
    carried = ROOT / "rag_api" / "ingest" / "cluster" / "rows.py"
    for folder in ("rag_api", "services"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            assert "pickle.load" not in text or path == carried, path
            assert "allow_pickle=True" not in text, path
            for call in re.findall(r"torch\.load\([^\n]*", text):
                assert path.name in ("convert.py", "fit.py", "train.py"), path
                assert "weights_only=True" in call, f"{path}: {call}"
            for call in re.findall(
                r"(?:SentenceTransformer|CrossEncoder|AutoModelFor\w+\.from_pretrained)\((?!\))[^\n]*", text
            ):
                assert "use_safetensors" in call or "services/generator/" in str(path), f"{path}: {call}"
