"""Webhooks, and what was told them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from rag_api.api.schemas.base import In, Words


class WebhookIn(In):
    url: Annotated[Words, Field(min_length=8, max_length=2000, pattern=r"^https?://[^\s\x00-\x1f]+$")] = Field(
        description="Where changes are told by POST: over https, unless `BEDSIDE_WEBHOOK_HTTP` allows http.",
        examples=["https://system.hospital.example/bedside"],
    )
    secret: Annotated[Words, Field(max_length=200, pattern=r"^[\x21-\x7e]*$")] = Field(
        "", description="Signs what is sent; at least 24 characters, or `whsec_` and base64. Empty: Bedside makes one."
    )


class WebhookOut(BaseModel):
    id: str
    url: str
    created_at: datetime
    waiting: int = Field(description="Messages that are still to be delivered.")
    failed: int = Field(description="Messages that were given up: after a week of tries, or the receiver said 410.")
    last_sent_at: datetime | None
    problem: str = Field(description="Why the last try failed; empty: it did not.")


class WebhookList(BaseModel):
    webhooks: list[WebhookOut]


class NewWebhookOut(BaseModel):
    id: str
    secret: str = Field(description="Shown this once.")


class DeliveryOut(BaseModel):
    id: int = Field(description="In the header `webhook-id`, after `msg_`: the same at each try.")
    event: Literal["document.indexed", "document.new_version", "document.withdrawn", "document.expired", "test"]
    document: str = Field(description="The name it was ingested under.")
    created_at: datetime
    tries: int
    next_at: datetime | None = Field(description="Of the next try, where one is to come.")
    sent_at: datetime | None
    failed_at: datetime | None
    problem: str = Field(description="Why the last try failed.")


class DeliveryList(BaseModel):
    deliveries: list[DeliveryOut] = Field(description="The latest first.")
