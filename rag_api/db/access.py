"""Who may see which row: the one place that decides. Every query of this package takes its condition from here.

Reading, listing, streaming, feedback and deletion share these conditions, so that none of them can forget one. A row that a
user may not see does not exist for them: the answer is 404, never 403.
"""

from __future__ import annotations

from typing import Any, TypeVar

from rag_api.domain import EVERYONE, Role, User
from rag_api.errors import NotFound

T = TypeVar("T")

# A document is read by the members of any of its groups; a question of somebody's, or a judged one, by reviewers of its groups.
READS = "groups && %(user_groups)s"
# Conversations, answers and feedback are their writer's alone.
OWNS = "user_id = %(user_id)s"
# Its members are judges: they judge questions and read what was asked in vain, as admins do.
QUALITY = "quality"
# Who may act at all. A suspended account's sessions and keys end with it, whatever they say of themselves.
ACTIVE_ACCOUNT = "users.suspended_at is null"
LIVE_SESSION = f"sessions.expires_at > now() and sessions.seen_at > now() - %(idle)s * interval '1 second' and {ACTIVE_ACCOUNT}"
LIVE_KEY = f"api_keys.revoked_at is null and api_keys.expires_at > now() and {ACTIVE_ACCOUNT}"


def values(user: User, **more: Any) -> dict[str, Any]:
    """The parameters of READS and OWNS, with a query's own."""
    return {"user_groups": list(user.groups), "user_id": user.id, **more}


def own_groups(user: User) -> list[str]:
    """The groups that what this user makes belongs to: all of theirs but everyone, who are told nothing of a group's questions."""
    return sorted({*user.groups} - {*EVERYONE, QUALITY}) or [name for name in user.groups if name != QUALITY] or ["nobody"]


def space(user: User) -> str:
    """Within which the names that this user gives are unique: another group's may be the same."""
    return "\n".join(own_groups(user))


def may_review(user: User) -> bool:
    """Judged sets and the gap report hold questions of others: for judges, members of the group `quality`, and admins."""
    return user.is_admin or Role.JUDGE in user.roles or QUALITY in user.groups


def reviewer(user: User) -> None:
    """Raises NotFound for all who may not review; what they then see is what READS lets them."""
    if not may_review(user):
        raise NotFound("There is nothing here for you to see.")


def administrator(user: User) -> None:
    """Raises NotFound for everyone else: for them there is nothing to change here."""
    if not user.is_admin:
        raise NotFound("There is nothing here for you to change.")


def found(row: T | None, what: str, identifier: str) -> T:
    """The row, or NotFound: for the user there is no difference between absent and not theirs."""
    if row is None:
        raise NotFound(f"There is no {what} {identifier}.")
    return row
