"""Sessions (who am I, sign in, sign out): with a password, or by way of the OpenID provider."""

from __future__ import annotations

import logging
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import DbDep, MetricsDep, UserDep
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute
from rag_api.api.schemas.people import accounts as api
from rag_api.api.sign_in import cookies, passwords
from rag_api.api.sign_in.access import Access, declared
from rag_api.api.sign_in.identity import Identity, identify
from rag_api.api.sign_in.oidc import Provider
from rag_api.api.sign_in.tokens import hashed, new_token
from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.people.accounts import get_account, login_of, signed_in_with, user_of
from rag_api.db.people.sessions import MINUTES, end_session, returned, start_session, start_sign_in
from rag_api.errors import BedsideError, NotAllowed, NotFound

log = logging.getLogger(__name__)

router = APIRouter(tags=["session"], route_class=LimitedRoute)

ReturnTo = Annotated[str, Query(max_length=500, description="A path of the page.")]
Text = Annotated[str | None, Query(max_length=4000)]


@router.get(
    "/session",
    openapi_extra=declared(Access.ANONYMOUS, unattended=True),
    summary="Who is signed in, and how one does",
    responses=responses(503),
)
def get_session(request: Request) -> api.SessionOut:
    """Keeps no session alive: the page may ask as often as it likes."""
    identity = identify(request, used=False)
    return _session_out(request, identity)


@router.post(
    "/session",
    openapi_extra=declared(Access.ANONYMOUS),
    summary="Sign in with a password",
    responses=responses(400, 401, 403, 404, 413, 422, 429, 503),
)
def sign_in(
    request: Request, response: Response, db: DbDep, trail: TrailDep, metrics: MetricsDep, body: api.SignInIn
) -> api.SessionOut:
    """Where accounts have passwords (`sign_in` is `local`). The cookie that comes back is the
    session."""
    settings: Settings = request.app.state.settings
    if settings.sign_in != "local":
        raise NotFound("Nobody signs in with a password here.")
    if known := login_of(db, body.login):  # a name that is none may be a password in the wrong field
        trail.about["account"] = known.account_id
    try:
        account_id = passwords.sign_in(db, body.login, body.password)
    except BedsideError as error:
        metrics.sign_in_failed(error.code)
        raise
    _new_session(request, response, db, account_id)
    user = trail.user = user_of(get_account(db, account_id), settings.roles_by_group)
    return _session_out(request, Identity(user, settings.session_idle_minutes * 60))


@router.delete("/session", openapi_extra=declared(Access.ANONYMOUS), summary="Sign out", responses=responses(503))
def sign_out(request: Request, response: Response, trail: TrailDep) -> api.SignedOut:
    """The session ends here, also when the provider does not answer. Who is not signed in is signed
    out already."""
    settings: Settings = request.app.state.settings
    token = cookies.read(request, cookies.SESSION)
    if settings.sign_in == "off" or not token:
        return api.SignedOut()
    identity = identify(request, used=False)
    trail.user = identity.user if identity else None
    id_token = end_session(request.app.state.container.db, hashed(token))
    cookies.remove(response, settings, cookies.SESSION)
    return api.SignedOut(go_to=_provider(request).sign_out_url(id_token) if settings.sign_in == "oidc" else None)


@router.post(
    "/session/used",
    openapi_extra=declared(Access.SIGNED_IN),
    summary="The person is still there",
    status_code=204,
    response_class=Response,
    responses=responses(503),
)
def keep_session(user: UserDep) -> None:
    """Begins the session's time without use anew, as every request does that a person causes."""


@router.get(
    "/sign-in",
    openapi_extra=declared(Access.ANONYMOUS),
    summary="Sign in with the OpenID provider",
    status_code=303,
    response_class=RedirectResponse,
    responses=responses(404, 422, 503),
)
def begin_sign_in(request: Request, db: DbDep, return_to: ReturnTo = "/") -> RedirectResponse:
    url, state, started = _provider(request).begin(_path(return_to))
    browser, settings = new_token(), request.app.state.settings
    start_sign_in(db, hashed(state), hashed(browser), started)
    response = RedirectResponse(url, 303)
    cookies.put(response, settings, cookies.BROWSER, browser, MINUTES * 60)
    return response


@router.get(
    "/sign-in/callback",
    openapi_extra=declared(Access.ANONYMOUS),
    summary="Where the OpenID provider sends the browser back to",
    status_code=303,
    response_class=RedirectResponse,
    responses=responses(404, 422),
)
def finish_sign_in(
    request: Request,
    db: DbDep,
    trail: TrailDep,
    metrics: MetricsDep,
    code: Text = None,
    state: Text = None,
    iss: Text = None,
) -> RedirectResponse:
    """To the page: signed in, or with `sign-in-failed` and the error's code."""
    provider, settings = _provider(request), request.app.state.settings
    try:
        started = returned(db, hashed(state or ""), hashed(cookies.read(request, cookies.BROWSER)))
        if started is None or code is None:
            raise NotAllowed("This sign-in was not begun in this browser, took too long, or was broken off.")
        signed_in = provider.finish(code, iss, started)
        account_id = signed_in_with(db, signed_in.claims, settings.oidc_new_accounts)
    except BedsideError as error:
        log.warning("A sign-in failed: %s", error.message)
        metrics.sign_in_failed(error.code)
        trail.code = error.code
        response = RedirectResponse(f"/?sign-in-failed={error.code}", 303)
    else:
        response = RedirectResponse(started.return_to, 303)
        _new_session(request, response, db, account_id, signed_in.id_token)
        trail.user = user_of(get_account(db, account_id), settings.roles_by_group)
    cookies.remove(response, settings, cookies.BROWSER)
    return response


def _new_session(
    request: Request, response: Response, db: Database, account_id: str, id_token: str | None = None
) -> None:
    """Always with a token of its own; the one that the browser came with ends, whoever put it
    there."""
    settings: Settings = request.app.state.settings
    if old := cookies.read(request, cookies.SESSION):
        end_session(db, hashed(old))
    token = new_token()
    start_session(db, hashed(token), account_id, settings.session_hours, id_token)
    cookies.put(response, settings, cookies.SESSION, token, settings.session_hours * 3600)


def _provider(request: Request) -> Provider:
    provider: Provider | None = request.app.state.provider
    if provider is None:
        raise NotFound("Nobody signs in with a provider here.")
    return provider


def _path(given: str) -> str:
    """Within the page: never another site's."""
    safe = given.startswith("/") and not given.startswith(("//", "/\\")) and given.isprintable() and "\\" not in given
    return given if safe else "/"


def _session_out(request: Request, identity: Identity | None) -> api.SessionOut:
    settings: Settings = request.app.state.settings
    idle = round(settings.session_idle_minutes * 60)
    if identity is None:  # told too: who comes back after that long reads why they are asked to sign in again
        return api.SessionOut(sign_in=settings.sign_in, idle_seconds=None if settings.sign_in == "off" else idle)
    user, left = identity.user, identity.seconds_left
    return api.SessionOut(
        sign_in=settings.sign_in,
        user=api.Me(
            id=user.id,
            name=user.name,
            roles=sorted(user.roles),
            groups=list(user.groups),
            function=user.function,
            department=user.department,
        ),
        idle_seconds=None if left is None else idle,
        seconds_left=None if left is None else int(left),
        written_answers=request.app.state.container.offers_writing,
        hands_free=settings.hands_free,
        pack=api.PackOut(**settings.pack.model_dump()) if settings.pack else None,
    )
