"""Documents of stored answers that were withdrawn, replaced or expired since these were given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from rag_api.db import Database
from rag_api.db.access import OWNS, READS, values
from rag_api.db.documents import get_documents, replacing
from rag_api.domain import Answer, AnswerStatus, Document, DocumentStatus, User


@dataclass(frozen=True, slots=True)
class Since:
    document: Document  # as it is listed now
    newer: Document | None  # what counts in its place, of what the user may read
    withdrawn: bool
    expired_on: date | None = None  # its last day, where nothing else ended it; else another counts in its place


@dataclass(frozen=True, slots=True)
class Named:
    """The documents that an answer quotes, else those that it shows; none of a refusal. `cautions`:
    what was said of which when it was given."""

    answer_id: str
    documents: tuple[str, ...]
    cautions: frozenset[tuple[str, str]]


def named_in(answer: Answer) -> Named:
    quoted = [one.document_id for one in answer.citations] or [one.document.id for one in answer.sources]
    cautions = frozenset((source.document.id, caution.code) for source in answer.sources for caution in source.cautions)
    return Named(answer.id, () if answer.status == AnswerStatus.NOT_FOUND else tuple(dict.fromkeys(quoted)), cautions)


def named_in_conversation(db: Database, user: User, conversation_id: str) -> list[Named]:
    """The same of each of its answers, as `answers_of` gives them, without these themselves."""
    rows = db.all(
        f"""select id, case
            when status = %(refused)s then '{{}}'
            when citations = '[]' or exists (select 1 from jsonb_array_elements(sources) s
              where s->'document'->>'id' not in (select id from documents where {READS}))
            then array(select s->'document'->>'id' from jsonb_array_elements(sources) s)
            else array(select c->>'document_id' from jsonb_array_elements(citations) c) end as documents,
          array(select array[s->'document'->>'id', c->>'code']
            from jsonb_array_elements(sources) s, jsonb_array_elements(s->'cautions') c) as cautions
        from answers where conversation_id = %(id)s and {OWNS} order by created_at, id""",  # noqa: S608
        values(user, id=conversation_id, refused=AnswerStatus.NOT_FOUND),
    )
    return [
        Named(
            row["id"], tuple(dict.fromkeys(row["documents"])), frozenset((one, code) for one, code in row["cautions"])
        )
        for row in rows
    ]


def since_given(db: Database, user: User, given: Sequence[Named], today: date) -> list[list[Since]]:
    """Of the documents of each, none that was told when the answer was given."""
    known = get_documents(db, user, sorted({one for named in given for one in named.documents}))
    newer = replacing(db, user, known.values(), today)
    found = {id_: since for id_, one in known.items() if (since := _since(one, newer.get(id_), today)) is not None}
    return [
        [found[id_] for id_ in named.documents if id_ in found and (id_, _code_of(found[id_])) not in named.cautions]
        for named in given
    ]


def _since(document: Document, newer: Document | None, today: date) -> Since | None:
    if newer is not None or document.status in (DocumentStatus.REPLACED, DocumentStatus.RETIRED):
        return Since(document, newer, document.status == DocumentStatus.RETIRED)
    until = document.metadata.valid_until
    return Since(document, None, False, until) if until is not None and until < today else None


def _code_of(since: Since) -> str:
    """Of the caution that says the same beside a source; "": none does."""
    return "" if since.withdrawn else "superseded" if since.expired_on is None else "expired"
