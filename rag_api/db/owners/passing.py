"""Accounts that quality staff name, and what is passed on to them: a question, in the place of the
owner of its document."""

from __future__ import annotations

from psycopg.rows import DictRow

from rag_api.db import Connection
from rag_api.db.access import GROUPS_OF_ACCOUNT, SIGNS_IN_AND_READS, account_values
from rag_api.db.owners.named import Reached
from rag_api.db.people.accounts import RoleGroups
from rag_api.errors import NoSuchReader


def account_that_reads(
    connection: Connection, document_id: str | None, called: str, role_groups: RoleGroups
) -> DictRow:
    """Return the account of this id, login or name that somebody signs in to and that may read the
    document; None: that reads at all. Raises NoSuchReader where there is none, or several."""
    rows = connection.execute(
        f"""select * from users where {SIGNS_IN_AND_READS}
          and (id = %(called)s or lower(%(called)s) in (login, lower(name)))
          and (%(document)s::text is null
            or exists (select 1 from documents d where d.id = %(document)s and d.groups && {GROUPS_OF_ACCOUNT}))""",  # noqa: S608
        {"document": document_id, "called": called.strip(), **account_values(role_groups)},
    ).fetchall()
    if len(rows) != 1:
        read = "read this document" if document_id else "read here"
        raise NoSuchReader(f"{len(rows) or 'No'} accounts that may {read} are called {called.strip()}.")
    return rows[0]


def pass_on(
    connection: Connection, question_id: str, document_id: str | None, to: str, role_groups: RoleGroups
) -> Reached:
    """Give a question about the document, or about none, to an account, in the place of its owner;
    a mail to that owner which is not sent yet is not. Raises NoSuchReader."""
    account = account_that_reads(connection, document_id, to, role_groups)
    given = {"question": question_id, "to": account["id"], "mail": account["mail"]}
    connection.execute("update owner_questions set passed_to = %(to)s where id = %(question)s", given)
    connection.execute(
        "delete from outbox where question_id = %(question)s and kind = 'mail' and sent_at is null", given
    )
    connection.execute(
        "insert into outbox (kind, recipient, question_id) select 'mail', %(mail)s, %(question)s where %(mail)s <> ''",
        given,
    )
    return Reached(account["name"] or account["id"], account["mail"] != "", True)
