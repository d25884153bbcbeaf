"""`bedside index ...`: the search index kept by Weaviate's own API, and sentences embedded ahead of questions."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from rag_api.cli.console import counting, opened, read_settings, said, say
from rag_api.cli.options import AsJson
from rag_api.domain import KeptState

if TYPE_CHECKING:
    from rag_api.stores.weaviate_backup import Backups

index = typer.Typer(no_args_is_help=True, help="Keep and bring back the search index (Weaviate); embed sentences ahead.")
Name = Annotated[str, typer.Argument(help="Lower-case letters, digits, - and _.", show_default=False)]


@index.command()
def backup(name: Name) -> None:
    """Keep the collection under this name. Questions are answered meanwhile; ingest nothing until it is done."""
    with _backups() as backups:
        backups.create(name)
    say(f"The backup {name!r} is complete.")


@index.command()
def restore(
    name: Name,
    replace: Annotated[bool, typer.Option("--replace", help="Drop the present collection first, once the backup was found whole.")] = False,
) -> None:
    """Bring the collection back as it was. Run `bedside ingest` afterwards: it indexes what the backup does not hold yet."""
    with _backups() as backups:
        backups.restore(name, replace)
    say(f"The collection is as the backup {name!r} has it.")


@index.command()
def backups(as_json: AsJson = False) -> None:
    """List the backups of the collection."""
    with _backups() as found:
        listed = found.list()
    if as_json:
        typer.echo(json.dumps({"backups": listed}))
    for one in [] if as_json else listed:
        typer.echo(f"{one['name']}  {one['status']}")


@index.command()
def sentences() -> None:
    """Embed now what the server otherwise embeds while nobody asks. Interrupted, it goes on where it was."""
    from rag_api.db.documents import count_indexed
    from rag_api.domain import LOCAL_USER
    from rag_api.retrieval.precompute import make_all

    with opened() as container, counting("documents", count_indexed(container.db, LOCAL_USER)) as tell:
        began = time.monotonic()
        kept = make_all(container, lambda: True, lambda kept: tell(kept.documents))
    numbers = f"{kept.documents} of {kept.of} documents, {kept.sentences} sentences in {time.monotonic() - began:.1f} s"
    why = {KeptState.FULL: "; BEDSIDE_SENTENCE_VECTORS_MB allows no more", KeptState.WAITING: "; another process is at it"}
    say(f"{numbers}{why.get(kept.state, '')}")


@contextmanager
def _backups() -> Iterator[Backups]:
    from rag_api.stores.weaviate_backup import Backups

    with said():
        opened = Backups(read_settings())
        try:
            yield opened
        finally:
            opened.close()
