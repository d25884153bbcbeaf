"""`bedside backup` and `bedside restore`: all of an installation kept in a folder, and brought
back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_api.cli.console import opened, said, say
from rag_api.cli.options import AsJson

if TYPE_CHECKING:
    from rag_api.upkeep.manifest import Manifest

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The backup's folder.", show_default=False)]


def backup(folder: Folder, as_json: AsJson = False) -> None:
    """Keep database, index and files in a new folder. Questions are answered meanwhile; documents
    are loaded when it is done."""
    from rag_api.upkeep.backup import backup as run

    with opened() as container:
        manifest = run(container, folder, say, lambda done: None)
    _tell(manifest, folder, as_json, "Kept")


def restore(
    folder: Folder,
    yes: Annotated[bool, typer.Option("--yes", help="Replace what the installation holds.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only look whether the backup is whole and of a version that is known.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make this installation what a backup holds. Stop `bedside serve` first. Nothing is embedded
    anew."""
    from rag_api.upkeep import restore as run

    if check:
        with said():
            manifest = run.check(folder)
        return _tell(manifest, folder, as_json, "Whole")
    with opened() as container:
        restored = run.restore(container, folder, say, lambda done: None, replace=yes)
    if restored.migrated:
        say(f"The backup was of an older Bedside; applied: {', '.join(restored.migrated)}.")
    say("Everyone signs in again. Accounts and keys are as they were then: suspend and revoke anew what was since.")
    _tell(restored.manifest, folder, as_json, "Restored")


def _tell(manifest: Manifest, folder: Path, as_json: bool, what: str) -> None:
    rows = sum(table.rows for table in manifest.database.tables)
    counts = {
        "rows": rows,
        "documents": manifest.index.documents,
        "passages": manifest.index.chunks,
        "files": len(manifest.files),
    }
    if as_json:
        typer.echo(
            json.dumps({"folder": str(folder), "version": manifest.version, "made_at": manifest.made_at, **counts})
        )
    numbers = ", ".join(f"{count} {name}" for name, count in counts.items())
    say(f"{what}: {folder}, of {manifest.made_at} by Bedside {manifest.version}: {numbers}.")
