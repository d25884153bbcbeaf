"""Owners: who answers for documents, by the owner or the department that they name, a mail address,
accounts, or both. Kept by admins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.rows import DictRow

from rag_api.db import Connection, Database
from rag_api.db.access import (
    ATTENDED,
    NO_ROLES,
    OWNER,
    READS,
    SIGNS_IN_AND_READS,
    account_values,
    administrator,
    found,
    may_name_owner,
    values,
)
from rag_api.db.people.accounts import RoleGroups
from rag_api.domain import User
from rag_api.errors import InvalidInput

MOST_ACCOUNTS = 50
_MAIL = re.compile(r"[^@\s<>,;\x00]{1,127}@[^@\s<>,;\x00]{1,127}")
CURRENT = "status in ('indexed', 'failed')"
# The name of whom quality staff passed a question `q` on to; null: nobody.
PASSED_TO = "(select coalesce(nullif(u.name, ''), u.id) from users u where u.id = q.passed_to)"
# Who answers for a document `d`, as it names them.
NAMED = f"case when lower(btrim(d.owner)) = {OWNER} then btrim(d.owner) else btrim(d.department) end"


@dataclass(frozen=True, slots=True)
class Owner:
    """What documents name, and who that is."""

    name: str  # as the documents write it
    documents: int  # current ones that the admin may read and that name it
    known: bool  # somebody hears of what is asked: it has an address, or an account that somebody signs in to and that reads here
    mail: str = ""
    # id, name, and what the account is called by: its login, else its id
    accounts: tuple[tuple[str, str, str], ...] = ()
    is_department: bool = False  # it counts for documents whose owner nobody is known of


@dataclass(frozen=True, slots=True)
class Reached:
    """Whom a question comes to. No owner: quality staff."""

    owner: str  # as the document writes it; "": nobody is known
    by_mail: bool
    by_account: bool  # of somebody who signs in and may read the document

    def told(self, mails: bool) -> Reached:
        """The same where mail is sent or not: nobody is known who hears of it neither way."""
        by_mail = self.by_mail and mails
        return Reached(self.owner if by_mail or self.by_account else "", by_mail, self.by_account)


def is_mail(text: str) -> bool:
    return _MAIL.fullmatch(text) is not None


def list_owners(db: Database, user: User, role_groups: RoleGroups = NO_ROLES) -> list[Owner]:
    """All that current documents which the user may read name; those that nobody is known of first,
    with the most documents first. Raises NotFound for who is no administrator."""
    administrator(user)
    rows = db.all(
        f"""with named as (
          select btrim(owner) as name, false as is_department from documents where {CURRENT} and {READS} and btrim(owner) <> ''
          union all
          select btrim(department), true from documents where {CURRENT} and {READS} and btrim(department) <> '')
        select min(n.name) as name, count(*) as documents, bool_and(n.is_department) as is_department, coalesce(o.mail, '') as mail,
          coalesce(o.mail, '') <> '' or exists (select 1 from owner_accounts a join users on users.id = a.account_id
            where a.name = o.name and {SIGNS_IN_AND_READS}) as known,
          coalesce((select jsonb_agg(jsonb_build_array(u.id, u.name, coalesce(u.login, u.id)) order by lower(u.name), u.id)
            from owner_accounts a join users u on u.id = a.account_id where a.name = o.name), '[]') as accounts
        from named n left join owners o on o.name = lower(n.name) group by lower(n.name), o.name, o.mail
        order by known, documents desc, lower(n.name)""",  # noqa: S608
        values(user, **account_values(role_groups)),
    )
    return [Owner(**{**row, "accounts": tuple((one[0], one[1], one[2]) for one in row["accounts"])}) for row in rows]


def put_owner(db: Database, user: User, name: str, mail: str, accounts: Sequence[str]) -> None:
    """Keep who a name is; without mail and accounts it is nobody's any more. What is open and was
    not told of yet is told now. accounts: ids or logins. Raises NotFound (also for who is no
    administrator), MembershipAdminNeeded, InvalidInput."""
    administrator(user)
    kept = name.strip().lower()
    wanted = sorted({one.strip() for one in accounts} - {""})
    if mail and not is_mail(mail):
        raise InvalidInput(f"{mail!r} is no mail address: one, as apotheek@hospital.example.")
    if len(wanted) > MOST_ACCOUNTS:
        raise InvalidInput(f"At most {MOST_ACCOUNTS} accounts answer for one owner's documents.")
    with db.connection() as connection:
        carriers = connection.execute(
            f"select groups from documents where {CURRENT} and %(name)s in (lower(btrim(owner)), "  # noqa: S608
            f"lower(btrim(department)))",
            {"name": kept},
        ).fetchall()
        may_name_owner(user, *(row["groups"] for row in carriers))
        ids = _accounts(connection, wanted)
        if not mail and not wanted:
            connection.execute("delete from owners where name = %(name)s", {"name": kept})
            return
        connection.execute(
            """insert into owners (name, mail, user_id) values (%(name)s, %(mail)s, %(user)s)
            on conflict (name) do update set mail = excluded.mail, user_id = excluded.user_id, said_at = now()""",
            {"name": kept, "mail": mail, "user": user.id},
        )
        connection.execute("delete from owner_accounts where name = %(name)s", {"name": kept})
        with connection.cursor() as cursor:
            cursor.executemany(
                "insert into owner_accounts (name, account_id) values (%s, %s)", [(kept, one) for one in ids]
            )
        _tell_of_what_is_open(connection, kept, mail)


def _accounts(connection: Connection, wanted: Sequence[str]) -> list[str]:
    """Return the ids of these accounts, named by id or login. Raises InvalidInput where one is not
    there."""
    rows = connection.execute(
        "select id, login from users where id = any(%(names)s) or login = any(%(logins)s)",
        {"names": list(wanted), "logins": [one.lower() for one in wanted]},
    ).fetchall()
    known = {row["id"]: row["id"] for row in rows} | {row["login"]: row["id"] for row in rows if row["login"]}
    if missing := [one for one in wanted if one not in known and one.lower() not in known]:
        raise InvalidInput(f"There is no account {', '.join(missing)}.")
    return sorted({known.get(one) or known[one.lower()] for one in wanted})


_REACHED = f"""
    select d.id, case when lower(btrim(d.owner)) = o.name then d.owner else d.department end as owner, o.mail <> '' as by_mail,
      {ATTENDED} as by_account
    from documents d join owners o on o.name = {OWNER}"""  # noqa: S608
NOBODY = Reached("", False, False)


def reached(connection: Connection, document_id: str, role_groups: RoleGroups) -> Reached:
    """Whom a question about this document comes to."""
    given = {"id": document_id, **account_values(role_groups)}
    row = connection.execute(f"{_REACHED} where d.id = %(id)s", given).fetchone()
    return _reached(row) if row else NOBODY


def reached_by(db: Database, question_ids: Sequence[str], role_groups: RoleGroups) -> dict[str, Reached]:
    """Whom these questions come to now, by their ids; those that come to quality staff are not in
    it."""
    rows = db.all(
        f"select * from asked_documents q join ({_REACHED}) r on r.id = q.id where question_id = any(%(ids)s)",  # noqa: S608
        {"ids": list(question_ids), **account_values(role_groups)},
    )
    return {row["question_id"]: _reached(row) for row in rows}


def _reached(row: DictRow) -> Reached:
    return Reached(row["owner"].strip(), row["by_mail"], row["by_account"])


def whom(db: Database, user: User, document_id: str, role_groups: RoleGroups) -> Reached:
    """Whom a question of theirs about this document would come to. Raises NotFound."""
    with db.connection() as connection:
        given = values(user, id=document_id)
        found(
            connection.execute(f"select 1 from documents where id = %(id)s and {READS}", given).fetchone(),  # noqa: S608
            "document",
            document_id,
        )
        return reached(connection, document_id, role_groups)


def tell(connection: Connection, question_id: str) -> None:
    """Put a mail about a question into the outbox, where its document's owner has an address."""
    connection.execute(
        f"""insert into outbox (kind, recipient, question_id)
        select 'mail', o.mail, q.id from owner_questions q join asked_documents on question_id = q.id
          join documents d on d.id = asked_documents.id join owners o on o.name = {OWNER}
        where q.id = %(id)s and o.mail <> ''""",  # noqa: S608
        {"id": question_id},
    )


