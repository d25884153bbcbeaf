"""`bedside index ...`: the search index kept by Weaviate's own API or copied into another store,
and sentences embedded ahead."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from rag_api.cli.console import counting, opened, read_settings, said, say
from rag_api.cli.options import AsJson
from rag_api.domain import KeptState

if TYPE_CHECKING:
    from rag_api.stores.weaviate.backup import Backups

index = typer.Typer(no_args_is_help=True, help="Keep, bring back and move the search index; embed sentences ahead.")
SWITCHED = "It is in force now: running services answer from it as soon as they have opened it."
EmbedderUrl = Annotated[str | None, typer.Option("--embedder-url", help="Of that embedder, where it is a service.")]
Name = Annotated[str, typer.Argument(help="Lower-case letters, digits, - and _.", show_default=False)]


@index.command()
def backup(name: Name) -> None:
    """Keep the collection under this name. Questions are answered meanwhile; ingest nothing until
    it is done."""
    with _backups() as backups:
        backups.create(name)
    say(f"The backup {name!r} is complete.")


@index.command()
def restore(
    name: Name,
    replace: Annotated[
        bool, typer.Option("--replace", help="Drop the present collection first, once the backup was found whole.")
    ] = False,
) -> None:
    """Bring the collection back as it was. Run `bedside ingest` afterwards: it indexes what the
    backup does not hold yet."""
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
    """Embed now what the server otherwise embeds while nobody asks. Interrupted, it goes on where
    it was."""
    from rag_api.db.documents import count_indexed
    from rag_api.domain import LOCAL_USER
    from rag_api.retrieval.precompute import make_all

    with opened() as container, counting("documents", count_indexed(container.db, LOCAL_USER)) as tell:
        began = time.monotonic()
        kept = make_all(container, lambda: True, lambda kept: tell(kept.documents))
    numbers = f"{kept.documents} of {kept.of} documents, {kept.sentences} sentences in {time.monotonic() - began:.1f} s"
    why = {
        KeptState.FULL: "; BEDSIDE_SENTENCE_VECTORS_MB allows no more",
        KeptState.WAITING: "; another process is at it",
    }
    say(f"{numbers}{why.get(kept.state, '')}")


@index.command()
def mend() -> None:
    """Look whether searches by meaning find every passage, and index anew the documents of those
    that they do not. Weaviate only; others have no such passages. Questions are answered
    meanwhile."""
    from rag_api.stores import Mendable

    with opened() as container:
        if not isinstance(store := container.store, Mendable):
            say(
                f"BEDSIDE_STORE={container.settings.store}: there is nothing to mend, every passage that is there is "
                f"found."
            )
            return
        before = store.unfound()
        if before.ids:
            store.mend(before.ids)
        left = len(store.unfound().ids) if before.ids else 0
    say(f"{len(before.ids)} of {before.looked_for} passages were not found by meaning; {left} are not found now.")
    if left:
        raise typer.Exit(1)


@index.command()
def copy(
    to: Annotated[str, typer.Option(help="lance or weaviate; where that is, the settings say.", show_default=False)],
    name: Annotated[
        str | None, typer.Option("--index", help="Name of an index beside the present one (BEDSIDE_INDEX).")
    ] = None,
    embedder: Annotated[
        str | None, typer.Option(help="Embed anew by this one (BEDSIDE_EMBEDDER); absent: vectors are copied.")
    ] = None,
    url: EmbedderUrl = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take out what the copy holds and the present index does not.")
    ] = False,
    then_switch: Annotated[
        bool, typer.Option("--switch", help="Answer from the copy as soon as it is found to be the same.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Copy the index into another store, with its vectors, and compare the two. Questions are
    answered all the while, from the old one.

    `bedside index switch`, or --switch, puts the copy in force. Interrupted, it goes on.
    """
    from rag_api.upkeep.moving import move, target_of

    with opened() as container:
        target = target_of(container.settings, to, name, embedder, url)
        with counting("documents, twice", 2 * len(container.store.document_ids())) as tell:
            began = time.monotonic()
            moved = move(container, target, tell, replace_others=replace, then_switch=then_switch)
    copied = moved.copied
    if as_json:
        typer.echo(
            json.dumps(asdict(copied) | {"compared": moved.compared, "asked": moved.asked, "alike": moved.alike})
        )
    asked = (
        f"{moved.alike} of {moved.asked} questions are ranked alike"
        if moved.asked
        else "another embedder ranks otherwise"
    )
    say(
        f"{copied.documents} documents ({copied.before} were there) with {moved.compared} chunks, compared one by one; "
        f"{asked}."
    )
    say(
        f"{time.monotonic() - began:.1f} s. {SWITCHED if then_switch else 'It is used from `bedside index switch` on.'}"
    )


@index.command()
def switch(
    to: Annotated[str, typer.Option(help="lance or weaviate.", show_default=False)],
    name: Annotated[
        str, typer.Option("--index", help="Name of an index beside the first one; absent: the first one.")
    ] = "",
    embedder: Annotated[str | None, typer.Option(help="That it was made by, when that is another one.")] = None,
    url: EmbedderUrl = None,
) -> None:
    """Answer from another index from now on, in every process on this data directory. Nothing is
    restarted; no question is lost."""
    from rag_api.upkeep.moving import switch, target_of

    with opened() as container:
        count = switch(container, target_of(container.settings, to, name, embedder, url))
    say(f"{count} documents are in it. {SWITCHED}")


@contextmanager
def _backups() -> Iterator[Backups]:
    from rag_api.stores.weaviate.backup import Backups

    with said():
        opened = Backups(read_settings())
        try:
            yield opened
        finally:
            opened.close()
