"""An entry of the trail, made of what happened: its canonical bytes, and apart from them what is
personal, sealed by a salted digest.

Knows neither requests nor where entries are kept.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from uuid import uuid4

FORM = 1  # of entries; another when a field's meaning changes
FIRST = bytes(32)  # what stands before the first entry
SALT = 16


class Result(StrEnum):
    BEGUN = "begun"  # it is about to happen; another entry of the same request says what came of it
    SUCCESS = "success"
    REFUSED = "refused"  # to who asked
    FAILED = "failed"
    STOPPED = "stopped"  # the reader went away in the middle of it


@dataclass(frozen=True, slots=True)
class Event:
    """`who`, `about` (a person that it was done to) and `question` are personal; `on` must hold
    nothing that is."""

    action: str
    result: Result
    who: Mapping[str, Any]
    origin: str = "api"  # "api", "cli", "watch", "server"
    route: str = ""
    request: str = ""  # what the entries of one request share
    status: int = 0  # of HTTP, or the exit code of a command
    code: str = ""  # of the error
    on: Mapping[str, Any] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    question: str = ""
    id: str = field(default_factory=lambda: str(uuid4()))
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class Sealed:
    """A personal part of an entry. In the chain stands its digest only, which says nothing once the
    salt is erased."""

    part: str  # "who", "about", "question"
    salt: bytes
    body: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.salt + self.body.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Entry:
    text: str
    sealed: tuple[Sealed, ...]


def entry_of(event: Event, *, with_text: bool, buffered: bool = False) -> Entry:
    """Return what is written. `with_text`: the question itself too, not only its hash; `buffered`:
    by way of a file."""
    parts = {"who": event.who, "about": event.about, "question": _question(event.question, with_text)}
    sealed = tuple(Sealed(part, os.urandom(SALT), canonical(body)) for part, body in parts.items() if body)
    fields = {
        "form": FORM,
        "id": event.id,
        "at": stamp(event.at),
        "action": event.action,
        "result": event.result.value,
        "origin": event.origin,
        "route": event.route,
        "request": event.request,
        "status": event.status,
        "code": event.code,
        "on": dict(event.on),
        "buffered": buffered,
    }
    return Entry(canonical(fields | {one.part: one.digest for one in sealed}), sealed)


def _question(text: str, with_text: bool) -> dict[str, str]:
    if not text:
        return {}
    return {"sha256": hashlib.sha256(_storable(text).encode()).hexdigest()} | ({"text": text} if with_text else {})


def chained(previous: bytes, sequence: int, text: str) -> bytes:
    """Return an entry's hash, as the database's audit_append makes it."""
    return hashlib.sha256(previous + sequence.to_bytes(8, "big") + text.encode()).digest()


def canonical(value: Mapping[str, Any]) -> str:
    """The one way that it is written as JSON: keys in order, no white space, nothing that
    PostgreSQL cannot hold."""
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def stamp(at: datetime) -> str:
    """In UTC, of one length: in the order of time also as text."""
    try:
        at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:  # the first or the last day that there is
        at = at.replace(tzinfo=UTC)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_storable(str(name)): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(one) for one in (sorted(value) if isinstance(value, (set, frozenset)) else value)]
    if isinstance(value, datetime):
        return stamp(value)
    return _storable(value) if isinstance(value, str) else value


def _storable(text: str) -> str:
    return str(text).replace("\x00", "").encode("utf-8", "replace").decode()
