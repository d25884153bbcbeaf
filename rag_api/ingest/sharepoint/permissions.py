"""Permissions to read a file, as the groups of Bedside: what Graph tells of its permissions, with
the site's own names for groups. Pure.

Only groups are carried over. People who were given a file by name, and whoever holds a link, are
not: a link is a key to one file and no place in an organisation. So a document may have fewer
readers here than there, never more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rag_api.domain import EVERYONE
from rag_api.ingest.common.notes import note

_READ = {"read", "write", "owner", "sp.full control"}
# The claims "Everyone except external users" and "Everyone".
_ALL = ("c:0-.f|rolemanager|spo-grid-all-users/", "c:0(.s|true")
_NOWHEN = "0001-01-01"


@dataclass(frozen=True, slots=True)
class Readers:
    """`groups`: of Bedside; `unknown`: names of a site's groups that nobody said anything of;
    `people`: named one by one."""

    groups: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    people: int = 0

    def notes(self) -> tuple[str, ...]:
        found = []
        if self.unknown:
            found.append(note("other_readers", groups=", ".join(f"'{name}'" for name in self.unknown)))
        if self.people:
            found.append(note("shared_by_name", people=self.people))
        return tuple(found)


def readers(permissions: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> Readers:
    """names: what groups are called here, by id or name there."""
    found: set[str] = set()
    unknown: set[str] = set()
    people = 0
    for permission in permissions:
        if not _READ & {str(role).casefold() for role in permission.get("roles", ())} or _is_over(
            permission, datetime.now(UTC)
        ):
            continue
        if "link" in permission:
            people += len(permission.get("grantedToIdentitiesV2") or permission.get("grantedToIdentities") or ())
            continue
        granted = permission.get("grantedToV2") or permission.get("grantedTo") or {}
        group = _group_of(granted, names)
        if group:
            found.add(group)
        elif name := _site_group(granted):
            unknown.add(name)
        elif "user" in granted or "siteUser" in granted or "invitation" in permission:
            people += 1
    return Readers(tuple(sorted(found)), tuple(sorted(unknown)), people)


def _group_of(granted: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """A directory's group is known by its id where nothing else was said: that is what a sign-in
    tells of its members."""
    for kind in ("group", "sharePointGroup", "siteGroup", "siteUser"):
        identity = granted.get(kind) or {}
        for said in (identity.get("id"), identity.get("displayName"), identity.get("title")):
            if said is not None and str(said) in names and kind != "siteUser":
                return names[str(said)]
        if str(identity.get("loginName", "")).casefold().startswith(_ALL):
            return EVERYONE[0]
    return str((granted.get("group") or {}).get("id") or "")


def _site_group(granted: Mapping[str, Any]) -> str:
    identity = granted.get("sharePointGroup") or granted.get("siteGroup") or {}
    return str(identity.get("displayName") or identity.get("title") or identity.get("id") or "")


def _is_over(permission: Mapping[str, Any], now: datetime) -> bool:
    until = str(permission.get("expirationDateTime") or _NOWHEN)
    if until.startswith(_NOWHEN):
        return False
    try:
        return datetime.fromisoformat(until) < now
    except (ValueError, TypeError):
        return True  # a date that cannot be read gives nothing
