"""`bedside owners`: who answers for documents, as a table that is exported, filled in and imported
again."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from rag_api.cli.audited import also
from rag_api.cli.console import opened, say
from rag_api.cli.options import AsJson

owners = typer.Typer(
    no_args_is_help=True, help="Owners: who answers for documents, and is told of questions about them."
)

COLUMNS = ("owner", "mail", "accounts", "documents")


@owners.command("list")
def list_(as_json: AsJson = False) -> None:
    """Every owner and department that documents name, with who that is; those that nobody is known
    for first. As CSV, to be filled in."""
    from rag_api.db.owners.named import list_owners
    from rag_api.db.people.permissions import operator
    from rag_api.text.csv_cells import harmless

    with opened() as container:
        found = list_owners(container.db, operator(container.db), container.settings.roles_by_group)
    if as_json:
        rows = [
            {
                "owner": one.name,
                "mail": one.mail,
                "accounts": [login for _, _, login in one.accounts],
                "documents": one.documents,
            }
            for one in found
        ]
        typer.echo(json.dumps({"owners": rows}, ensure_ascii=False))
        return
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(
        [harmless(one.name), one.mail, ";".join(login for _, _, login in one.accounts), one.documents] for one in found
    )
    typer.echo(text.getvalue(), nl=False)
    missing = sum(not one.known for one in found)
    say(f"{len(found)} owners and departments; nobody is known for {missing}")


@owners.command("import")
def import_(
    file: Annotated[
        Path, typer.Argument(help="CSV with the columns owner, mail and accounts (ids or logins, ; between).")
    ],
) -> None:
    """Keep who these are. A row without mail and accounts is nobody's any more; owners that are not
    in the file stay. Rows that cannot be kept are named, and the others are kept."""
    from rag_api.db.owners.named import put_owner
    from rag_api.db.people.permissions import operator
    from rag_api.errors import BedsideError, InvalidInput
    from rag_api.text.csv_cells import read_cell

    text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    if not rows or not {"owner", "mail", "accounts"} <= set(rows[0]):
        raise InvalidInput(
            f"{file}: expected rows under the columns owner, mail and accounts, as `bedside owners list` prints them"
        )
    wrong, kept = [], 0
    with opened() as container:
        user = operator(container.db)
        for number, row in enumerate(rows, 2):
            name = read_cell(row["owner"] or "").strip()
            try:
                put_owner(container.db, user, name, (row["mail"] or "").strip(), (row["accounts"] or "").split(";"))
                kept += 1
            except BedsideError as error:
                wrong.append(f"line {number} ({name}): {error.message}")
        also(owners=kept)
    say(f"{kept} owners kept")
    if wrong:
        raise InvalidInput(f"{len(wrong)} rows were not kept. " + " ".join(wrong[:10]))
