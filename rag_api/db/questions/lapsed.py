"""Documents that no longer count and that nothing counts in place of: withdrawn, or past their last
day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from rag_api.db import Database
from rag_api.db.access import READS, values
from rag_api.db.documents import VALIDITY, contains, of_same_title, replacing, to_document
from rag_api.domain import Document, User

_LAPSED = f"(status = 'retired' or status = 'indexed' and {VALIDITY['expired']})"


def lapsed_documents(db: Database, user: User, today: date) -> list[Document]:
    """Of what the user may read, whatever counts now; what was withdrawn last comes first."""
    rows = db.all(
        f"select * from documents where {_LAPSED} and {READS} order by withdrawn_at desc nulls last, id",  # noqa: S608
        values(user, today=today),
    )
    return [to_document(row) for row in rows]


def lapsed_pages(db: Database, user: User, today: date, words: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return the document's id and the text of each page that holds a beginning of each word, by
    any of its names."""
    said = {f"word_{at}": [contains(name[:_BEGINNING]) for name in names] for at, names in enumerate(words)}
    held = "".join(f" and p.text ilike any(%({name})s)" for name in said)
    rows = db.all(
        f"""select p.document_id, p.text from pages p join documents on documents.id = p.document_id
          where {_LAPSED} and {READS}{held}""",  # noqa: S608
        values(user, today=today, **said),
    )
    return [(row["document_id"], row["text"]) for row in rows]


def nothing_in_place_of(db: Database, user: User, documents: Sequence[Document], today: date) -> list[Document]:
    """Return those of these in place of which nothing counts that the user may read, each file
    once."""
    newer = replacing(db, user, documents, today)
    left = {one.source: one for one in reversed(documents) if one.id not in newer}
    return [one for one in reversed(left.values()) if of_same_title(db, user, one, today) is None]


_BEGINNING = 4  # letters: most forms of a word share them
