"""Files in, chunks in the index and rows in the documents list: read -> clean -> chunk -> embed ->
index.

This package knows nothing of SQL or HTTP: the documents list is a `DocumentsRepo`
(rag_api/db/documents.py in Postgres, `MemoryDocuments` in memory), the index a `Store`.

Interrupted at any moment, the next run repairs what is half done. A document's chunks go into the
store first, under an id that follows from its content; then its row is committed; then the chunks
it replaces go. So chunks without a current row are leftovers to delete, and rows without chunks are
documents to index again. Until then, whoever searches drops hits whose document is not current.
"""
