"""An entry as people and a SIEM read it: one flat object with stable names, personal parts opened
where they are not erased."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rag_api.db import Database
from rag_api.db.audit import Stored, TrailQuery, stream
from rag_api.domain import AnswerStatus

PARTS = ("who", "about", "question")


def fields_of(one: Stored) -> dict[str, Any]:
    """`erased`: the parts that it had and lost. Of an answer each document says its `use`; accounts
    that there still are have their logins, and those that it was done to their names."""
    said = json.loads(one.text)
    on = said["on"]
    if "cited" in on and "documents" in on:
        quoted = {place.get("id") for place in on["cited"]}
        rest = "refused" if on.get("status") == AnswerStatus.NOT_FOUND else "shown"
        on["documents"] = [{**d, "use": "quoted" if d.get("id") in quoted else rest} for d in on["documents"]]
    parts = {part: one.people.get(part, {}) | json.loads(one.sealed[part][1]) for part in PARTS if part in one.sealed}
    erased = [part for part in PARTS if part in said and part not in parts]
    kept = {name: value for name, value in said.items() if name not in PARTS}
    return {"sequence": one.sequence, **kept, **parts, "erased": erased, "hash": one.hash.hex()}


def lines(db: Database, query: TrailQuery) -> Iterator[str]:
    """JSON lines, oldest first, after `query.after`."""
    for one in stream(db, query):
        yield json.dumps(fields_of(one), ensure_ascii=False)
