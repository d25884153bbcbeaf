"""Places of documents that a reader saw: for the trail, which names places and never words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rag_api.domain import Answer, Citation, Document, Source
from rag_api.ingest.sources.report import IngestReport


def documents_of(sources: Iterable[Source]) -> list[dict[str, Any]]:
    """Each document once, in order, with the pages and passages of it that were shown."""
    found: dict[str, dict[str, Any]] = {}
    for source in sources:
        one = found.setdefault(source.document.id, {**named(source.document), "pages": [], "passages": []})
        one["pages"] = sorted({*one["pages"], *source.hit.chunk.pages})
        if source.hit.chunk.id not in one["passages"]:
            one["passages"].append(source.hit.chunk.id)
    return list(found.values())


def named(document: Document) -> dict[str, Any]:
    """The id follows from the name and the content: of another version it is another."""
    return {"id": document.id, "source": document.source, "version": document.metadata.version}


def cited(citations: Iterable[Citation]) -> list[dict[str, Any]]:
    """The quoted places, in the document's text."""
    return [
        {"id": one.document_id, "page": one.page, "start": one.source_start, "end": one.source_end} for one in citations
    ]


def shown(answer: Answer) -> dict[str, Any]:
    """All of an answer that its reader saw."""
    return {
        "answer": answer.id,
        "conversation": answer.conversation_id,
        "status": answer.status.value,
        "mode": answer.mode.value,
        "documents": documents_of(answer.sources),
        "cited": cited(answer.citations),
    }


def ingested(report: IngestReport) -> dict[str, Any]:
    """What became of documents, those that stayed as they were only counted."""
    changed = [item for item in report.items if item.outcome != "unchanged"]
    documents = [
        {"id": item.document_id, "source": item.source, "became": item.outcome, "reason": item.reason}
        for item in changed
    ]
    return {"documents": documents, "unchanged": len(report.items) - len(changed)}
