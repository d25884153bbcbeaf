"""/audit: who asked, saw and changed what, and whether the trail is as it was written. For
auditors; each reading is an entry itself."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse
from pydantic import BeforeValidator

from rag_api.api.auditing.audited import Noted, TrailDep
from rag_api.api.deps import ContainerDep, DbDep
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas import audit as api
from rag_api.api.sign_in.access import Access, declared
from rag_api.audit.entry import stamp
from rag_api.audit.export import fields_of, lines
from rag_api.audit.verify import said_of
from rag_api.db.audit import TrailQuery, Use, count, documents_called, head, last_of, people_called, read
from rag_api.errors import NotFound

router = APIRouter(tags=["audit"], route_class=LimitedRoute)

JSON_LINES = "application/jsonl"
Number = Annotated[int | None, Query(ge=0, le=2**62)]


def _as_written(value: object) -> object:
    """Not a number, which would be seconds since 1970."""
    if isinstance(value, str) and not re.match(r"\d{4}-\d\d-\d\d[Tt ]", value):
        raise ValueError("a time is written as 2026-01-31T12:00:00Z")
    return value


Time = Annotated[datetime | None, BeforeValidator(_as_written), Query(description="With its zone, or in UTC.")]
Word = Annotated[str, Query(max_length=200, pattern=r"^[^\x00]*$")]


def trail_query(
    db: DbDep,
    after: Number = None,
    before: Number = None,
    since: Time = None,
    until: Time = None,
    user: Annotated[Word, Query(description="Who did it: an account's id or login, or a part of the name.")] = "",
    action: Annotated[
        list[Word] | None, Query(max_length=100, description="Any of these, or all that begin so: `document.`")
    ] = None,
    result: Word = "",
    document: Annotated[Word, Query(description="Its id, or a part of its title or file name.")] = "",
    use: Annotated[
        Use | None,
        Query(
            description="Only answers: that quoted this `document`, that showed it among their sources, or that were "
            "refused; without one, any."
        ),
    ] = None,
    request: Word = "",
) -> TrailQuery:
    documents = documents_called(db, document) if document else ()
    return TrailQuery(
        after=after,
        before=before,
        since=stamp(since) if since else "",
        until=stamp(until) if until else "",
        users=people_called(db, user) if user else (),
        actions=tuple(filter(None, action or ())),
        result=result,
        documents=(document, *documents) if document else (),  # the words too, for one that is gone
        use=use or "",
        kept=len(documents) if document else None,
        request=request,
    )


QueryDep = Annotated[TrailQuery, Depends(trail_query)]


@router.get(
    "/audit",
    openapi_extra=declared(Access.AUDIT),
    summary="Who asked, saw and changed what",
    responses=responses(422, 503),
)
def get_audit(
    db: DbDep,
    trail: TrailDep,
    query: QueryDep,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> api.TrailOut:
    """Newest first; with `after`, oldest first from the entry behind that number. `next` is what to
    give as `before` (or `after`) for more."""
    found = read(db, replace(query, limit=limit))
    numbers = [one.sequence for one in found]
    _asked(trail, query)
    trail.on["entries"] = [min(numbers), max(numbers)] if numbers else []
    first = query.before is None and query.after is None
    fitting, acts = (first and count(db, query)) or (None, None)
    more = numbers[-1] if len(numbers) == limit else None
    return api.TrailOut(
        entries=[api.EntryOut.model_validate(fields_of(one)) for one in found],
        next=more,
        documents=query.kept,
        fitting=fitting,
        acts=acts,
    )


@router.get(
    "/audit.jsonl",
    openapi_extra=declared(Access.AUDIT),
    summary="The same as JSON lines, oldest first, all of it: for a SIEM, or to keep",
    response_class=StreamingResponse,
    responses={
        200: {"description": "A line for each entry.", "content": {JSON_LINES: {"schema": {"type": "string"}}}},
        **responses(422, 503),
    },
)
def export_audit(db: DbDep, trail: TrailDep, query: QueryDep) -> StreamingResponse:
    """Up to the last entry of now. `bedside audit export` writes the same."""
    end = head(db)
    last = min(end.sequence if end else 0, (query.before or 2**62) - 1)
    wanted = replace(query, before=last + 1)
    _asked(trail, query)
    trail.on["up_to"] = last
    name = 'attachment; filename="bedside-audit.jsonl"'
    return StreamingResponse(
        (line + "\n" for line in lines(db.with_timeout(), wanted)),
        media_type=JSON_LINES,
        headers={"Content-Disposition": name},
    )


@router.get(
    "/audit/chain",
    openapi_extra=declared(Access.AUDIT),
    summary="Up to where the trail was verified, and when",
    responses=responses(503),
)
def get_audit_chain(db: DbDep) -> api.ChainOut:
    """As the trail's own entries say, whoever verified it and by whatever way."""
    last, verified = head(db), last_of(db, "audit.verified")
    return api.ChainOut(
        head=api.HeadOut(sequence=last.sequence, hash=last.hash.hex()) if last else None,
        verified=_verified(fields_of(verified)) if verified else None,
    )


@router.post(
    "/audit/verify",
    openapi_extra=declared(Access.AUDIT),
    summary="Verify the whole trail now",
    responses=responses(409, 503),
)
def verify_audit(container: ContainerDep, trail: TrailDep) -> api.VerifiedOut:
    """Every entry is hashed anew and compared with the chain, and the chain with the anchors of
    this machine. That takes a while for a long trail. What was found is an entry, and a failed one
    where something is wrong."""
    at = datetime.now(UTC)
    found = container.trail.verify()
    trail.on |= said_of(found)
    trail.code = found.bad.why if found.bad else ""
    return _verified({"at": at, "on": trail.on})


@router.get(
    "/audit/head",
    openapi_extra=declared(Access.AUDIT),
    summary="The trail's last entry, to be written down",
    responses=responses(404, 503),
)
def get_audit_head(db: DbDep) -> api.HeadOut:
    """Kept elsewhere, it shows later whether the trail's end was cut off: `bedside audit verify
    --anchor SEQUENCE:HASH`."""
    found = head(db)
    if found is None:
        raise NotFound("The trail is empty.")
    return api.HeadOut(sequence=found.sequence, hash=found.hash.hex())


def _asked(trail: Noted, query: TrailQuery) -> None:
    """Whose entries were read is who it is about, where that is one person. What was typed is not
    kept: it may be a name."""
    unsaid = ("users", "actions", "limit", "kept")
    asked = {name: value for name, value in asdict(query).items() if value and name not in unsaid}
    action = {"action": " ".join(query.actions)} if query.actions else {}
    trail.on["asked"] = asked | action | ({"user": True} if query.users else {})
    meant = query.users[1:] or query.users
    trail.about |= {"account": meant[0]} if len(meant) == 1 else {}


def _verified(fields: dict[str, Any]) -> api.VerifiedOut:
    on = fields["on"]
    bad = api.BadOut(sequence=on["bad"], why=on.get("why", "hash")) if on.get("bad") else None
    return api.VerifiedOut(at=fields["at"], entries=on.get("entries", 0), anchors=on.get("anchors", 0), bad=bad)
