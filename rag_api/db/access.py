"""Rights to see rows, and to change who sees them: the one place that decides. Every query of this
package takes its condition from here.

Reading, listing, streaming, feedback and deletion share these conditions, so that none of them can
forget one. A row that a user may not see does not exist for them: the answer is 404, never 403. An
admin of one group must have no way to the documents of another: memberships, roles, passwords, keys
and rules on documents are therefore given within what the giver has, or by a membership admin.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from rag_api.domain import EVERYONE, LOCAL_USER, READERS, Role, User
from rag_api.errors import MembershipAdminNeeded, MoreThanYours, NotForYourself, NotFound, NoWayBack

T = TypeVar("T")
BeforeAfter = tuple[Collection[Any], Collection[Any]]  # before and after

_MACHINE = "or `bedside users` on the machine itself"
_LACKING = (
    f"It needs the role {Role.MEMBERSHIP_ADMIN}, which your account does not have: somebody who has it does "
    f"this, {_MACHINE}."
)

# A document is read by the members of any of its groups; a question of somebody's, or a judged one,
# by reviewers of its groups.
READS = "groups && %(user_groups)s"
# Conversations, answers and feedback are their writer's alone.
OWNS = "user_id = %(user_id)s"
# Its members are judges: they judge questions and read what was asked in vain, as admins do.
QUALITY = "quality"
# Which of the kept owners answers for a document `d`: the one that it names, else its department's.
# Null: nobody is known.
OWNER = """(select o.name from owners o where o.name in (lower(btrim(d.owner)), lower(btrim(d.department)))
    order by o.name = lower(btrim(d.owner)) desc limit 1)"""
# An owner reads what was asked of their own documents, as long as they may read those.
ANSWERS_FOR = f"""(d.groups && %(user_groups)s and exists (
    select 1 from owner_accounts where account_id = %(user_id)s and name = {OWNER}))"""  # noqa: S608
GROUPS_OF_ACCOUNT = "(users.groups || users.claimed_groups || '{everyone}')"
# Who may act at all. A suspended account's sessions and keys end with it, whatever they say of
# themselves.
ACTIVE_ACCOUNT = "users.suspended_at is null"
# A machine's account acts by its keys: nobody reads there what is given to it.
SIGNS_IN = f"{ACTIVE_ACCOUNT} and (users.password_hash is not null or users.issuer is not null)"
NO_ROLES: Mapping[str, frozenset[Role]] = MappingProxyType({})  # no group makes a reader: every account is one
_JUDGES = {Role.JUDGE, Role.ADMIN, Role.MEMBERSHIP_ADMIN}  # roles given by hand that review
_READING = {*READERS, *_JUDGES}


def _signs_in_with(roles: Collection[Role], by_group: str) -> str:
    given = ",".join(sorted(roles))
    return f"{SIGNS_IN} and ({by_group} is null or users.roles && '{{{given}}}' or {GROUPS_OF_ACCOUNT} && {by_group})"


# That somebody signs in to an account, and reads or reviews here, as `user_of` has it; with the
# values of `account_values`.
SIGNS_IN_AND_READS = _signs_in_with(_READING, "%(reading)s::text[]")
SIGNS_IN_AND_REVIEWS = _signs_in_with(_JUDGES, "%(reviewing)s::text[]")
# Somebody is there who answers for a document `d`; of other documents quality staff read it.
ATTENDED = f"""exists (select 1 from owner_accounts a join users on users.id = a.account_id
    where a.name = {OWNER} and {SIGNS_IN_AND_READS} and d.groups && {GROUPS_OF_ACCOUNT})"""  # noqa: S608
LIVE_SESSION = (
    f"sessions.expires_at > now() and sessions.seen_at > now() - %(idle)s * interval '1 second' and {ACTIVE_ACCOUNT}"
)
LIVE_KEY = f"api_keys.revoked_at is null and api_keys.expires_at > now() and {ACTIVE_ACCOUNT}"


def values(user: User, **more: Any) -> dict[str, Any]:
    """The parameters of READS and OWNS, with a query's own."""
    return {"user_groups": list(user.groups), "user_id": user.id, **more}


def account_values(role_groups: Mapping[str, frozenset[Role]]) -> dict[str, Sequence[str] | None]:
    """The parameters of SIGNS_IN_AND_READS and SIGNS_IN_AND_REVIEWS: the groups whose members do.
    None: every account does."""

    def of(roles: Collection[Role]) -> Sequence[str]:
        return [QUALITY, *(group for group, given in role_groups.items() if not set(roles).isdisjoint(given))]

    all_read = not any(Role.READER in given for given in role_groups.values())
    return {"reading": None if all_read else of(_READING), "reviewing": of(_JUDGES)}


def own_groups(user: User) -> list[str]:
    """The groups that what this user makes belongs to: all of theirs but everyone, who are told
    nothing of a group's questions."""
    return (
        sorted({*user.groups} - {*EVERYONE, QUALITY}) or [name for name in user.groups if name != QUALITY] or ["nobody"]
    )


def space(user: User) -> str:
    """Within which the names that this user gives are unique: another group's may be the same."""
    return "\n".join(own_groups(user))