def tell_askers(connection: Connection, document_ids: Sequence[str]) -> None:
    """Put a mail into the outbox for who asked about a document that changed or was taken out: of
    each question once, to who may still read the document and whose address is known; of several
    questions about it, one mail."""
    connection.execute(
        """insert into outbox (kind, recipient, question_id)
        select distinct on (u.id, d.id) 'asker_mail', u.mail, q.id
        from documents d join documents asked on asked.source = d.source join owner_questions q on q.document_id = asked.id
          join users u on u.id = q.user_id
        where d.id = any(%(ids)s) and u.mail <> '' and u.suspended_at is null
          and d.groups && (u.groups || u.claimed_groups || '{everyone}')
          and not exists (select 1 from outbox where question_id = q.id and kind = 'asker_mail')
        order by u.id, d.id, q.created_at desc""",
        {"ids": list(document_ids)},
    )


def _tell_of_what_is_open(connection: Connection, name: str, mail: str) -> None:
    """An owner who was not known, or whose address was wrong, hears of what waits for them. What is
    on its way goes to the new address."""
    connection.execute(
        f"""delete from outbox using owner_questions q join asked_documents on asked_documents.question_id = q.id
          join documents d on d.id = asked_documents.id
        where outbox.question_id = q.id and outbox.kind = 'mail' and outbox.sent_at is null and q.outcome is null and q.passed_to is null
          and {OWNER} = %(name)s
          and outbox.recipient <> %(mail)s""",  # noqa: S608
        {"name": name, "mail": mail},
    )
    waiting = connection.execute(
        f"""select q.id from owner_questions q join asked_documents on question_id = q.id join documents d on d.id = asked_documents.id
        where q.outcome is null and q.passed_to is null and {OWNER} = %(name)s 
          and not exists (select 1 from outbox where question_id = q.id and kind = 'mail')""",  # noqa: S608
        {"name": name},
    ).fetchall()
    for row in waiting:
        tell(connection, row["id"])
