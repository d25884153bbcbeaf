"""POST /documents/{document_id}/retry: what could not be read is read once more, from the file that
was kept of it. For admins."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter

from rag_api.api import schemas as api
from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import DbDep, DocumentId, UserDep, WritingContainerDep
from rag_api.api.mapping import ingest_out
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.sign_in.access import Access, declared
from rag_api.audit.shown import ingested
from rag_api.db.access import administrator
from rag_api.db.documents import PgDocuments, forget_failure, get_document
from rag_api.domain import DocumentStatus
from rag_api.errors import Conflict
from rag_api.ingest.common.described.metadata import texts_of, title_from_name
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import KeptFiles, SourceFile

router = APIRouter(tags=["documents"], route_class=LimitedRoute)


@router.post(
    "/documents/{document_id}/retry",
    openapi_extra=declared(Access.INGEST),
    summary="Try again to read a document that could not be read",
    responses=responses(404, 409, 422, 503),
)
def retry_document(
    db: DbDep, container: WritingContainerDep, user: UserDep, trail: TrailDep, document_id: DocumentId
) -> api.IngestOut:
    """For admins: after LibreOffice was installed, say, or a limit raised. Reports as an upload
    does. 409 where it was read, its file is not kept any more, or an ingestion runs."""
    administrator(user)
    document = get_document(db, user, document_id)
    trail.documents([document])
    if document.status != DocumentStatus.FAILED:
        raise Conflict("This document could be read, or is not in force: there is nothing to try again.")
    name, kept = document.source, KeptFiles(container.settings.data_dir)
    path = kept.path(document.sha256, Path(name).suffix)
    if not path.is_file():
        raise Conflict(f"The file of {name} is not kept here: load it again.")
    # What was said of it beside the file still counts; its title was the file's name.
    nothing = ("", title_from_name(name))
    said = {field: text for field, text in texts_of(document.metadata).items() if text not in nothing}
    forget_failure(db, document_id)
    report = ingest(
        [SourceFile(name, path, said)],
        settings=container.settings,
        documents_repo=PgDocuments(db, user, patience=5.0, open_to=container.settings.open_to),
        store=container.store,
        embedder=container.embedder,
        readers=1,
    )
    trail.on |= ingested(report)
    return ingest_out(report)