def may_review(user: User) -> bool:
    """Judged sets and the gap report hold questions of others: for judges, members of the group
    `quality`, and admins."""
    return user.is_admin or Role.JUDGE in user.roles or QUALITY in user.groups


def reviewer(user: User) -> None:
    """Raises NotFound for all who may not review; what they then see is what READS lets them."""
    if not may_review(user):
        raise NotFound("There is nothing here for you to see.")


def administrator(user: User) -> None:
    """Raises NotFound for everyone else: for them there is nothing to change here."""
    if not user.is_admin:
        raise NotFound("There is nothing here for you to change.")


def on_the_machine(user: User) -> bool:
    """Whether a command asks, or the page where nobody signs in: there is nobody above them who
    could be asked."""
    return user.id == LOCAL_USER.id


def may_change_memberships(user: User) -> bool:
    return Role.MEMBERSHIP_ADMIN in user.roles


def may_give(user: User, account_id: str, groups: BeforeAfter, roles: BeforeAfter) -> None:
    """What an account has by hand is changed from one to the other. Raises MembershipAdminNeeded
    and NotForYourself."""
    if not may_change_memberships(user):
        if set(groups[0]) ^ set(groups[1]):
            raise MembershipAdminNeeded(f"Who is in which group is not yours to change. {_LACKING}")
        if (set(roles[0]) ^ set(roles[1])) - _held(user):
            raise MembershipAdminNeeded(
                f"A role that you do not have yourself is not yours to give or take. {_LACKING}"
            )
    if account_id == user.id and (set(groups[1]) - set(groups[0]) or set(roles[1]) - set(roles[0])):
        raise NotForYourself(
            f"Nobody gives themselves a group or a role: another {Role.MEMBERSHIP_ADMIN} does, {_MACHINE}."
        )


def may_set_password(user: User, groups: Collection[str], roles: Collection[Role]) -> None:
    """Of an account with these groups and roles: who knows its password signs in as it. Raises
    MembershipAdminNeeded."""
    if not (may_change_memberships(user) or _covers(user, groups, roles)):
        raise MembershipAdminNeeded(
            f"This account has groups or roles that you do not have: its password is not yours to set. {_LACKING}"
        )


def may_make_key(user: User, groups: Collection[str], roles: Collection[Role], scopes: Collection[str]) -> None:
    """For an account with these groups and roles: a key carries no more than who makes it has.
    Raises MoreThanYours."""
    if not (
        on_the_machine(user) or (_covers(user, groups, roles) and (user.scopes is None or set(scopes) <= user.scopes))
    ):
        raise MoreThanYours(
            "A key carries no more than who makes it has, and this one would: a group, a role or a scope that you do "
            "not have. Somebody who"
            " has them makes it, or `bedside keys add` on the machine itself."
        )


def may_regroup(user: User, *read_by: Collection[str]) -> None:
    """Say who reads what these groups read until now, or would have read. Raises
    MembershipAdminNeeded where the user is in none of one."""
    if not may_change_memberships(user) and any(set(groups).isdisjoint(user.groups) for groups in read_by):
        raise MembershipAdminNeeded(f"This changes who reads documents that you may not read yourself. {_LACKING}")


def may_let_go(user: User, groups: BeforeAfter, others: Collection[User]) -> None:
    """Give a document that the user reads to groups that they are in none of. others: who may act
    besides. Raises NoWayBack where nobody of them could undo it."""
    before, after = map(set, groups)
    loses = not before.isdisjoint(user.groups) and after.isdisjoint(user.groups)
    undone = any(may_change_memberships(one) or (one.is_admin and not after.isdisjoint(one.groups)) for one in others)
    if loses and not undone and not on_the_machine(user):
        raise NoWayBack(
            f"Nobody else could give it back to you: no other admin is in {', '.join(sorted(after))}, nor has anybody "
            f"else the role {Role.MEMBERSHIP_ADMIN}. Keep a group of yours, or have another admin put in one of these "
            f"first."
        )


def may_name_owner(user: User, *read_by: Collection[str]) -> None:
    """Say who answers for the documents that these groups read. Raises NotFound where there are
    none for the user, MembershipAdminNeeded where they may not read one of them."""
    if all(set(groups).isdisjoint(user.groups) for groups in read_by):
        raise NotFound("No document that you may read names this owner or department.")
    if not may_change_memberships(user) and any(set(groups).isdisjoint(user.groups) for groups in read_by):
        raise MembershipAdminNeeded(f"Documents that you may not read yourself have the same owner. {_LACKING}")


def _covers(user: User, groups: Collection[str], roles: Collection[Role]) -> bool:
    return set(groups) <= set(user.groups) and set(roles) <= _held(user)


def _held(user: User) -> set[Role]:
    """An admin is a judge and a reader, too."""
    return {*user.roles, Role.READER, Role.JUDGE} if user.is_admin else set(user.roles)


def found(row: T | None, what: str, identifier: str) -> T:
    """The row, or NotFound: for the user there is no difference between absent and not theirs."""
    if row is None:
        raise NotFound(f"There is no {what} {identifier}.")
    return row
