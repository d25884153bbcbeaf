"""Metadata that admins give documents, over what the files say; and the record of who changed what.
Values are texts, as in a sidecar CSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from rag_api.db import Connection, Database
from rag_api.db.access import (
    GROUPS_OF_ACCOUNT,
    NO_ROLES,
    READS,
    SIGNS_IN_AND_REVIEWS,
    account_values,
    administrator,
    found,
    may_let_go,
    may_review,
    values,
)
from rag_api.db.documents import (
    CURRENT,
    LISTED,
    METADATA,
    NEXT_REVIEW,
    PLAN,
    REVIEW,
    REVIEW_REASON,
    REVIEWER,
    TO_REVIEW_BY,
    to_document,
)
from rag_api.db.owners.passing import account_that_reads
from rag_api.db.people import permissions
from rag_api.db.people.accounts import RoleGroups, to_account, user_of
from rag_api.domain import Document, Edit, Metadata, User
from rag_api.errors import Conflict, NotAReviewer
from rag_api.guard.people.twin_documents import subject


@dataclass(frozen=True, slots=True)
class Change:
    field: str
    before: str
    after: str
    user_id: str
    user_name: str  # of the account, else its id
    changed_at: datetime


def edits_of(db: Database, source: str) -> dict[str, Edit]:
    rows = db.all("select field, value, said from metadata_edits where source = %(source)s", {"source": source})
    return {row["field"]: Edit(row["value"], row["said"]) for row in rows}


def changes_of(db: Database, user: User, document_id: str) -> list[Change]:
    """Of a document and the versions before it, newest first. Raises NotFound, also for who is no
    administrator."""
    administrator(user)
    rows = db.all(
        f"""select field, before, coalesce((select u.name from users u where field = '{REVIEWER}' and u.id = after), after) as after,
          user_id, changed_at,
          coalesce((select u.name from users u where u.id = user_id), user_id) as user_name from metadata_changes
        where source = (select source from documents where id = %(id)s and {READS}) order by id desc""",  # noqa: S608
        values(user, id=document_id),
    )
    return [Change(**row) for row in rows]


Texts = Mapping[str, str]


def change_metadata(
    db: Database, user: User, document_id: str, given: Texts, reset: frozenset[str], texts_of: Callable[[Metadata], Texts],
    metadata_of: Callable[[Texts], Metadata], reach_index: Callable[[Document], bool], open_to: Sequence[str],
    others: Sequence[User],
) -> Document:  # fmt: skip
    """Set these fields, and let those of `reset` say again what the file says. All of it is
    committed, or nothing. A new department's rule says at once who may read it; `open_to`: who may
    read what nothing is said of.

    reach_index: called with the changed document before the commit, so that a failing index leaves
    everything as it was. False: the index is outdated, and the next ingestion indexes the document
    again. Raises NotFound (also for who is no administrator), Conflict, and NoWayBack where the
    new department's rule takes it from the user and none of the others could give it back."""
    administrator(user)
    with db.connection() as connection:
        row = connection.execute(
            f"select * from documents where id = %(id)s and {READS} for update",  # noqa: S608
            values(user, id=document_id),
        ).fetchone()
        document = to_document(found(row, "document", document_id))
        if document.status not in ("indexed", "failed"):
            raise Conflict(f"{document.source} is {document.status}: only what is current can be described.")
        edits = edits_of(db, document.source)
        before = texts_of(document.metadata)
        said = {field: edit.said for field, edit in edits.items() if before[field] == edit.value}
        wanted = {**{field: said[field] for field in reset if field in said}, **given}
        metadata = metadata_of({**before, **wanted})
        after = texts_of(metadata)
        changed = {field: after[field] for field in METADATA if after[field] != before[field]}
        _record(connection, user, document, before, changed)
        for field in {*wanted, *reset}:
            own = said.get(field, before[field])
            _edit(connection, user, document.source, field, None if after[field] == own else Edit(after[field], own))
        updated = _update(connection, document, metadata)
        if "department" in changed:
            for groups in permissions.apply_rules(connection, open_to, [document.id]):
                may_let_go(user, groups, others)
            now = connection.execute("select groups from documents where id = %(id)s", {"id": document.id}).fetchone()
            updated = replace(updated, groups=tuple(found(now, "document", document.id)["groups"]))
        if changed and not reach_index(updated):
            connection.execute("update documents set fingerprint = '' where id = %(id)s", {"id": document.id})
        return updated


