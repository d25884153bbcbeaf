"""`bedside abbreviations`: an admin's lists for query expansion, checked, and what documents
propose for them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from rag_api.cli.console import opened, say
from rag_api.cli.options import AsJson

if TYPE_CHECKING:
    from rag_api.container import Container


def abbreviations(
    propose: Annotated[
        bool,
        typer.Option("--propose", help="Print what the documents explain and the list lacks, as rows for it (CSV)."),
    ] = False,
    question: Annotated[str, typer.Option("--try", help="Print what is added to this question.")] = "",
    as_json: AsJson = False,
) -> None:
    """Check the lists of abbreviations and synonyms, and say how many they hold.

    They are abbreviations.csv (columns abbreviation, expansion, language) and synonyms.csv (term,
    synonym, language) in the data directory. Changes count from the next question on.
    """
    from rag_api.query import synonyms as expand

    with opened() as container:
        paths = expand.paths_of(container.settings)
        pairs = {kind: expand.read_pairs(path, kind) if path.is_file() else [] for kind, path in paths.items()}
        if question:
            added = container.expander.expand(question)
            typer.echo(json.dumps(added, ensure_ascii=False) if as_json else "\n".join(added))
        elif propose:
            proposals = expand.propose(_texts(container), pairs["abbreviations"])
            if as_json:
                rows = [
                    {"abbreviation": p.abbreviation, "expansion": p.expansion, "documents": p.documents}
                    for p in proposals
                ]
                typer.echo(json.dumps({"proposals": rows}, ensure_ascii=False))
            else:
                expand.write_proposals(sys.stdout, proposals)
            say(f"{len(proposals)} proposed; copy the right ones into {paths['abbreviations']}")
        elif as_json:
            typer.echo(json.dumps({kind: len(found) for kind, found in pairs.items()}))
        else:
            for kind, found in pairs.items():
                say(
                    f"{len(found)} {kind} in {paths[kind]}"
                    + ("" if paths[kind].is_file() else " (there is no such file)")
                )


def _texts(container: Container) -> Iterator[str]:
    """The text of every document that answers."""
    from rag_api.db.documents import DocumentQuery, list_documents, read_text
    from rag_api.domain import LOCAL_USER, DocumentStatus

    found, _ = list_documents(container.db, LOCAL_USER, DocumentQuery(status=DocumentStatus.INDEXED, limit=1_000_000))
    for document in found:
        yield read_text(container.db, document.id, 100_000_000) or ""
