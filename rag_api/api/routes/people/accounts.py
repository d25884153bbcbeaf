"""Accounts: made, found and changed by admins. Those of an OpenID provider make themselves at their
first sign-in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import AccountId, DbDep, Limit, Offset, UserDep
from rag_api.api.people import AccountFilter, matching, readers_by_group
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas.people import accounts as api
from rag_api.api.sign_in.access import Access, declared
from rag_api.api.sign_in.passwords import hash_password
from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.people.accounts import (
    Account,
    add_account,
    change_account,
    changed_of,
    get_account,
    list_accounts,
    set_password,
    user_of,
)
from rag_api.db.people.permissions import operator
from rag_api.db.people.sessions import end_sessions, live_sessions
from rag_api.domain import Role
from rag_api.errors import InvalidInput

router = APIRouter(tags=["accounts"], route_class=LimitedRoute)

Words = Annotated[str, Query(max_length=200, pattern=r"^[^\x00]*$")]


@router.get("/accounts", openapi_extra=declared(Access.ADMIN), summary="Who may sign in", responses=responses(422, 503))
def get_accounts(
    request: Request,
    db: DbDep,
    search: Words = "",
    role: Role | None = None,
    group: Words = "",
    suspended: bool | None = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> api.AccountList:
    """By name. `search` looks in name and login; `role` counts those that follow from groups."""
    settings: Settings = request.app.state.settings
    everyone = list_accounts(db)
    found = matching(everyone, AccountFilter(search, role, group, suspended), settings.roles_by_group)
    sessions = live_sessions(db, settings.session_idle_minutes * 60)
    return api.AccountList(
        accounts=[
            _account_out(account, settings, sessions.get(account.id, 0)) for account in found[offset : offset + limit]
        ],
        total=len(found),
        groups=list(readers_by_group(everyone, operator(db).groups, settings.roles_by_group)),
    )


@router.get("/groups", openapi_extra=declared(Access.ADMIN), summary="Which groups there are", responses=responses(503))
def get_groups(request: Request, db: DbDep) -> api.GroupList:
    """All that an account is in, a document is for, or the settings name. A group of an OpenID
    provider is known from the first sign-in of one of its members on."""
    settings: Settings = request.app.state.settings
    found = readers_by_group(list_accounts(db), operator(db).groups, settings.roles_by_group)
    return api.GroupList(groups=[api.GroupOut(name=name, readers=readers) for name, readers in found.items()])


@router.post(
    "/accounts",
    openapi_extra=declared(Access.ADMIN),
    summary="Make a local account, or one for a machine",
    status_code=201,
    responses=responses(400, 404, 409, 413, 422, 503),
)
def post_account(request: Request, db: DbDep, user: UserDep, trail: TrailDep, body: api.NewAccountIn) -> api.AccountOut:
    """With a password a person signs in here; without one it acts by keys only. Groups, and roles
    that you do not have, are for the role `membership_admin` to give."""
    settings: Settings = request.app.state.settings
    trail.about["account"] = body.login
    trail.on |= {"roles": sorted(body.roles), "groups": body.groups, "machine": body.password is None}
    trail.on |= {name: said for name in ("function", "department") if (said := getattr(body, name))}
    if body.password is not None and settings.sign_in == "oidc":
        raise InvalidInput(
            "People sign in with the provider here, where their accounts are made; a machine's account has no password."
        )
    password = None if body.password is None else hash_password(body.password)
    trail.about["account"] = made = add_account(
        db, user, body.name.strip(), body.login, password, body.roles, body.groups, body.function, body.department
    )
    return _one(db, settings, made)


@router.patch(
    "/accounts/{account_id}",
    openapi_extra=declared(Access.ADMIN),
    summary="Change what somebody is and may do, or suspend them",
    responses=responses(400, 404, 409, 413, 422, 503),
)
def patch_account(
    request: Request, db: DbDep, user: UserDep, trail: TrailDep, account_id: AccountId, body: api.AccountIn
) -> api.AccountOut:
    """In force from the next request on. Suspended, their sessions end and their keys are revoked.
    Groups, and roles that you do not have, are for the role `membership_admin` to give and take
    (403); nobody gives them to themselves."""
    trail.on |= body.model_dump(mode="json", exclude_none=True)
    before, after = change_account(db, user, account_id, **body.model_dump())
    trail.on |= changed_of(before, after)
    return _one(db, request.app.state.settings, account_id)


@router.put(
    "/accounts/{account_id}/password",
    openapi_extra=declared(Access.ADMIN),
    summary="Set the password of a local account",
    status_code=204,
    response_class=Response,
    responses=responses(400, 404, 413, 422, 503),
)
def put_password(db: DbDep, user: UserDep, account_id: AccountId, body: api.PasswordIn) -> None:
    """Their sessions end. Not for an account of the provider, nor for a machine's
    (`machine_account`), which acts by keys only. Who is no `membership_admin` sets it of accounts
    whose groups and roles they have themselves."""
    set_password(db, user, account_id, hash_password(body.password))


@router.delete(
    "/accounts/{account_id}/sessions",
    openapi_extra=declared(Access.ADMIN),
    summary="Sign somebody out everywhere",
    responses=responses(404, 422, 503),
)
def delete_sessions(db: DbDep, user: UserDep, trail: TrailDep, account_id: AccountId) -> api.EndedOut:
    """From the next request on. They may sign in again: to keep them out, suspend them."""
    ended = end_sessions(db, user, account_id)
    trail.on["sessions"] = ended
    return api.EndedOut(sessions=ended)


def _one(db: Database, settings: Settings, account_id: str) -> api.AccountOut:
    sessions = live_sessions(db, settings.session_idle_minutes * 60)
    return _account_out(get_account(db, account_id), settings, sessions.get(account_id, 0))


def _account_out(account: Account, settings: Settings, sessions: int) -> api.AccountOut:
    names = ("id", "name", "login", "issuer", "function", "department", "suspended_at", "created_at", "signed_in_at")
    return api.AccountOut(
        **{name: getattr(account, name) for name in names},
        signs_in="provider" if account.issuer else "password" if account.has_password else "keys",
        roles=list(account.roles),
        groups=list(account.groups),
        claimed_groups=list(account.claimed_groups),
        all_roles=sorted(user_of(account, settings.roles_by_group).roles),
        sessions=sessions,
    )