def review(
    db: Database,
    user: User,
    document_id: str,
    until: date | None,
    role_groups: RoleGroups,
    holds: bool = True,
    to: str | None = None,
    reason: str | None = None,
) -> None:
    """Keep by when the document is to be reviewed, and where it `holds` that the user found so; no
    day: it is planned no more, nor anybody's. to: the account that reviews it, by id, login or
    name; "": nobody by name. reason: why it is planned; None: as it was, until it is found to hold.
    What it says of its validity stays. Raises NotFound, for an account that is not there too,
    NotAReviewer for one that could not say that it holds, and Conflict."""
    with db.connection() as connection:
        asked = connection.execute(
            f"""select {LISTED}, coalesce({TO_REVIEW_BY}, '') as reviewer_id
            from documents where id = %(id)s and {READS} for update""",  # noqa: S608
            values(user, id=document_id),
        ).fetchone()
        row = found(asked, "document", document_id)
        document = to_document(row)
        if document.status not in ("indexed", "failed"):
            raise Conflict(f"{document.source} is {document.status}: only what is current can be reviewed.")
        if to and to.strip():
            account = to_account(account_that_reads(connection, document_id, to, role_groups))
            if not may_review(user_of(account, role_groups)):
                raise NotAReviewer(
                    f"{account.name or account.id} may read this document and not say that it holds: who has the role "
                    f"judge or admin may, as GET /documents/{document_id}/readers?may_review=true lists."
                )
            to = account.id
        planned = "" if holds else document.review_reason
        day = REVIEW if holds else PLAN
        before = {
            day: document.next_review.isoformat() if document.next_review else "",
            REVIEWER: row["reviewer_id"],
            REVIEW_REASON: document.review_reason,
        }
        after = {
            day: until.isoformat() if until else "",
            REVIEWER: "" if until is None else row["reviewer_id"] if to is None else to.strip(),
            REVIEW_REASON: "" if until is None else planned if reason is None else reason.strip(),
        }
        changed = {field: value for field, value in after.items() if field == day or value != before[field]}
        _record(connection, user, document, before, changed)


# The review was given to somebody by name who can do it no more.
_REVIEWER_LEFT = f"""(coalesce({TO_REVIEW_BY}, '') <> '' and not exists (select 1 from users
    where users.id = {TO_REVIEW_BY} and {SIGNS_IN_AND_REVIEWS} and documents.groups && {GROUPS_OF_ACCOUNT}))"""  # noqa: S608
_TO_REVIEW = f"""from documents where {CURRENT} and {READS} and %(reviews)s and {NEXT_REVIEW} is not null
    and ({TO_REVIEW_BY} = %(user_id)s or {_REVIEWER_LEFT}
      or coalesce({TO_REVIEW_BY}, '') = '' and {NEXT_REVIEW} <= %(today)s)"""


def to_review(db: Database, user: User, today: date, role_groups: RoleGroups = NO_ROLES) -> list[Document]:
    """For who reviews: those whose review was given to the user and is to come, those that were
    given to somebody who can review them no more, and those that are due and nobody's by name; the
    earliest first."""
    rows = db.all(
        f"select {LISTED}, {_REVIEWER_LEFT} as reviewer_left {_TO_REVIEW} order by {NEXT_REVIEW}, lower(title), id",
        _to_review_values(user, today, role_groups),
    )
    return [to_document(row) for row in rows]


def reviews_waiting(db: Database, user: User, today: date, role_groups: RoleGroups = NO_ROLES) -> int:
    """How many `to_review` lists."""
    row = db.one(f"select count(*) as n {_TO_REVIEW}", _to_review_values(user, today, role_groups))
    assert row is not None
    return int(row["n"])


def _to_review_values(user: User, today: date, role_groups: RoleGroups) -> dict[str, Any]:
    return values(user, reviews=may_review(user), today=today, **account_values(role_groups))


def _record(connection: Connection, user: User, document: Document, before: Texts, changed: Texts) -> None:
    for field, value in changed.items():
        connection.execute(
            """insert into metadata_changes (document_id, source, field, before, after, user_id)
            values (%(id)s, %(source)s, %(field)s, %(before)s, %(after)s, %(user)s)""",
            {
                "id": document.id,
                "source": document.source,
                "field": field,
                "before": before[field],
                "after": value,
                "user": user.id,
            },
        )


def _edit(connection: Connection, user: User, source: str, field: str, edit: Edit | None) -> None:
    if edit is None:
        connection.execute(
            "delete from metadata_edits where source = %(source)s and field = %(field)s",
            {"source": source, "field": field},
        )
        return
    connection.execute(
        """insert into metadata_edits (source, field, value, said, user_id)
        values (%(source)s, %(field)s, %(value)s, %(said)s, %(user)s)
        on conflict (source, field) do update set value = excluded.value, said = excluded.said, user_id = excluded.user_id,
          edited_at = now()""",
        {"source": source, "field": field, "value": edit.value, "said": edit.said, "user": user.id},
    )


def _update(connection: Connection, document: Document, metadata: Metadata) -> Document:
    row = connection.execute(
        f"""update documents set {", ".join(f"{name} = %({name})s" for name in METADATA)}, subject = %(subject)s, updated_at = now()
        where id = %(id)s returning {LISTED}""",  # noqa: S608
        {
            **{name: getattr(metadata, name) for name in METADATA},
            "target_groups": [group.value for group in metadata.target_groups],
            "subject": sorted(subject(metadata.title)),
            "id": document.id,
        },
    ).fetchone()
    assert row is not None
    return to_document(row)
