"""Permissions to read documents, and their reasons: what an admin said of it, else where it came
from, else its department, else the default.

`documents.groups` is what follows, and what every query checks (access.py). The index filters by
`indexed_groups`; where the two differ it is behind: the list decides meanwhile, and whoever loads
documents next brings the index after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from psycopg.rows import DictRow

from rag_api.db import Connection, Database
from rag_api.db.access import (
    READS,
    BeforeAfter,
    administrator,
    found,
    may_let_go,
    may_regroup,
    values,
)
from rag_api.domain import EVERYONE, LOCAL_USER, Document, User
from rag_api.errors import InvalidInput

MOST_GROUPS = 50
_NAME = re.compile(r"[^\s,;\x00-\x1f][^,;\x00-\x1f]{0,98}[^\s,;\x00-\x1f]|[^\s,;\x00-\x1f]")
# What is said of a document d, by what counts first.
RULES = """(
    (select groups from document_groups where source = d.source and said_by = 'admin'),
    (select groups from document_groups where source = d.source and said_by = 'source'),
    (select groups from department_groups where department = lower(d.department)),
    %(default)s::text[])"""
SAID = "groups, user_id, said_at, coalesce((select u.name from users u where u.id = d.user_id), d.user_id) as user_name"
SaidBy = Literal["admin", "source", "department", "default"]


@dataclass(frozen=True, slots=True)
class Permission:
    """Who may read a document, and who said so."""

    groups: tuple[str, ...]
    said_by: SaidBy
    user_id: str = ""
    said_at: datetime | None = None
    user_name: str = ""  # of the account, else its id


def named(groups: Sequence[str]) -> tuple[str, ...]:
    """Return the groups in order, each once. Raises InvalidInput when there are none or one has no
    name that a group could have."""
    names = tuple(sorted({name.strip() for name in groups}))
    if not names or len(names) > MOST_GROUPS:
        raise InvalidInput(
            f"A document is read by at least one group and at most {MOST_GROUPS}; `everyone` is the group of all."
        )
    for name in names:
        if not _NAME.fullmatch(name):
            raise InvalidInput(f"{name!r} is no name of a group: at most 100 characters, no comma or semicolon.")
    return names


def operator(db: Database) -> User:
    """Return who works on the machine itself: nothing there is closed to them."""
    rows = db.all("select distinct unnest(groups) as name from documents")
    return replace(LOCAL_USER, groups=tuple(sorted({*EVERYONE, *(row["name"] for row in rows)})))


def groups_of(
    db: Database, source: str, department: str, default: Sequence[str], said: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return who may read a document of this name and department. said: what its source says now,
    where that is not kept yet."""
    row = db.one(
        f"""select coalesce((select groups from document_groups where source = d.source and said_by = 'admin'),
          %(said)s::text[], coalesce{RULES}) as groups
        from (select %(source)s::text as source, %(department)s::text as department) d""",  # noqa: S608
        {
            "source": source,
            "department": department,
            "default": list(default),
            "said": list(named(said)) if said else None,
        },
    )
    assert row is not None
    return tuple(row["groups"])


def apply_rules(
    connection: Connection, default: Sequence[str], document_ids: Sequence[str] | None = None
) -> list[BeforeAfter]:
    """Make the groups of these documents, or of all, what follows from what is said. In force for
    the next query. Return the groups of those that changed, before and after."""
    changed = connection.execute(
        f"""update documents d set groups = said.groups from
        (select d.id, d.groups as before, coalesce{RULES} as groups from documents d
          where %(ids)s::text[] is null or d.id = any(%(ids)s)) said
        where said.id = d.id and said.groups <> d.groups returning said.before, said.groups as after""",  # noqa: S608
        {"default": list(default), "ids": None if document_ids is None else list(document_ids)},
    )
    return [(row["before"], row["after"]) for row in changed]


@contextmanager
def _regrouping(
    connection: Connection, user: User, default: Sequence[str], others: Sequence[User] | None = None
) -> Iterator[None]:
    """Change what is said, and what follows. Raises MembershipAdminNeeded, and then nothing is
    changed, where that reaches a document, a retired or earlier one included, that the user may not
    read; NoWayBack where they lose one that none of the others could give back."""
    apply_rules(connection, default)  # what follows from changes before is not this one's doing
    yield
    changed = apply_rules(connection, default)
    may_regroup(user, *(before for before, _ in changed))
    if others is not None:
        for groups in changed:
            may_let_go(user, groups, others)


def put_source_groups(
    db: Database,
    user: User,
    said: Mapping[str, Sequence[str]],
    default: Sequence[str],
    others: Sequence[User] | None = None,
    *,
    keep: bool = True,
) -> None:
    """What the folders, sidecars and sites that documents came from say now, by source name. A
    source that says nothing any more has taken nothing back: a list that was lost must not open
    what it closed. `everyone`, said, opens it. Raises MembershipAdminNeeded where this says who
    reads what the user may not, NoWayBack where the user loses a document that none of the others
    could give back. keep: else nothing is changed, and what it raises is known."""
    with (
        db.connection() as connection,
        connection.transaction(force_rollback=not keep),
        connection.cursor() as cursor,
        _regrouping(connection, user, default, others),
    ):
        rows = connection.execute(
            "select groups from document_groups where source = any(%(sources)s)", {"sources": list(said)}
        )
        may_regroup(user, *(row["groups"] for row in rows))
        cursor.executemany(
            """insert into document_groups (source, said_by, groups, user_id) values (%s, 'source', %s, %s)
            on conflict (source, said_by) do update set groups = excluded.groups, user_id = excluded.user_id, said_at = now()
            where document_groups.groups <> excluded.groups""",
            [(source, list(named(groups)), user.id) for source, groups in sorted(said.items())],
        )


