"""The two cookies: the session's, and one that binds a sign-in at the provider to the browser that
began it."""

from __future__ import annotations

from fastapi import Request, Response

from rag_api.config import Settings

SESSION, BROWSER = "bedside_session", "bedside_sign_in"


def name_of(cookie: str, settings: Settings) -> str:
    """With TLS, `__Host-`: no other host of the domain can set it."""
    return f"__Host-{cookie}" if settings.has_tls else cookie


def read(request: Request, cookie: str) -> str:
    return request.cookies.get(name_of(cookie, request.app.state.settings), "")


def put(response: Response, settings: Settings, cookie: str, token: str, seconds: float) -> None:
    response.set_cookie(
        name_of(cookie, settings),
        token,
        max_age=int(seconds),
        path="/",
        secure=settings.has_tls,
        httponly=True,
        samesite="lax",
    )


def remove(response: Response, settings: Settings, cookie: str) -> None:
    response.delete_cookie(name_of(cookie, settings), path="/", secure=settings.has_tls, httponly=True, samesite="lax")
