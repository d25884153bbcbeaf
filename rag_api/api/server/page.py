"""The built page, served by rag_api where no nginx does it, and the headers that every response
carries."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Sequence
from pathlib import Path

from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag_api.api.outcome import Observer, RequestOutcome, client_of
from rag_api.api.problems import internal_error
from rag_api.api.server.metrics import Metrics
from services.contract import request_ids, traces

log = logging.getLogger(__name__)

# pdf.js needs its wasm decoders ('wasm-unsafe-eval') and images from blobs; nothing else may run or
# load.
PAGE_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self' data: blob:",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
API_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


def web_dir(configured: Path | None) -> Path | None:
    """The folder of the built page, or None when there is none."""
    folder = configured or Path(__file__).resolve().parents[3] / "web" / "dist"
    return folder if (folder / "index.html").is_file() else None


# The page's own addresses, as web/src/state/window/route.ts has them; nginx holds the same pattern.
ADDRESSES = (
    r"^/((c|d|a)/[^/]+|admin/(documents|accounts|keys|owners|webhooks)|quality/(reviews|session|sets|gaps|usage)"
    r"|audit/trail|procedures|history|inbox)?/?$"
)

PAGES = ("docs",)  # beside it, each a folder of its own


class WebPage:
    """What the API does not know is an address of the page, which routes by it, or one of its
    files. Anything else is not there: a browser that goes there gets the page, which says so, and
    any other client a problem."""

    def __init__(self, folder: Path) -> None:
        self.files = StaticFiles(directory=folder)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or scope.get("root_path", ""):
            raise HTTPException(404, f"There is no {scope.get('path', 'such thing')}.")
        path = scope["path"].lstrip("/")
        if (page := path.rstrip("/")) in PAGES:
            return await (await self._file(f"{page}/index.html", scope))(scope, receive, send)
        is_address = re.match(ADDRESSES, scope["path"]) is not None
        is_file = not is_address and "." in path.rsplit("/", 1)[-1]
        if not is_address and not is_file and "text/html" not in Headers(scope=scope).get("accept", ""):
            raise HTTPException(404, f"There is no {scope['path']}: /openapi.json describes what there is.")
        response = await self._file(path if is_file else "", scope)
        if not is_address and not is_file:
            response.status_code = 404
        await response(scope, receive, send)

    async def _file(self, path: str, scope: Scope) -> Response:
        response = await self.files.get_response(path or "index.html", scope)
        response.headers["Content-Security-Policy"] = PAGE_POLICY
        # Vite names the files under assets/ by their content; the page itself must be asked for
        # each time.
        lasting = path.startswith("assets/") and response.status_code == 200
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if lasting else "no-cache"
        return response


class Shell:
    """Around everything: /api/... is the same API (the page asks there, behind nginx or not), safe
    headers on every response, a bug becomes a problem, and each request a log line (its path
    without the query, which may hold what was searched for) and a count. `hands_free`: the page may
    ask its reader for the microphone."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, observers: Sequence[Observer] = (), *, hands_free: bool = False
    ) -> None:
        self.app, self.metrics, self.observers = app, metrics, observers
        self.headers = {
            **HEADERS,
            "Permissions-Policy": f"camera=(), geolocation=(), microphone=({'self' if hands_free else ''})",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        path: str = scope["path"]
        if path == "/api" or path.startswith("/api/"):
            scope = {**scope, "root_path": scope.get("root_path", "") + "/api"}
        began, status, request_id = time.perf_counter(), 0, request_ids.begin(scope["headers"])

        async def with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[request_ids.HEADER] = request_id
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Content-Security-Policy", API_POLICY)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        with traces.request(_method(scope), request_ids.headers_of(scope["headers"])) as span:
            try:
                await self.app(scope, receive, with_headers)
            except Exception:  # a bug: its insides go to the log, not to the user
                log.exception("%s %s failed", scope["method"], path)
                if not status:
                    await internal_error()(scope, receive, with_headers)
            span.say(
                f"{_method(scope)} {_route(scope)}", http__response__status_code=status, bedside__request=request_id
            )
        seconds = time.perf_counter() - began
        self.metrics.requested(_method(scope), _route(scope), status, seconds)
        for observe in self.observers:
            observe(
                RequestOutcome(
                    scope.get("state", {}).get("user"),
                    _method(scope),
                    _route(scope),
                    path,
                    client_of(scope),
                    status,
                    seconds,
                )
            )
        fields = {"status": status, "milliseconds": round(seconds * 1000, 1)}
        log.info("%s %s", scope["method"], path, extra={"fields": fields})


def _route(scope: Scope) -> str:
    """As it was declared, with names for ids; whatever no route took is the page's."""
    return getattr(scope.get("route"), "path", "page")


def _method(scope: Scope) -> str:
    """A client may send any word for one."""
    return scope["method"] if scope["method"] in METHODS else "other"
