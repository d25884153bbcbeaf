"""`bedside users`: accounts, by whoever works on the machine itself."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from rag_api.cli.audited import also
from rag_api.cli.console import opened, say, wide_console
from rag_api.cli.options import AsJson

if TYPE_CHECKING:
    from rag_api.container import Container
    from rag_api.domain import Role

users = typer.Typer(no_args_is_help=True, help="Accounts: who may sign in, with which roles and groups.")

Login = Annotated[str, typer.Argument(help="The account: the name it signs in by, or its id.")]
Roles = Annotated[str, typer.Option(help="reader, judge, admin, membership_admin, auditor: with commas between.")]
Groups = Annotated[str, typer.Option(help="With commas between; kept beside those that an OpenID provider names.")]


@users.command("add")
def add(
    login: Annotated[
        str, typer.Argument(help="What the account signs in by; with --issuer, what commands call it by.")
    ],
    name: Annotated[str, typer.Option(help="The person's name; the login when absent.")] = "",
    roles: Roles = "reader",
    groups: Groups = "",
    machine: Annotated[
        bool, typer.Option("--machine", help="Without a password: it only acts by keys (`bedside keys add`).")
    ] = False,
    issuer: Annotated[
        str, typer.Option(help="Of an OpenID provider that the person signs in with; needs --subject.")
    ] = "",
    subject: Annotated[str, typer.Option(help="What the provider calls the person: the token's `sub`.")] = "",
) -> None:
    """Make an account. The password is asked for, or read from standard input."""
    from rag_api.api.sign_in.passwords import hash_password
    from rag_api.db.people.accounts import add_account, expect_account
    from rag_api.domain import LOCAL_USER

    if bool(issuer) != bool(subject):
        raise typer.BadParameter("an account of a provider needs both", param_hint="--issuer, --subject")
    with opened() as container:
        given = _roles(roles), _split(groups)
        if issuer:
            made = expect_account(container.db, LOCAL_USER, name or login, login, (issuer, subject), *given)
        else:
            made = add_account(
                container.db, LOCAL_USER, name or login, login, None if machine else hash_password(_password()), *given
            )
        _say_who_is_missing(container)
    say(f"{login}: {made}")


@users.command("list")
def list_(as_json: AsJson = False) -> None:
    """Show the accounts."""
    from rag_api.db.people.accounts import list_accounts, user_of

    with opened() as container:
        found = list_accounts(container.db)
        roles = {one.id: sorted(user_of(one, container.settings.roles_by_group).roles) for one in found}
    if as_json:
        rows = [
            {"id": one.id, "login": one.login, "name": one.name, "roles": roles[one.id], "groups": list(one.all_groups),
             "suspended": one.suspended_at is not None} for one in found
        ]  # fmt: skip
        typer.echo(json.dumps({"accounts": rows}, ensure_ascii=False))
        return
    from rich.table import Table

    table = Table("Login", "Name", "Roles", "Groups", "Signed in", "", box=None, pad_edge=False)
    for one in found:
        at = f"{one.signed_in_at:%Y-%m-%d %H:%M}" if one.signed_in_at else "never"
        how = one.login or "provider"
        table.add_row(
            how,
            one.name,
            ", ".join(roles[one.id]),
            ", ".join(one.all_groups),
            at,
            "suspended" if one.suspended_at else "",
        )
    wide_console().print(table)


@users.command("suspend")
def suspend(
    login: Login, undo: Annotated[bool, typer.Option("--undo", help="Let the account sign in again.")] = False
) -> None:
    """End the account's sessions and revoke its keys, at once. With --undo it may sign in again;
    its keys stay revoked."""
    from rag_api.db.people.accounts import change_account, get_account
    from rag_api.domain import LOCAL_USER

    with opened() as container:
        change_account(container.db, LOCAL_USER, get_account(container.db, login).id, suspended=not undo)
    say(f"{login}: {'may sign in again' if undo else 'suspended'}")


@users.command("password")
def password(login: Login) -> None:
    """Set the password; it is asked for, or read from standard input. The account's sessions
    end."""
    from rag_api.api.sign_in.passwords import hash_password
    from rag_api.db.people.accounts import get_account, set_password
    from rag_api.domain import LOCAL_USER

    with opened() as container:
        set_password(container.db, LOCAL_USER, get_account(container.db, login).id, hash_password(_password()))
    say(f"{login}: the password is changed")


@users.command("roles")
def roles(
    login: Login,
    given: Annotated[
        str, typer.Argument(help="reader, judge, admin, membership_admin, auditor: commas between; '' for none.")
    ],
) -> None:
    """Give these roles and no others. Those that follow from groups (BEDSIDE_ROLE_GROUPS) stay."""
    from rag_api.db.people.accounts import change_account, changed_of, get_account
    from rag_api.domain import LOCAL_USER

    with opened() as container:
        also(
            **changed_of(
                *change_account(container.db, LOCAL_USER, get_account(container.db, login).id, roles=_roles(given))
            )
        )
        _say_who_is_missing(container)
    say(f"{login}: {given or 'no roles'}")


@users.command("groups")
def groups(login: Login, given: Annotated[str, typer.Argument(help="With commas between; '' for none.")]) -> None:
    """Make the account a member of these groups by hand. Those that an OpenID provider names
    stay."""
    from rag_api.db.people.accounts import change_account, changed_of, get_account
    from rag_api.domain import LOCAL_USER

    with opened() as container:
        also(
            **changed_of(
                *change_account(container.db, LOCAL_USER, get_account(container.db, login).id, groups=_split(given))
            )
        )
    say(f"{login}: {given or 'no groups'}")


def _say_who_is_missing(container: Container) -> None:
    from rag_api.upkeep.component_checks import memberships
    from rag_api.upkeep.finding import State

    if (found := memberships(container)) is not None and found.state == State.WARN:
        say(f"{found.what}: {found.todo}")


def _split(given: str) -> list[str]:
    return [name.strip() for name in given.split(",") if name.strip()]


def _roles(given: str) -> list[Role]:
    from rag_api.domain import Role

    if unknown := set(_split(given)) - set(Role):
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: choose from {', '.join(Role)}", param_hint="roles")
    return [Role(name) for name in _split(given)]


def _password() -> str:
    """Never an argument: those are seen by every user of the machine."""
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline().rstrip("\n")
