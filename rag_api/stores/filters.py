"""Filters and what they admit, said once in Python; the stores say the same in their own query
language and are tested against it."""

from __future__ import annotations

from rag_api.domain import Chunk, Filters, Metadata


def may_read(filters: Filters, chunk: Chunk) -> bool:
    """Whether whoever asks may read it at all, whatever is asked for. What they may not read does
    not count for them either."""
    return bool(set(chunk.groups) & set(filters.groups)) and chunk.document_id not in filters.hidden_document_ids


def admits(filters: Filters, chunk: Chunk) -> bool:
    """Whether it may be found: read by who asks, among what they ask for, and valid on the day."""
    meta = chunk.metadata
    if not may_read(filters, chunk) or not among(filters, chunk.document_id, meta):
        return False
    if chunk.document_id in filters.excluded_document_ids:
        return False
    if filters.valid_on is None:
        return True
    begins, ends = meta.valid_from, meta.valid_until
    return (begins is None or begins <= filters.valid_on) and (
        ends is None or filters.include_expired or filters.valid_on <= ends
    )


def among(filters: Filters, document_id: str, meta: Metadata) -> bool:
    """Whether a document is one of those that are asked for, whenever it counts. One that names no
    target group is about everyone; one without a department, type or language is in none of
    them."""
    if filters.departments and meta.department not in filters.departments:
        return False
    if filters.document_types and meta.document_type not in filters.document_types:
        return False
    if filters.languages and meta.language not in filters.languages:
        return False
    if filters.target_groups and meta.target_groups and not set(filters.target_groups) & set(meta.target_groups):
        return False
    return not filters.document_ids or document_id in filters.document_ids
