"""Files in, chunks in the index and rows in the documents list: read -> clean -> chunk -> embed -> index.

This package knows nothing of SQL or HTTP: the documents list is a `DocumentsRepo` (rag_api/db/documents.py in Postgres,
`MemoryDocuments` in memory), the index a `Store`.
"""

from __future__ import annotations

from rag_api.ingest.repo import DocumentsRepo

__all__ = ["DocumentsRepo"]
