"""Documents by meaning, for who looks for one by words that its title does not hold."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from rag_api.api import schemas as api
from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import ContainerDep, UserDep
from rag_api.api.mapping import document_out
from rag_api.api.problems import responses
from rag_api.api.routes.documents import Exactly
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.sign_in.access import Access, declared
from rag_api.db.documents import DocumentQuery, list_documents
from rag_api.domain import DocumentStatus, Filters
from rag_api.retrieval.related import related

router = APIRouter(tags=["documents"], route_class=LimitedRoute)

MOST = 5
_LISTED = 200  # that hold the words: as many as the list gives at once
Words = Annotated[
    str, Query(min_length=1, max_length=200, pattern=r"^[^\x00]*\S[^\x00]*$", description="What it is about.")
]


@router.get(
    "/search",
    openapi_extra=declared(Access.READ),
    summary="Documents that are about these words and are not called so",
    responses=responses(422, 503),
)
def get_related(
    container: ContainerDep,
    user: UserDep,
    trail: TrailDep,
    search: Words,
    department: Exactly = "",
    document_type: Exactly = "",
) -> api.DocumentList:
    """By meaning, as a question's passages are found, nearest first and at most five; of what is
    valid today. What `GET /documents` finds by the same words is left out."""
    holding = DocumentQuery(search, DocumentStatus.INDEXED, _LISTED, 0, department, document_type)
    listed, _ = list_documents(container.db, user, holding)
    filters = Filters(
        departments=(department,) if department else (), document_types=(document_type,) if document_type else ()
    )
    known = [document.id for document in listed]
    found = related(search, user, filters, known, container.expander, container)[:MOST]
    trail.documents(found)
    return api.DocumentList(documents=[document_out(document) for document in found], total=len(found))
