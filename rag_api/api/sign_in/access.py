"""Rights that a route asks for: declared on each, checked before anything of the request is read. A
route that declares nothing is not made.

Which rows a user then sees, db/access.py decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from rag_api.domain import READERS, Role, Scope, User

FIELD = "x-access"  # of the operation in the OpenAPI document
UNATTENDED = "x-unattended"  # the page asks of its own accord: that keeps no session alive

JUDGES = frozenset({Role.JUDGE, Role.ADMIN})
ADMINS = frozenset({Role.ADMIN})


@dataclass(frozen=True, slots=True)
class Needs:
    roles: frozenset[Role]  # any of these
    scope: Scope | None  # of a key; None: no key will do


class Access(Enum):
    ANONYMOUS = None  # is it alive, sign-in, and the page itself
    SIGNED_IN = Needs(frozenset(Role), None)
    ASK = Needs(READERS, Scope.ASK)
    READ = Needs(READERS, Scope.READ)
    JUDGE = Needs(JUDGES, Scope.JUDGE)
    INGEST = Needs(ADMINS, Scope.INGEST)
    ADMIN = Needs(ADMINS, Scope.ADMIN)
    AUDIT = Needs(frozenset({Role.AUDITOR}), Scope.AUDIT)
    MONITOR = Needs(ADMINS, Scope.MONITOR)

    def allows(self, user: User) -> bool:
        if self.value is None:
            return True
        needs: Needs = self.value
        with_key = user.scopes is None or (needs.scope is not None and needs.scope in user.scopes)
        return with_key and not needs.roles.isdisjoint(user.roles)

    def lacking(self, user: User) -> str:
        """Which right a user whom this does not allow would need, as a sentence."""
        needs: Needs = self.value
        if needs.roles.isdisjoint(user.roles):
            roles = " or ".join(role.value for role in Role if role in needs.roles)
            return f"This needs the role {roles}, which your account does not have: an administrator can give it."
        if needs.scope is None:
            return "No key may do this: sign in on the page."
        return (
            f"This needs a key with the scope {needs.scope.value}, which this one does not have: an administrator "
            f"can make one."
        )


def declared(access: Access, unattended: bool = False) -> dict[str, Any]:
    """Return a route's `openapi_extra`: what it is for."""
    return {FIELD: access.name.lower()} | ({UNATTENDED: True} if unattended else {})


def access_of(openapi_extra: dict[str, Any] | None, path: str) -> Access:
    """Raises TypeError for a route that does not say."""
    name = (openapi_extra or {}).get(FIELD, "")
    if name.upper() not in Access.__members__:
        raise TypeError(f"{path}: a route must say who may use it: openapi_extra=declared(Access....)")
    return Access[name.upper()]
