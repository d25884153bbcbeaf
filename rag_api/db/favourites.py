"""The documents that somebody keeps at hand, by their names, so that a new version takes the place
of the old. Each sees their own."""

from __future__ import annotations

from rag_api.db import Database
from rag_api.db.access import READS, found, values
from rag_api.db.documents import to_document
from rag_api.domain import Document, User

MOST = 200  # that a list holds, the latest


def list_favourites(db: Database, user: User) -> list[Document]:
    """What counts now of them and may still be read; the one kept last comes first."""
    rows = db.all(
        f"""select d.* from favourites f join documents d on d.source = f.source and d.status = 'indexed'
        where f.user_id = %(user_id)s and d.{READS} order by f.added_at desc, f.source limit %(most)s""",  # noqa: S608
        values(user, most=MOST),
    )
    return [to_document(row) for row in rows]


def keep(db: Database, user: User, document_id: str) -> None:
    """Of any version. Raises NotFound for one that the user may not read."""
    kept = db.run(
        f"""insert into favourites (user_id, source) select %(user_id)s, source from documents where id = %(id)s and {READS}
        on conflict (user_id, source) do update set source = excluded.source""",  # noqa: S608
        values(user, id=document_id),
    )
    found(kept or None, "document", document_id)


def let_go(db: Database, user: User, document_id: str) -> None:
    """Raises NotFound for a document that the user may not read."""
    row = db.one(f"select source from documents where id = %(id)s and {READS}", values(user, id=document_id))  # noqa: S608
    source = found(row, "document", document_id)["source"]
    db.run("delete from favourites where user_id = %(user_id)s and source = %(source)s", values(user, source=source))
