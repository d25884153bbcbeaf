"""The keys of machines: made, listed and revoked by admins."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Response

from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import AccountId, DbDep, UserDep
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas.people import accounts as api
from rag_api.api.sign_in.access import Access, declared
from rag_api.api.sign_in.tokens import hashed, new_key, prefix_of
from rag_api.db.people.accounts import Account, get_account, list_accounts
from rag_api.db.people.api_keys import ApiKey, NewKey, add_key, list_keys, revoke_key

router = APIRouter(tags=["accounts"], route_class=LimitedRoute)


@router.get("/keys", openapi_extra=declared(Access.ADMIN), summary="The keys of machines", responses=responses(503))
def get_keys(db: DbDep, user: UserDep) -> api.KeyList:
    accounts = {account.id: account for account in list_accounts(db)}
    return api.KeyList(keys=[_key_out(key, accounts[key.user_id]) for key in list_keys(db, user)])


@router.post(
    "/keys",
    openapi_extra=declared(Access.ADMIN),
    summary="Make a key for a machine",
    status_code=201,
    responses=responses(400, 404, 413, 422, 503),
)
def post_key(db: DbDep, user: UserDep, trail: TrailDep, body: api.KeyIn) -> api.NewKeyOut:
    """It acts as the account, within its scopes, until it expires or is revoked. Sent as
    `Authorization: Bearer ...`. 403 where the account has a group or role that you do not have."""
    trail.about["account"] = body.user
    trail.on |= {"scopes": sorted(body.scopes), "days": body.days}
    key = new_key()
    made = add_key(db, user, NewKey(body.user, body.name, tuple(body.scopes), body.days), prefix_of(key), hashed(key))
    trail.on |= {"key": made.id}
    return api.NewKeyOut(**_key_out(made, get_account(db, made.user_id)).model_dump(), key=key)


@router.delete(
    "/keys/{key_id}",
    openapi_extra=declared(Access.ADMIN),
    summary="Revoke a key",
    status_code=204,
    response_class=Response,
    responses=responses(404, 422, 503),
)
def delete_key(db: DbDep, user: UserDep, key_id: AccountId) -> None:
    """Unknown from the next request on."""
    revoke_key(db, user, key_id)


def _key_out(key: ApiKey, account: Account) -> api.KeyOut:
    return api.KeyOut(**asdict(key), account=account.login or account.name)
