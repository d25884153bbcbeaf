"""Predecessors: valid documents that another one probably is a new version of, whatever their files
are called.

Told by the title, by a document code, or by how many of their words are the same. Looked for among
those that bear the code or the title, and those that the index finds nearest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from rag_api.db import Database
from rag_api.db.access import READS, values
from rag_api.db.documents import VALIDITY, contains, read_cut, read_pages, superseded_ids, to_document
from rag_api.domain import Document, Filters, User
from rag_api.ingest.structure.document_ids import codes
from rag_api.stores import Store
from rag_api.text.title_key import title_key

ALIKE = 0.5  # of the words of both: so many are shared by versions, and seldom by relatives
WITH_A_CODE = 0.1  # is enough where a first page shows the other's code, which may only refer to it
MANY = 3  # documents that bear one code: more bear a form's
MOST = 3  # that are named
_PLACES, _NEAR = 8, 10  # of the document that are looked for, and how many documents are then compared
_CODES = 8  # of the document that are looked for
_LONGEST = 200  # characters of a passage that are searched for by words
_TOGETHER = 4  # words that count as the same in the same order only
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Predecessor:
    """`alike`: the share of their words that are the same, in the same order."""

    document: Document
    alike: float
    code: str  # that both bear; "": none


@dataclass(frozen=True, slots=True)
class _Telling:
    """What tells a document from others: codes of its own running lines and file name, those that
    its first page shows besides, and its words."""

    own: frozenset[str]
    shown: frozenset[str]
    words: frozenset[tuple[str, ...]]


def predecessors(db: Database, store: Store, user: User, document: Document, today: date) -> list[Predecessor]:
    """Of what the user may read and is valid today, the likeliest first; none that is for other
    patients, or in another language, or superseded already."""
    said = _said_of(db, document)
    bearers = _bearers(db, user, document, said)
    usual = {code for code, ids in bearers.items() if len(ids) > MANY}
    alike_by_code = [id_ for code, ids in bearers.items() if code not in usual for id_ in ids]
    near = [*_called_alike(db, user, document.metadata.title), *_nearest(store, user, document), *alike_by_code]
    found = []
    for other in _current(db, user, document, near, today):
        if _is_for_others(document, other):
            continue
        theirs = _said_of(db, other)
        alike = _shared(said.words, theirs.words)
        own = sorted((said.own & theirs.own) - usual)
        shown = sorted(((said.own | said.shown) & (theirs.own | theirs.shown)) - usual)
        code = next(iter(own or (shown if alike >= WITH_A_CODE else ())), "")
        if code or alike >= ALIKE or title_key(document.metadata.title) == title_key(other.metadata.title) != "":
            found.append(Predecessor(other, alike, code))
    return sorted(found, key=lambda one: (not one.code, -one.alike))[:MOST]


def _said_of(db: Database, document: Document) -> _Telling:
    running = (line.text for line in read_cut(db, document.id))
    pages = read_pages(db, document.id)
    name = document.source.rpartition("/")[2].rpartition(".")[0].replace("_", " ")
    words = _WORD.findall("".join(page.text for page in pages).casefold())
    return _Telling(
        _codes((*running, name)),
        _codes(page.text for page in pages[:1]),
        frozenset(zip(*(words[start:] for start in range(_TOGETHER)), strict=False)),
    )


def _codes(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(code for text in {*texts} for code in codes(text))


def _shared(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    return 2 * len(one & other) / max(1, len(one) + len(other))


def _bearers(db: Database, user: User, document: Document, said: _Telling) -> dict[str, list[str]]:
    """Other documents, by the code that may stand in them."""
    found = {}
    for code in [*sorted(said.own), *sorted(said.shown - said.own)][:_CODES]:
        rows = db.all(
            f"""select id from documents d where status = 'indexed' and id <> %(id)s and {READS} and (source ilike %(like)s
              or exists (select 1 from cut_lines c where c.document_id = d.id and c.text ilike %(like)s)
              or exists (select 1 from pages p where p.document_id = d.id and p.number = 1 and p.text ilike %(like)s))""",  # noqa: S608
            values(user, id=document.id, like=contains(code)),
        )
        found[code] = [row["id"] for row in rows]
    return found


def _called_alike(db: Database, user: User, title: str) -> list[str]:
    rows = db.all(
        f"select id from documents where status = 'indexed' and {READS} and title ilike %(like)s limit {_NEAR}",  # noqa: S608
        values(user, like=contains(title)),
    )
    return [row["id"] for row in rows]


def _nearest(store: Store, user: User, document: Document) -> list[str]:
    """Those that hold passages nearest to some of its own."""
    chunks, vectors = store.chunks_of(document.id)
    filters = Filters(groups=user.groups, excluded_document_ids=(document.id,))
    counted: Counter[str] = Counter()
    for place in np.unique(np.linspace(0, len(chunks) - 1, _PLACES, dtype=int)) if chunks else ():
        hits = store.search(chunks[place].text[:_LONGEST], vectors[place], _NEAR, filters, alpha=1.0)
        counted.update({hit.chunk.document_id for hit in hits})
    return [id_ for id_, _ in counted.most_common(_NEAR)]


def _current(db: Database, user: User, document: Document, ids: Sequence[str], today: date) -> list[Document]:
    rows = db.all(
        f"""select * from documents where id = any(%(ids)s) and id <> all(%(superseded)s) and status = 'indexed'
          and source <> %(source)s and {READS} and {VALIDITY["valid"]} order by id""",  # noqa: S608
        values(
            user, ids=list(ids), superseded=list(superseded_ids(db, user, today)), source=document.source, today=today
        ),
    )
    return [to_document(row) for row in rows]


def _is_for_others(one: Document, other: Document) -> bool:
    mine, theirs = one.metadata, other.metadata
    patients = {*mine.target_groups}, {*theirs.target_groups}
    return (all(patients) and patients[0].isdisjoint(patients[1])) or len({mine.language, theirs.language} - {""}) > 1
