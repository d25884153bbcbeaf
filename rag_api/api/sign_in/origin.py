"""Another site must not act in the name of who is signed in: what changes something comes from our
own page, or shows a key."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request

from rag_api.config import Settings
from rag_api.errors import NotAllowed

SAFE = {"GET", "HEAD", "OPTIONS"}


def own_origin(request: Request, settings: Settings) -> None:
    """Raises NotAllowed. Browsers name the origin on all that is not safe; where sign-in is off,
    only a foreign one is refused."""
    if request.method in SAFE or "authorization" in request.headers:
        return
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if origin is None:
        allowed = site in ("same-origin", "none") or (settings.sign_in == "off" and site is None)
    else:
        allowed = _same(origin, request, settings)
    if not allowed:
        raise NotAllowed("This came from another site than Bedside's own page, or does not say from where.")


def _same(origin: str, request: Request, settings: Settings) -> bool:
    if settings.public_url:
        return origin.rstrip("/").lower() == settings.public_url.rstrip("/").lower()
    return urlsplit(origin).netloc.lower() == request.headers.get("host", "").lower()
