"""Webhooks: kept, tried and looked after by admins."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Response

from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import ContainerDep, DbDep, UserDep, Uuid
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas import webhooks as api
from rag_api.api.sign_in.access import Access, declared
from rag_api.db import webhooks as kept
from rag_api.notify.webhook import check_url, key_in, new_secret

router = APIRouter(tags=["webhooks"], route_class=LimitedRoute)


@router.get(
    "/webhooks",
    openapi_extra=declared(Access.ADMIN),
    summary="Where changes of documents are told",
    responses=responses(404, 503),
)
def list_webhooks(db: DbDep, user: UserDep) -> api.WebhookList:
    """For admins: those that tell of nothing that you may not read yourself."""
    return api.WebhookList(webhooks=[api.WebhookOut(**asdict(one)) for one in kept.list_webhooks(db, user)])


@router.post(
    "/webhooks",
    openapi_extra=declared(Access.ADMIN),
    summary="Tell changes of documents to another system",
    status_code=201,
    responses=responses(400, 404, 413, 422, 503),
)
def add_webhook(
    db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep, body: api.WebhookIn
) -> api.NewWebhookOut:
    """For admins. It hears of documents that your groups may read: loaded, in a new version,
    withdrawn, expired. Names, titles and days are sent, never a document's text."""
    check_url(body.url, container.settings.webhook_http)
    secret = body.secret or new_secret()
    key_in(secret)
    webhook_id = kept.add_webhook(db, user, body.url, secret)
    trail.on |= {"webhook": webhook_id, "url": body.url}
    return api.NewWebhookOut(id=webhook_id, secret=secret)


@router.delete(
    "/webhooks/{webhook_id}",
    openapi_extra=declared(Access.ADMIN),
    summary="Tell a system nothing any more",
    status_code=204,
    response_class=Response,
    responses=responses(404, 422, 503),
)
def delete_webhook(db: DbDep, user: UserDep, webhook_id: Uuid) -> None:
    """For admins. What waits for it is not sent any more."""
    kept.delete_webhook(db, user, webhook_id)


@router.get(
    "/webhooks/{webhook_id}/deliveries",
    openapi_extra=declared(Access.ADMIN),
    summary="What a webhook was told",
    responses=responses(404, 422, 503),
)
def get_deliveries(db: DbDep, user: UserDep, webhook_id: Uuid) -> api.DeliveryList:
    """For admins: the latest fifty. What was delivered is kept for thirty days."""
    return api.DeliveryList(
        deliveries=[api.DeliveryOut(**asdict(one)) for one in kept.deliveries_of(db, user, webhook_id)]
    )


@router.post(
    "/webhooks/{webhook_id}/test",
    openapi_extra=declared(Access.ADMIN),
    summary="Send a test to a webhook",
    status_code=202,
    responses=responses(404, 422, 503),
)
def send_test(db: DbDep, user: UserDep, webhook_id: Uuid) -> api.DeliveryList:
    """For admins. It goes as any message does, within seconds; the deliveries say what came of
    it."""
    kept.put_test(db, user, webhook_id)
    return get_deliveries(db, user, webhook_id)
