"""Chunk <-> one flat row of plain values: what LanceDB and Weaviate keep and filter on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from rag_api.domain import Chunk, Metadata, TargetGroup
from rag_api.text.bm25_analyzer import document_terms

ANY_GROUP = "any"  # stands for "names no target group", so that one look-up answers the filter
NEVER = date.max.toordinal()
COLUMNS = {  # name -> kind; the vector and the chunk's id come beside them
    "document_id": "text",
    "title": "text",
    "text": "text",
    "terms": "terms",
    "headings": "texts",
    "pages": "ints",
    "start": "int",
    "end": "int",
    "groups": "texts",
    "department": "text",
    "document_type": "text",
    "target_groups": "texts",
    "version": "text",
    "valid_from": "int",  # days, date.toordinal(); 0: always was
    "valid_until": "int",  # NEVER: for ever
    "owner": "text",
    "language": "text",
    "supersedes": "text",
}
FILTERABLE = {
    "document_id",
    "groups",
    "department",
    "document_type",
    "target_groups",
    "language",
    "valid_from",
    "valid_until",
}
STORED = [name for name in COLUMNS if name != "terms"]  # what a hit needs


def to_row(chunk: Chunk) -> dict[str, Any]:
    return {**stored_row(chunk), "terms": terms_of(chunk.title, chunk.text, chunk.metadata.language)}


def stored_row(chunk: Chunk) -> dict[str, Any]:
    """Return what a hit needs: all but what follows from it."""
    meta = chunk.metadata
    return {
        "document_id": chunk.document_id,
        "title": chunk.title,
        "text": chunk.text,
        "headings": list(chunk.headings),
        "pages": list(chunk.pages),
        "start": chunk.start,
        "end": chunk.end,
        "groups": list(chunk.groups),
        "department": meta.department,
        "document_type": meta.document_type,
        "target_groups": [group.value for group in meta.target_groups] or [ANY_GROUP],
        "version": meta.version,
        "valid_from": meta.valid_from.toordinal() if meta.valid_from else 0,
        "valid_until": meta.valid_until.toordinal() if meta.valid_until else NEVER,
        "owner": meta.owner,
        "language": meta.language,
        "supersedes": meta.supersedes,
    }


def terms_of(title: str, text: str, language: str) -> str:
    """What BM25 counts of a chunk."""
    return " ".join(document_terms(f"{title}\n{text}", language))


def complete(row: Mapping[str, Any]) -> dict[str, Any]:
    """With what a chunk of an older version lacks: what a document has that does not say."""
    before = {"groups": [row["owner_group"]]} if row.get("owner_group") else {}  # one group, until version 0.9
    return _SAYS_NOTHING | before | {name: value for name, value in row.items() if value is not None}


def packed(row: Mapping[str, Any]) -> str:
    """What a hit needs, in one value."""
    return json.dumps({name: row[name] for name in STORED}, ensure_ascii=False)


def unpacked(text: str) -> dict[str, Any]:
    return complete(json.loads(text))


def to_chunk(chunk_id: str, row: dict[str, Any]) -> Chunk:
    return Chunk(
        id=chunk_id,
        document_id=row["document_id"],
        title=row["title"],
        pages=tuple(int(p) for p in row["pages"]),
        start=int(row["start"]),
        end=int(row["end"]),
        text=row["text"],
        groups=tuple(row["groups"]),
        headings=tuple(row["headings"]),
        metadata=Metadata(
            title=row["title"],
            department=row["department"],
            document_type=row["document_type"],
            target_groups=tuple(TargetGroup(g) for g in row["target_groups"] if g != ANY_GROUP),
            version=row["version"],
            valid_from=date.fromordinal(int(row["valid_from"])) if row["valid_from"] else None,
            valid_until=date.fromordinal(int(row["valid_until"])) if row["valid_until"] != NEVER else None,
            owner=row["owner"],
            language=row["language"],
            supersedes=row["supersedes"],
        ),
    )


_SAYS_NOTHING = to_row(Chunk("", "", "", (), 0, 0, ""))
