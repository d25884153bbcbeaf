"""Accounts and the keys of machines: seen and changed by admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from rag_api.api import schemas_accounts as api
from rag_api.api.audited import TrailDep
from rag_api.api.deps import DbDep, UserDep
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.sign_in.access import Access, declared
from rag_api.api.sign_in.tokens import hashed, new_key, prefix_of
from rag_api.config import Settings
from rag_api.db.accounts import Account, change_account, list_accounts, user_of
from rag_api.db.api_keys import ApiKey, NewKey, add_key, list_keys, revoke_key

router = APIRouter(tags=["accounts"], route_class=LimitedRoute)

Identifier = Annotated[str, Path(max_length=100, pattern=r"^[0-9A-Za-z_-]+$")]


@router.get("/accounts", openapi_extra=declared(Access.ADMIN), summary="Who may sign in", responses=responses(503))
def get_accounts(request: Request, db: DbDep) -> api.AccountList:
    settings: Settings = request.app.state.settings
    return api.AccountList(accounts=[_account_out(account, settings) for account in list_accounts(db)])


@router.patch(
    "/accounts/{account_id}",
    openapi_extra=declared(Access.ADMIN),
    summary="Change somebody's roles and groups, or suspend them",
    responses=responses(400, 404, 409, 413, 422, 503),
)
def patch_account(
    request: Request, db: DbDep, user: UserDep, trail: TrailDep, account_id: Identifier, body: api.AccountIn
) -> api.AccountOut:
    """In force from the next request on. Suspended, their sessions end and their keys are revoked."""
    trail.on |= body.model_dump(mode="json", exclude_none=True)
    changed = change_account(db, user, account_id, roles=body.roles, groups=body.groups, suspended=body.suspended)
    return _account_out(changed, request.app.state.settings)


@router.get("/keys", openapi_extra=declared(Access.ADMIN), summary="The keys of machines", responses=responses(503))
def get_keys(db: DbDep, user: UserDep) -> api.KeyList:
    return api.KeyList(keys=[_key_out(key) for key in list_keys(db, user)])


@router.post(
    "/keys",
    openapi_extra=declared(Access.ADMIN),
    summary="Make a key for a machine",
    status_code=201,
    responses=responses(400, 404, 413, 422, 503),
)
def post_key(db: DbDep, user: UserDep, trail: TrailDep, body: api.KeyIn) -> api.NewKeyOut:
    """It acts as the account, within its scopes, until it expires or is revoked. Sent as `Authorization: Bearer ...`."""
    trail.about["account"] = body.user
    trail.on |= {"scopes": sorted(body.scopes), "days": body.days}
    key = new_key()
    made = add_key(db, user, NewKey(body.user, body.name, tuple(body.scopes), body.days), prefix_of(key), hashed(key))
    trail.on |= {"key": made.id}
    return api.NewKeyOut(**_key_out(made).model_dump(), key=key)


@router.delete(
    "/keys/{key_id}",
    openapi_extra=declared(Access.ADMIN),
    summary="Revoke a key",
    status_code=204,
    response_class=Response,
    responses=responses(404, 422, 503),
)
def delete_key(db: DbDep, user: UserDep, key_id: Identifier) -> None:
    """Unknown from the next request on."""
    revoke_key(db, user, key_id)


def _account_out(account: Account, settings: Settings) -> api.AccountOut:
    names = ("id", "name", "login", "issuer", "function", "department", "suspended_at", "created_at", "signed_in_at")
    return api.AccountOut(
        **{name: getattr(account, name) for name in names},
        roles=list(account.roles),
        groups=list(account.groups),
        claimed_groups=list(account.claimed_groups),
        all_roles=sorted(user_of(account, settings.roles_by_group).roles),
    )


def _key_out(key: ApiKey) -> api.KeyOut:
    return api.KeyOut.model_validate(key, from_attributes=True)