def permit_document(
    db: Database,
    user: User,
    document_id: str,
    groups: Sequence[str] | None,
    default: Sequence[str],
    others: Sequence[User] | None = None,
) -> None:
    """Let these groups read a document and its versions, whatever its source says; None: its source
    and department say it again. In force when this returns. Raises NotFound (also for who is no
    administrator), MembershipAdminNeeded where a version of it is one that the user may not read,
    NoWayBack where the user loses it and none of the others could give it back, InvalidInput."""
    administrator(user)
    wanted = None if groups is None else named(groups)
    with db.connection() as connection, _regrouping(connection, user, default, others):
        row = connection.execute(
            f"select source from documents where id = %(id)s and {READS} for update",  # noqa: S608
            values(user, id=document_id),
        ).fetchone()
        source = found(row, "document", document_id)["source"]
        before = connection.execute(
            "delete from document_groups where source = %(source)s and said_by = 'admin' returning groups",
            {"source": source},
        ).fetchone()
        if wanted is not None:
            connection.execute(
                "insert into document_groups (source, said_by, groups, user_id) values (%(source)s, 'admin', "
                "%(groups)s, %(user)s)",
                {"source": source, "groups": list(wanted), "user": user.id},
            )
        record(connection, user, "document", source, before["groups"] if before else None, wanted)


def permit_department(
    db: Database,
    user: User,
    department: str,
    groups: Sequence[str] | None,
    default: Sequence[str],
    others: Sequence[User] | None = None,
) -> None:
    """The same for all documents of a department of which nothing else is said, those to come
    included. Raises NotFound (for who is no administrator), MembershipAdminNeeded where the user
    does not read them, NoWayBack, InvalidInput."""
    administrator(user)
    name, wanted = department.strip().lower(), None if groups is None else named(groups)
    if not name:
        raise InvalidInput("The department needs a name.")
    with db.connection() as connection, _regrouping(connection, user, default, others):
        before = connection.execute(
            "delete from department_groups where department = %(name)s returning groups", {"name": name}
        ).fetchone()
        may_regroup(user, before["groups"] if before else default)
        if wanted is not None:
            connection.execute(
                "insert into department_groups (department, groups, user_id) values (%(name)s, %(groups)s, %(user)s)",
                {"name": name, "groups": list(wanted), "user": user.id},
            )
        record(connection, user, "department", name, before["groups"] if before else None, wanted)


def _said(row: DictRow) -> Permission:
    return Permission(tuple(row["groups"]), row["said_by"], row["user_id"], row["said_at"], row["user_name"])


def departments(db: Database, user: User) -> dict[str, Permission]:
    """What is said of departments, by their names in small letters. Raises NotFound for who is no
    administrator."""
    administrator(user)
    rows = db.all(f"select department, 'department' as said_by, {SAID} from department_groups d order by department")  # noqa: S608
    return {row["department"]: _said(row) for row in rows}


def why(db: Database, user: User, document: Document, default: Sequence[str] = EVERYONE) -> Permission:
    """Which rule says who may read a document. Raises NotFound for who is no administrator."""
    administrator(user)
    rows = db.all(
        f"""select said_by, {SAID} from document_groups d where source = %(source)s
        union all select 'department', {SAID} from department_groups d where department = lower(%(department)s)""",  # noqa: S608
        {"source": document.source, "department": document.metadata.department},
    )
    said = {row["said_by"]: _said(row) for row in rows}
    return next(
        (said[rule] for rule in ("admin", "source", "department") if rule in said),
        Permission(tuple(default), "default"),
    )


def behind(db: Database) -> dict[str, tuple[str, ...]]:
    """Indexed documents whose groups the index does not know yet, by id."""
    rows = db.all("select id, groups from documents where status = 'indexed' and groups <> indexed_groups order by id")
    return {row["id"]: tuple(row["groups"]) for row in rows}


def catch_up(db: Database, reach_index: Callable[[str, tuple[str, ...]], None]) -> None:
    """Bring the index after the list; while nobody else loads documents."""
    for document_id, groups in behind(db).items():
        reach_index(document_id, groups)
        db.run(
            "update documents set indexed_groups = %(groups)s where id = %(id)s",
            {"id": document_id, "groups": list(groups)},
        )


def hidden_but_indexed(db: Database, user: User) -> tuple[str, ...]:
    """Documents that the index would still give this user: what a search must leave out by their
    ids."""
    rows = db.all(
        f"select id from documents where status = 'indexed' and indexed_groups <> groups and not {READS}",  # noqa: S608
        values(user),
    )
    return tuple(row["id"] for row in rows)


def record(
    connection: Connection, user: User, about: str, name: str, before: Sequence[str] | None, after: Sequence[str] | None
) -> None:  # fmt: skip
    """Who changed the groups of what (a document, a department, an account), in the transaction of
    the change."""
    connection.execute(
        """insert into group_changes (about, name, before, after, user_id) values (%(about)s, %(name)s, %(before)s, %(after)s, %(user)s)""",
        {
            "about": about,
            "name": name,
            "before": None if before is None else list(before),
            "after": None if after is None else list(after),
            "user": user.id,
        },
    )
