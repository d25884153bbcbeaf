"""Keys that machines show: random, kept as hashes, for some uses only, ending by themselves,
revoked at once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from psycopg.rows import DictRow

from rag_api.db import Database
from rag_api.db.access import LIVE_KEY, administrator, found, may_make_key
from rag_api.db.people.accounts import Account, get_account, to_account
from rag_api.domain import Scope, User
from rag_api.errors import InvalidInput

MOST_DAYS = 730


@dataclass(frozen=True, slots=True)
class ApiKey:
    id: str
    user_id: str
    name: str
    prefix: str  # what is shown of it
    scopes: tuple[Scope, ...]
    created_by: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewKey:
    user_id: str
    name: str
    scopes: tuple[Scope, ...]
    days: int


def add_key(db: Database, by: User, new: NewKey, prefix: str, key_hash: bytes) -> ApiKey:
    """Raises NotFound (also for who is no administrator), MoreThanYours, InvalidInput."""
    administrator(by)
    if not new.scopes:
        raise InvalidInput("A key needs at least one scope: what it may be used for.")
    if not 1 <= new.days <= MOST_DAYS:
        raise InvalidInput(f"A key holds for 1 to {MOST_DAYS} days.")
    if (account := get_account(db, new.user_id)).suspended_at:
        raise InvalidInput("This account is suspended.")
    may_make_key(by, account.all_groups, account.roles, new.scopes)
    row = db.one(
        """insert into api_keys (id, user_id, name, prefix, key_hash, scopes, created_by, expires_at)
        values (%(id)s, %(user)s, %(name)s, %(prefix)s, %(hash)s, %(scopes)s, %(by)s, now() + %(days)s * interval '1 day') returning *""",
        {
            "id": str(uuid4()),
            "user": account.id,
            "name": new.name,
            "prefix": prefix,
            "hash": key_hash,
            "scopes": sorted(set(new.scopes)),
            "by": by.id,
            "days": new.days,
        },
    )
    assert row is not None
    return _key(row)


def account_of_key(db: Database, key_hash: bytes) -> tuple[Account, frozenset[Scope], str] | None:
    """Return whose key it is, what it may be used for, and its id, as long as it lives."""
    row = db.one(
        f"""select users.*, api_keys.scopes, api_keys.id as key_id, used_at is null or used_at < now() - interval '1 minute' as stale
        from api_keys join users on users.id = api_keys.user_id where key_hash = %(hash)s and {LIVE_KEY}""",  # noqa: S608
        {"hash": key_hash},
    )
    if row is None:
        return None
    if row["stale"]:
        db.run("update api_keys set used_at = now() where id = %(id)s", {"id": row["key_id"]})
    return to_account(row), frozenset(Scope(scope) for scope in row["scopes"]), str(row["key_id"])


def list_keys(db: Database, by: User) -> list[ApiKey]:
    """Also those that have ended. Raises NotFound for who is no administrator."""
    administrator(by)
    return [_key(row) for row in db.all("select * from api_keys order by created_at desc, id")]


def revoke_key(db: Database, by: User, identifier: str) -> None:
    """By id or prefix; of the next request it is unknown. Raises NotFound."""
    administrator(by)
    revoked = db.run(
        "update api_keys set revoked_at = coalesce(revoked_at, now()) where id = %(id)s or prefix = %(id)s",
        {"id": identifier},
    )
    found(revoked or None, "key", identifier)


def _key(row: DictRow) -> ApiKey:
    names = ("id", "user_id", "name", "prefix", "created_by", "created_at", "expires_at", "used_at", "revoked_at")
    return ApiKey(**{name: row[name] for name in names}, scopes=tuple(Scope(scope) for scope in row["scopes"]))
