"""Identity of who asks: the one way from a request to a user, for sessions and keys, and the check
that stands before every route."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import unquote

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from rag_api.api.server.watch import THREADS
from rag_api.api.sign_in import cookies
from rag_api.api.sign_in.access import Access
from rag_api.api.sign_in.origin import own_origin
from rag_api.api.sign_in.tokens import hashed
from rag_api.config import Settings
from rag_api.db.people.accounts import user_of
from rag_api.db.people.api_keys import account_of_key
from rag_api.db.people.sessions import session_of
from rag_api.domain import LOCAL_USER, Role, User
from rag_api.errors import NotAllowed, NotSignedIn

# Who opened a downtime pack reads what is in it; there is nothing to manage.
PACK_USER = replace(LOCAL_USER, id="pack", name="", roles=frozenset({Role.READER}))
_UNKNOWN = (
    'Sign in first, or send "Authorization: Bearer KEY" with a key that holds: there is no session or key, or '
    "it has ended."
)


@dataclass(frozen=True, slots=True)
class Identity:
    user: User
    seconds_left: float | None = None  # of the session; None: it is not one


async def admit(request: Request, access: Access, unattended: bool, own_threads: bool = False) -> None:
    """Raises NotSignedIn and NotAllowed; the user is then known to the route, and to whatever looks
    on (`request.state.user`)."""
    settings: Settings = request.app.state.settings
    own_origin(request, settings)
    if access is Access.ANONYMOUS:
        return
    if settings.sign_in == "off":  # nothing is looked up
        identity = identify(request, not unattended)
    elif own_threads:
        identity = await asyncio.get_running_loop().run_in_executor(THREADS, identify, request, not unattended)
    else:
        identity = await run_in_threadpool(identify, request, not unattended)
    if identity is None:
        raise NotSignedIn(_UNKNOWN)
    request.state.user = identity.user
    if not access.allows(identity.user):
        raise NotAllowed(access.lacking(identity.user))


def identify(request: Request, used: bool) -> Identity | None:
    """Return who asks; None when nobody known does. A key that is shown counts, also one that is
    none: nothing else is then looked at."""
    settings: Settings = request.app.state.settings
    if settings.sign_in == "off":
        return Identity(_asker(LOCAL_USER if settings.pack is None else PACK_USER, request))
    db = request.app.state.container.db
    if shown := request.headers.get("authorization"):
        scheme, _, key = shown.partition(" ")
        known = account_of_key(db, hashed(key.strip())) if scheme.lower() == "bearer" else None
        return (
            Identity(replace(user_of(known[0], settings.roles_by_group), scopes=known[1], key_id=known[2]))
            if known
            else None
        )
    token = cookies.read(request, cookies.SESSION)
    session = session_of(db, hashed(token), settings.session_idle_minutes * 60, used) if token else None
    if session is None:
        return None
    return Identity(_asker(user_of(session.account, settings.roles_by_group), request), session.seconds_left)


def counted_by(request: Request) -> Literal["address", "key", "user"]:
    """Return by what requests are counted: where nobody signs in there are only addresses."""
    settings: Settings = request.app.state.settings
    if settings.sign_in == "off":
        return "address"
    return "key" if request.headers.get("authorization") else "user"


def whose(request: Request) -> str:
    """Return whose requests these are, for counting: a key's, a person's, or where nobody signs in
    an address's."""
    kind = counted_by(request)
    if kind == "address":
        return f"{kind} {request.client.host if request.client else ''}"
    if kind == "key":
        return f"{kind} {hashed(request.headers['authorization'].partition(' ')[2].strip()).hex()}"
    return f"{kind} {request.state.user.id}"


def _asker(user: User, request: Request) -> User:
    """With the function and department that a proxy's headers name, where the settings say which
    headers those are."""
    settings: Settings = request.app.state.settings
    function, department = _header(request, settings.function_header), _header(request, settings.department_header)
    return replace(user, function=function or user.function, department=department or user.department)


def _header(request: Request, name: str | None) -> str:
    """As text: headers carry Latin-1, or UTF-8 that was percent-encoded."""
    given = unquote(request.headers.get(name, "")) if name else ""
    return "".join(character for character in given if character.isprintable())[:200].strip()
