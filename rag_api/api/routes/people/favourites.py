"""The documents that somebody keeps at hand: theirs alone, on every device."""

from __future__ import annotations

from fastapi import APIRouter, Response

from rag_api.api import schemas as api
from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import DbDep, DocumentId, UserDep
from rag_api.api.mapping import document_out
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.sign_in.access import Access, declared
from rag_api.db.favourites import keep, let_go, list_favourites

router = APIRouter(tags=["favourites"], route_class=LimitedRoute)


@router.get(
    "/favourites", openapi_extra=declared(Access.READ), summary="The documents that you keep at hand", responses=responses(503)
)  # fmt: skip
def get_favourites(db: DbDep, user: UserDep, trail: TrailDep) -> api.DocumentList:
    """What counts now of each; the one you kept last comes first."""
    found = list_favourites(db, user)
    trail.documents(found)
    return api.DocumentList(documents=[document_out(document) for document in found], total=len(found))


@router.put(
    "/favourites/{document_id}",
    openapi_extra=declared(Access.READ),
    summary="Keep a document at hand",
    status_code=204,
    response_class=Response,
    responses=responses(404, 422, 503),
)
def keep_favourite(db: DbDep, user: UserDep, document_id: DocumentId) -> None:
    """With its later versions."""
    keep(db, user, document_id)


@router.delete(
    "/favourites/{document_id}",
    openapi_extra=declared(Access.READ),
    summary="Keep a document at hand no longer",
    status_code=204,
    response_class=Response,
    responses=responses(404, 422, 503),
)
def delete_favourite(db: DbDep, user: UserDep, document_id: DocumentId) -> None:
    let_go(db, user, document_id)
