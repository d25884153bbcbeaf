"""Rights to read documents: asked and changed by admins. In force before a change is answered, in
every later version too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Query

from rag_api.api import schemas as api
from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import ContainerDep, DbDep, DocumentId, Limit, UserDep, WritingContainerDep
from rag_api.api.people import AccountFilter, matching, memberships, others, readers_of
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas.people.accounts import ColleagueList, ColleagueOut, MembershipOut, WhyOut
from rag_api.api.sign_in.access import Access, declared
from rag_api.container import Container
from rag_api.db import Database
from rag_api.db.access import may_review as reviews
from rag_api.db.access import reviewer
from rag_api.db.documents import PgDocuments, get_document
from rag_api.db.people import permissions as permitted
from rag_api.db.people.accounts import Account as Kept
from rag_api.db.people.accounts import RoleGroups, get_account, list_accounts, user_of
from rag_api.domain import EVERYONE, READERS, User
from rag_api.errors import Conflict, StoreUnavailable
from rag_api.stores import regroup

router = APIRouter(tags=["access"], route_class=LimitedRoute)

Account = Annotated[
    str, Path(max_length=100, pattern=r"^[^\x00-\x1f/]+$", description="The account, by its id or its login.")
]
Words = Annotated[str, Query(max_length=200, pattern=r"^[^\x00]*$")]
Department = Annotated[
    str, Path(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*[^\s\x00-\x1f\x85\ufeff][^\x00-\x1f]*$")
]


@router.get(
    "/documents/{document_id}/access",
    openapi_extra=declared(Access.ADMIN),
    summary="Who may read a document, and why",
    responses=responses(404, 422, 503),
)
def get_document_access(
    db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep, document_id: DocumentId
) -> api.AccessOut:
    """For admins: the groups whose members read it, and which rule says so. What an admin said
    counts before what its folder or site says, that before what its department says."""
    document = get_document(db, user, document_id)
    trail.documents([document])
    return _out(permitted.why(db, user, document, container.settings.open_to))


@router.get(
    "/documents/{document_id}/access/{account_id}",
    openapi_extra=declared(Access.ADMIN),
    summary="Why somebody sees a document, or does not",
    responses=responses(404, 422, 503),
)
def explain_access(
    db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep, document_id: DocumentId, account_id: Account
) -> WhyOut:
    """For admins: by which groups, who put them in those, and which rule gave the document to
    those. The account by its id or login."""
    document, account = get_document(db, user, document_id), get_account(db, account_id)
    trail.documents([document])
    trail.about["account"] = account.id
    through = memberships(account, document.groups)
    reader = not READERS.isdisjoint(user_of(account, container.settings.roles_by_group).roles)
    suspended = account.suspended_at is not None
    return WhyOut(
        account=account.id,
        name=account.name,
        sees=bool(through) and reader and not suspended,
        suspended=suspended,
        reader=reader,
        through=[MembershipOut(group=group, given_by=given_by) for group, given_by in through],
        access=_out(permitted.why(db, user, document, container.settings.open_to)),
    )


@router.get(
    "/documents/{document_id}/readers",
    openapi_extra=declared(Access.JUDGE),
    summary="Colleagues who may read a document",
    responses=responses(404, 422, 503),
)
def get_document_readers(
    db: DbDep,
    container: ContainerDep,
    user: UserDep,
    trail: TrailDep,
    document_id: DocumentId,
    search: Words = "",
    may_review: Annotated[bool, Query(description="Only who may say that it still holds.")] = False,
    exact: Annotated[bool, Query(description="Only whose whole id, login or name `search` is.")] = False,
    limit: Limit = 20,
) -> ColleagueList:
    """For reviewers and admins, to give a review or a question to one of them. `search` looks in
    name and login."""
    document = get_document(db, user, document_id)
    role_groups = container.settings.roles_by_group
    all_of_them = _colleagues(list_accounts(db), document.groups, search, role_groups, exact)
    found = [one for one in all_of_them if one.may_review or not may_review]
    trail.documents([document])
    trail.on["accounts"] = len(found)
    return ColleagueList(colleagues=found[:limit], total=len(found))


@router.get(
    "/colleagues",
    openapi_extra=declared(Access.JUDGE),
    summary="Colleagues who may read here",
    responses=responses(404, 422, 503),
)
def get_colleagues(
    db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep, search: Words = "", limit: Limit = 20
) -> ColleagueList:
    """For reviewers and admins, to give a question to one of them. `search` looks in name and
    login."""
    reviewer(user)
    role_groups = container.settings.roles_by_group
    found = _colleagues(list_accounts(db), EVERYONE, search, role_groups)
    trail.on["accounts"] = len(found)
    return ColleagueList(colleagues=found[:limit], total=len(found))


@router.put(
    "/documents/{document_id}/access",
    openapi_extra=declared(Access.ADMIN),
    summary="Say who may read a document",
    responses=responses(400, 404, 409, 413, 422, 503),
)
def put_document_access(
    db: DbDep,
    container: WritingContainerDep,
    user: UserDep,
    trail: TrailDep,
    document_id: DocumentId,
    body: api.AccessIn,
) -> api.AccessOut:
    """For admins. In force when this answers: in lists, files, answers and the index, and in later
    versions of the document. An admin who takes it from their own groups no longer sees it, and is
    refused (`no_way_back`) where nobody else could give it back."""
    document = get_document(db, user, document_id)
    trail.documents([document])
    trail.on |= {"groups": body.groups, "groups_before": list(document.groups)}
    permitted.permit_document(
        db,
        user,
        document_id,
        body.groups,
        container.settings.open_to,
        others(db, user, container.settings.roles_by_group),
    )
    _bring_index_after(db, container, user)
    return _out(permitted.why(db, user, document, container.settings.open_to))


@router.get(
    "/department-access",
    openapi_extra=declared(Access.ADMIN),
    summary="Who may read the documents of departments",
    responses=responses(404, 503),
)
def list_department_access(db: DbDep, user: UserDep) -> api.DepartmentAccessList:
    """For admins: departments of which something is said."""
    said = permitted.departments(db, user)
    return api.DepartmentAccessList(
        departments=[api.DepartmentAccessOut(department=name, **_out(one).model_dump()) for name, one in said.items()]
    )


@router.put(
    "/department-access/{department:path}",
    openapi_extra=declared(Access.ADMIN),
    summary="Say who may read a department's documents",
    responses=responses(400, 404, 409, 422, 503),
)
def put_department_access(
    db: DbDep,
    container: WritingContainerDep,
    user: UserDep,
    trail: TrailDep,
    department: Department,
    body: api.AccessIn,
) -> api.DepartmentAccessList:
    """For admins; of documents of which nothing else is said. Null takes it back."""
    before = permitted.departments(db, user).get(department.strip().lower())
    trail.on |= {"groups": body.groups, "groups_before": list(before.groups) if before else None}
    permitted.permit_department(
        db,
        user,
        department,
        body.groups,
        container.settings.open_to,
        others(db, user, container.settings.roles_by_group),
    )
    _bring_index_after(db, container, user)
    return list_department_access(db, user)


def _bring_index_after(db: Database, container: Container, user: User) -> None:
    """While documents are being loaded, or while the index is away, the next loading does it; until
    then the list decides, which knows already."""
    try:
        with PgDocuments(db, user, patience=0.05).lock():
            permitted.catch_up(db, lambda document_id, groups: regroup(container.store, document_id, groups))
    except (Conflict, StoreUnavailable):
        return


def _colleagues(
    accounts: Sequence[Kept], groups: Sequence[str], search: str, role_groups: RoleGroups, exact: bool = False
) -> list[ColleagueOut]:
    """Return who reads what these groups read, of those that fit the search; exact: that it names,
    as `account_that_reads` has it."""
    words = search.strip().lower()
    fitting = {
        one.id
        for one in matching(accounts, AccountFilter(search), role_groups)
        if not exact or words in (one.id.lower(), one.login, one.name.lower())
    }
    return [
        ColleagueOut(name=one.name, called=called, may_review=reviews(who))
        for one, who, called in readers_of(accounts, groups, role_groups)
        if one.id in fitting
    ]


def _out(permission: permitted.Permission) -> api.AccessOut:
    return api.AccessOut(
        groups=list(permission.groups),
        said_by=permission.said_by,
        user_id=permission.user_id,
        user_name=permission.user_name,
        said_at=permission.said_at,
    )
