"""GET /audit: who asked, saw and changed what. For auditors; each reading is an entry itself."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BeforeValidator

from rag_api.api import schemas_audit as api
from rag_api.api.audited import TrailDep
from rag_api.api.deps import DbDep
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.sign_in.access import Access, declared
from rag_api.audit.entry import stamp
from rag_api.audit.reading import fields_of
from rag_api.db.audit import TrailQuery, head, read
from rag_api.errors import NotFound

router = APIRouter(tags=["audit"], route_class=LimitedRoute)

Number = Annotated[int | None, Query(ge=0, le=2**62)]


def _as_written(value: object) -> object:
    """Not a number, which would be seconds since 1970."""
    if isinstance(value, str) and not re.match(r"\d{4}-\d\d-\d\d[Tt ]", value):
        raise ValueError("a time is written as 2026-01-31T12:00:00Z")
    return value


Time = Annotated[datetime | None, BeforeValidator(_as_written), Query(description="With its zone, or in UTC.")]
Word = Annotated[str, Query(max_length=200, pattern=r"^[^\x00]*$")]


@router.get("/audit", openapi_extra=declared(Access.AUDIT), summary="Who asked, saw and changed what", responses=responses(422, 503))
def get_audit(
    db: DbDep,
    trail: TrailDep,
    after: Number = None,
    before: Number = None,
    since: Time = None,
    until: Time = None,
    user: Word = "",
    action: Word = "",
    result: Word = "",
    document: Word = "",
    request: Word = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> api.TrailOut:
    """Newest first; with `after`, oldest first from the entry behind that number. `next` is what to give as `before` (or `after`) for
    more."""
    times = {"since": stamp(since) if since else "", "until": stamp(until) if until else ""}
    words = {"user": user, "action": action, "result": result, "document": document, "request": request}
    found = read(db, TrailQuery(after=after, before=before, limit=limit, **times, **words))
    numbers = [one.sequence for one in found]
    trail.about |= {"account": user} if user else {}
    asked = {"after": after, "before": before, **times, **words, "user": bool(user)}
    trail.on |= {
        "asked": {name: value for name, value in asked.items() if value},
        "entries": [min(numbers), max(numbers)] if numbers else [],
    }
    more = numbers[-1] if len(numbers) == limit else None
    return api.TrailOut(entries=[api.EntryOut.model_validate(fields_of(one)) for one in found], next=more)


@router.get(
    "/audit/head", openapi_extra=declared(Access.AUDIT), summary="The trail's last entry, to be written down", responses=responses(404, 503)
)
def get_audit_head(db: DbDep) -> api.HeadOut:
    """Kept elsewhere, it shows later whether the trail's end was cut off: `bedside audit verify --anchor SEQUENCE:HASH`."""
    found = head(db)
    if found is None:
        raise NotFound("The trail is empty.")
    return api.HeadOut(sequence=found.sequence, hash=found.hash.hex())
