"""`bedside keys`: what machines show instead of signing in."""

from __future__ import annotations

from typing import Annotated

import typer

from rag_api.cli.audited import also
from rag_api.cli.console import opened, say, wide_console

keys = typer.Typer(no_args_is_help=True, help="Keys of machines: scoped, expiring, revoked at once.")


@keys.command("add")
def add(
    user: Annotated[str, typer.Argument(help="The account that acts: its login or id.")],
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scopes: Annotated[str, typer.Option(help="ask, read, ingest, judge, admin, audit, monitor: with commas between.")],
    days: Annotated[int, typer.Option(help="It ends after so many days.")] = 90,
) -> None:
    """Make a key and print it, this once: only its hash is kept."""
    from rag_api.api.sign_in.tokens import hashed, new_key, prefix_of
    from rag_api.db.people.api_keys import NewKey, add_key
    from rag_api.domain import LOCAL_USER, Scope

    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    if unknown := set(wanted) - set(Scope):
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: choose from {', '.join(Scope)}", param_hint="--scopes")
    key = new_key()
    with opened() as container:
        made = add_key(
            container.db, LOCAL_USER, NewKey(user, name, tuple(map(Scope, wanted)), days), prefix_of(key), hashed(key)
        )
        also(key=made.id)
    say(f"{name}: holds until {made.expires_at:%Y-%m-%d}; `bedside keys revoke {made.prefix}` ends it")
    typer.echo(key)


@keys.command("list")
def list_() -> None:
    """Show the keys, without what is secret of them."""
    from rich.table import Table

    from rag_api.db.people.accounts import list_accounts
    from rag_api.db.people.api_keys import list_keys
    from rag_api.domain import LOCAL_USER

    with opened() as container:
        names = {one.id: one.login or one.name for one in list_accounts(container.db)}
        found = list_keys(container.db, LOCAL_USER)
    table = Table("Key", "Account", "For", "Scopes", "Until", "Last used", "", box=None, pad_edge=False)
    for key in found:
        ended = "revoked" if key.revoked_at else ""
        used = f"{key.used_at:%Y-%m-%d %H:%M}" if key.used_at else "never"
        table.add_row(
            key.prefix,
            names[key.user_id],
            key.name,
            ", ".join(key.scopes),
            f"{key.expires_at:%Y-%m-%d}",
            used,
            ended,
        )
    wide_console().print(table)


@keys.command("revoke")
def revoke(
    key: Annotated[str, typer.Argument(help="Its beginning, as `bedside keys list` shows it, or its id.")],
) -> None:
    """End a key, at once."""
    from rag_api.db.people.api_keys import revoke_key
    from rag_api.domain import LOCAL_USER

    with opened() as container:
        revoke_key(container.db, LOCAL_USER, key)
    say(f"{key}: revoked")
