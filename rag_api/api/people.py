"""Accounts as an admin looks at them: those that fit what is asked for, and why one of them sees a
document or does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rag_api.db import Database
from rag_api.db.people.accounts import Account, RoleGroups, list_accounts, user_of
from rag_api.domain import EVERYONE, READERS, Role, User

GivenBy = Literal["everyone", "hand", "provider"]


@dataclass(frozen=True, slots=True)
class AccountFilter:
    """Empty and None: all."""

    search: str = ""
    role: Role | None = None
    group: str = ""
    suspended: bool | None = None


def matching(accounts: Iterable[Account], wanted: AccountFilter, role_groups: RoleGroups) -> list[Account]:
    """Return those for whom all holds; every word of the search somewhere in name or login,
    whatever its case."""
    words = wanted.search.casefold().split()

    def fits(account: Account) -> bool:
        said = f"{account.name} {account.login or ''} {account.id}".casefold()
        return (
            all(word in said for word in words)
            and (not wanted.group or wanted.group in account.all_groups)
            and (wanted.suspended is None or wanted.suspended == (account.suspended_at is not None))
            and (wanted.role is None or wanted.role in user_of(account, role_groups).roles)
        )

    return [account for account in accounts if fits(account)]


def others(db: Database, user: User, role_groups: RoleGroups) -> list[User]:
    """Return who may sign in besides."""
    return [
        user_of(one, role_groups)
        for one in list_accounts(db)
        if one.id != user.id and one.suspended_at is None and (one.has_password or one.issuer)
    ]


def readers_by_group(
    accounts: Iterable[Account], of_documents: Iterable[str], role_groups: RoleGroups
) -> dict[str, int]:
    """Return all groups that are known (of accounts, of documents, or named by the settings) by
    name, each with how many of these accounts read documents through it: those that have a role
    that reads, and are not suspended."""
    found = dict.fromkeys((*EVERYONE, *of_documents, *role_groups), 0)
    for account in accounts:
        reads = account.suspended_at is None and not READERS.isdisjoint(user_of(account, role_groups).roles)
        for group in account.all_groups:
            found[group] = found.get(group, 0) + reads
    return dict(sorted(found.items(), key=lambda one: one[0].casefold()))


def readers_of(
    accounts: Iterable[Account], groups: Sequence[str], role_groups: RoleGroups
) -> list[tuple[Account, User, str]]:
    """Return who signs in and may read what these groups read, with what each is called by where
    somebody is named: the name, where nobody else is called so, else the login or the id."""
    reading = [one for one in accounts if one.suspended_at is None and not set(groups).isdisjoint(one.all_groups)]
    called = Counter(word for one in reading for word in {one.id, one.name.casefold(), one.login or one.id})
    found = [(one, user_of(one, role_groups)) for one in reading if one.has_password or one.issuer]
    return [
        (one, who, one.name if one.name and called[one.name.casefold()] == 1 else one.login or one.id)
        for one, who in found
        if not READERS.isdisjoint(who.roles)
    ]


def memberships(account: Account, groups: Sequence[str]) -> list[tuple[str, list[GivenBy]]]:
    """Return which of these groups the account is in, and who says that it is."""
    sources: tuple[tuple[GivenBy, Sequence[str]], ...] = (
        ("everyone", EVERYONE),
        ("hand", account.groups),
        ("provider", account.claimed_groups),
    )
    found = [(group, [name for name, given in sources if group in given]) for group in groups]
    return [(group, given_by) for group, given_by in found if given_by]
