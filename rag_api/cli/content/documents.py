"""`bedside documents`: what became of each file."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from rag_api.cli.console import opened, say, wide_console
from rag_api.cli.options import AsJson


def documents(
    search: Annotated[str, typer.Option(help="Only those with this in title or file name.")] = "",
    status: Annotated[
        str | None, typer.Option(help="indexed, failed, retired or replaced; the first two when absent.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the documents, with what became of each."""
    from rag_api.db.documents import DocumentQuery, list_documents
    from rag_api.db.people.permissions import operator
    from rag_api.domain import DocumentStatus

    if status is not None and status not in list(DocumentStatus):
        raise typer.BadParameter(f"{status!r}: choose indexed, failed, retired or replaced", param_hint="--status")
    with opened() as container:
        query = DocumentQuery(search, DocumentStatus(status) if status else None, limit=1_000_000)
        found, total = list_documents(container.db, operator(container.db), query)
    if as_json:
        from rag_api.api.mapping import document_out

        typer.echo(
            json.dumps(
                {"documents": [document_out(d).model_dump(mode="json") for d in found], "total": total},
                ensure_ascii=False,
            )
        )
        return
    from rich.markup import escape
    from rich.table import Table

    from rag_api.ingest.common.remedies import advice

    table = Table(
        "Title", "Version", "File", "Pages", "Passages", "Read by", "Status", "Notes", box=None, pad_edge=False
    )
    for d in found:
        state = d.status.value + (f" ({d.reason})" if d.reason else "")
        notes = "; ".join(filter(None, (*d.warnings, advice(d.reason))))
        table.add_row(
            d.metadata.title,
            d.metadata.version,
            d.source,
            str(d.page_count),
            str(d.chunk_count),
            ", ".join(d.groups),
            state,
            escape(notes),
        )
    wide_console().print(table)
    say(f"{total} documents")
