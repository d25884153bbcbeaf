"""Accounts: made by hand (with a password, or for a machine) or at the first sign-in with an OpenID
provider.

An account's groups are those given by hand and those that the provider named last; neither takes
away the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from psycopg.rows import DictRow

from rag_api.db import Connection, Database
from rag_api.db.access import ACTIVE_ACCOUNT, QUALITY, administrator, found, may_give, may_set_password
from rag_api.db.people.permissions import named, record
from rag_api.domain import EVERYONE, Role, User
from rag_api.errors import AccountSuspended, Conflict, InvalidInput, MachineAccount, NotAllowed

MOST_TRIES = 5  # wrong passwords in a row; then each further one waits
LONGEST_WAIT = 15  # minutes; it doubles with each further wrong one up to then
_WAITS = f"""case when failed_tries < {MOST_TRIES} then 0 else greatest(0, extract(epoch from failed_at - now()
  + least({LONGEST_WAIT}, power(2, failed_tries - {MOST_TRIES})) * interval '1 minute')) end"""

RoleGroups = Mapping[str, frozenset[Role]]

SUSPENDED = "This account is suspended: ask an administrator why."


@dataclass(frozen=True, slots=True)
class Account:
    id: str
    name: str
    login: str | None
    issuer: str | None
    has_password: bool
    roles: tuple[Role, ...]  # given by hand
    groups: tuple[str, ...]  # given by hand
    claimed_groups: tuple[str, ...]  # what the provider said at the last sign-in
    function: str
    department: str
    suspended_at: datetime | None
    created_at: datetime
    signed_in_at: datetime | None

    @property
    def all_groups(self) -> tuple[str, ...]:
        return tuple(sorted({*EVERYONE, *self.groups, *self.claimed_groups}))


@dataclass(frozen=True, slots=True)
class Claims:
    """What an OpenID provider says of who signs in."""

    issuer: str
    subject: str
    name: str
    groups: tuple[str, ...]
    mail: str = ""  # where it says one that it knows to be theirs
    function: str | None = None  # None: it says nothing of it, and what was set by hand stays
    department: str | None = None


@dataclass(frozen=True, slots=True)
class Login:
    """What is to be compared with the password given. `waits`: so many seconds yet, after
    too many wrong ones."""

    account_id: str
    password_hash: str
    waits: float
    suspended: bool


def user_of(account: Account, role_groups: RoleGroups) -> User:
    """Return who acts: roles by hand and by groups. Where the settings name no readers' group,
    every account is a reader."""
    roles = {*account.roles, *(role for group in account.all_groups for role in role_groups.get(group, ()))}
    if QUALITY in account.all_groups:
        roles.add(Role.JUDGE)
    if Role.MEMBERSHIP_ADMIN in roles:
        roles.add(Role.ADMIN)
    if not any(Role.READER in given for given in role_groups.values()):
        roles.add(Role.READER)
    return User(account.id, account.name, account.all_groups, account.function, account.department, frozenset(roles))


def add_account(
    db: Database,
    by: User,
    name: str,
    login: str | None,
    password_hash: str | None,
    roles: Sequence[Role],
    groups: Sequence[str],
    function: str = "",
    department: str = "",
) -> str:
    """Return the new account's id. Raises NotFound (for who is no administrator), NotAllowed for
    what is not theirs to give, Conflict when the login is taken."""
    administrator(by)
    account_id, given = str(uuid4()), named(groups) if groups else ()
    may_give(by, account_id, ((), given), ((), roles))
    with db.connection() as connection:
        connection.execute(
            """insert into users (id, name, login, password_hash, roles, groups, function, department) values
            (%(id)s, %(name)s, %(login)s, %(password_hash)s, %(roles)s, %(groups)s, %(function)s, %(department)s)""",
            {
                "id": account_id,
                "name": name,
                "login": login.strip().lower() if login else None,
                "password_hash": password_hash,
                "roles": sorted(set(roles)),
                "groups": list(given),
                "function": function.strip(),
                "department": department.strip(),
            },
        )
        record(connection, by, "account", account_id, None, given)
    return account_id


def login_of(db: Database, login: str) -> Login | None:
    """Return what a password is compared with; None when nobody signs in by this name."""
    row = db.one(
        f"""select id, password_hash, {_WAITS} as waits, not ({ACTIVE_ACCOUNT}) as suspended from users
        where login = lower(%(login)s) and password_hash is not null""",  # noqa: S608
        {"login": login.strip()},
    )
    return Login(row["id"], row["password_hash"], float(row["waits"]), row["suspended"]) if row else None


def tried(db: Database, account_id: str, right: bool) -> None:
    """Count a wrong password, or forget those before a right one."""
    db.run(
        """update users set failed_tries = case when %(right)s then 0 else failed_tries + 1 end,
        failed_at = case when %(right)s then null else now() end,
        signed_in_at = case when %(right)s then now() else signed_in_at end where id = %(id)s""",
        {"id": account_id, "right": right},
    )


def signed_in_with(db: Database, claims: Claims, may_create: bool) -> str:
    """Return the id of the account of what a provider said, with the groups it named now. Raises
    NotAllowed when there is none and none may be made, AccountSuspended."""
    with db.connection() as connection:
        row = connection.execute(
            """update users set name = %(name)s, claimed_groups = %(groups)s, mail = %(mail)s, signed_in_at = now(),
            function = coalesce(%(function)s, function), department = coalesce(%(department)s, department)
            where issuer = %(issuer)s and subject = %(subject)s and suspended_at is null returning id""",
            _of_claims(claims),
        ).fetchone()
        if row is None:
            row = _created(connection, claims, may_create)
    return str(row["id"])


def _created(connection: Connection, claims: Claims, may_create: bool) -> DictRow:
    known = "select 1 as n from users where issuer = %(issuer)s and subject = %(subject)s"
    if connection.execute(known, _of_claims(claims)).fetchone():
        raise AccountSuspended(SUSPENDED)
    if not may_create:
        raise NotAllowed("There is no account for you here. Ask your administrator for one.")
    row = connection.execute(
        """insert into users (id, name, issuer, subject, claimed_groups, mail, function, department, signed_in_at)
        values (%(id)s, %(name)s, %(issuer)s, %(subject)s, %(groups)s, %(mail)s, coalesce(%(function)s, ''),
          coalesce(%(department)s, ''), now())
        on conflict (issuer, subject) do update set claimed_groups = excluded.claimed_groups returning id""",
        _of_claims(claims) | {"id": str(uuid4())},
    ).fetchone()
    assert row is not None
    return row


def _of_claims(claims: Claims) -> dict[str, object]:
    return asdict(claims) | {"groups": list(claims.groups)}


def expect_account(
    db: Database, by: User, name: str, login: str, provider: tuple[str, str], roles: Sequence[Role], groups: Sequence[str]
) -> str:  # fmt: skip
    """Return the id of a new account for somebody who will sign in with a provider, where accounts
    are not made at first sign-in. login: what commands call it by. provider: issuer and subject."""
    account_id = add_account(db, by, name, login, None, roles, groups)
    db.run(
        "update users set issuer = %(issuer)s, subject = %(subject)s where id = %(id)s",
        {"issuer": provider[0], "subject": provider[1], "id": account_id},
    )
    return account_id


def list_accounts(db: Database) -> list[Account]:
    return [to_account(row) for row in db.all("select * from users order by lower(name), id")]


def get_account(db: Database, identifier: str) -> Account:
    """By id or login. Raises NotFound."""
    row = db.one(
        "select * from users where id = %(id)s or login = lower(%(id)s) order by id = %(id)s desc", {"id": identifier}
    )
    return to_account(found(row, "account", identifier))


def change_account(
    db: Database,
    by: User,
    account_id: str,
    *,
    roles: Sequence[Role] | None = None,
    groups: Sequence[str] | None = None,
    function: str | None = None,
    department: str | None = None,
    suspended: bool | None = None,
) -> tuple[Account, Account]:
    """Return it as it was and as it is. Raises NotFound (also for who is no administrator),
    NotAllowed for what is not theirs to give, Conflict, InvalidInput. What is None stays as it is.
    Suspended, its sessions end and its keys are revoked, for good; taken back, it signs in anew."""
    administrator(by)
    given = None if groups is None else named(groups) if groups else ()
    with db.connection() as connection:
        held = connection.execute("select * from users where id = %(id)s for update", {"id": account_id}).fetchone()
        before = to_account(found(held, "account", account_id))
        wanted = before.roles if roles is None else roles
        if account_id == by.id and (suspended or {Role.ADMIN, Role.MEMBERSHIP_ADMIN} & set(before.roles) - set(wanted)):
            raise Conflict("You cannot take this from yourself: another admin does it.")
        may_give(by, account_id, (before.groups, before.groups if given is None else given), (before.roles, wanted))
        changed = connection.execute(
            """update users set roles = coalesce(%(roles)s, roles), groups = coalesce(%(groups)s, groups),
            function = coalesce(btrim(%(function)s), function), department = coalesce(btrim(%(department)s), department),
            suspended_at = case when %(suspended)s::boolean is null then suspended_at
              when %(suspended)s::boolean then coalesce(suspended_at, now()) end
            where id = %(id)s returning *""",
            {
                "id": account_id,
                "roles": None if roles is None else sorted(set(roles)),
                "groups": None if given is None else list(given),
                "function": function,
                "department": department,
                "suspended": suspended,
            },
        ).fetchone()
        after = to_account(found(changed, "account", account_id))
        if set(after.groups) != set(before.groups):
            record(connection, by, "account", account_id, before.groups, after.groups)
        if suspended:
            connection.execute("delete from sessions where user_id = %(id)s", {"id": account_id})
            connection.execute(
                "update api_keys set revoked_at = now() where user_id = %(id)s and revoked_at is null",
                {"id": account_id},
            )
    return before, after


def changed_of(before: Account, after: Account) -> dict[str, Any]:
    """What the trail says of a change: lists of groups and roles by hand, before and after."""
    pairs: dict[str, tuple[Sequence[str], Sequence[str]]] = {
        "groups": (before.groups, after.groups),
        "roles": (before.roles, after.roles),
    }
    return {
        name: [str(one) for one in given]
        for what, (old, new) in pairs.items()
        if set(old) != set(new)
        for name, given in ((f"{what}_before", old), (what, new))
    }


def set_password(db: Database, by: User, account_id: str, password_hash: str) -> None:
    """Its sessions end: a password is changed when somebody else may know it. Raises NotFound (also
    for who is no administrator), NotAllowed for an account with more than theirs, InvalidInput,
    MachineAccount."""
    administrator(by)
    with db.connection() as connection:
        row = connection.execute("select * from users where id = %(id)s for update", {"id": account_id}).fetchone()
        account = to_account(found(row, "account", account_id))
        may_set_password(by, account.all_groups, account.roles)
        if account.login is None or account.issuer is not None:
            raise InvalidInput("This account signs in with the provider; it has no password here.")
        if not account.has_password:
            raise MachineAccount(
                "This account is a machine's and acts by keys. A person needs an account of their own."
            )
        connection.execute(
            "update users set password_hash = %(hash)s, failed_tries = 0, failed_at = null where id = %(id)s",
            {"id": account_id, "hash": password_hash},
        )
        connection.execute("delete from sessions where user_id = %(id)s", {"id": account_id})


def to_account(row: DictRow) -> Account:
    names = ("id", "name", "login", "issuer", "function", "department", "suspended_at", "created_at", "signed_in_at")
    return Account(
        **{name: row[name] for name in names},
        has_password=row["password_hash"] is not None,
        roles=tuple(Role(role) for role in row["roles"]),
        groups=tuple(row["groups"]),
        claimed_groups=tuple(row["claimed_groups"]),
    )
