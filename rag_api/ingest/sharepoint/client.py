"""HTTP to Microsoft Graph: tokens, patience with throttling, pages, downloads. Knows nothing of
what the answers mean.

The token goes to Graph's own address and nowhere else: a link of an answer or of the database that
leads elsewhere is refused. What a download is redirected to is asked without it. Such addresses
open a file by themselves, so they are in no message either.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from rag_api.errors import SourceUnavailable
from rag_api.ingest.sharepoint.quick_xor import QuickXor
from rag_api.ingest.sharepoint.site import Site
from rag_api.ingest.sharepoint.token import AccessTokens

_TIMEOUT = 60.0  # seconds
_TRIES = 8
_PATIENCE = 600.0  # seconds that all waiting for one answer may take
_BUSY = (429, 500, 502, 503, 504)
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class GraphRefused(Exception):
    """An answer that is neither a success nor worth another try."""

    status: int
    code: str  # Graph's own word: "itemNotFound", "accessDenied", "resyncRequired"
    location: str = ""


@dataclass(frozen=True, slots=True)
class Downloaded:
    bytes: int
    quick_xor: str


class GraphClient:
    """Safe from several threads. Close it, or use `with`."""

    def __init__(self, site: Site, secret: SecretStr, *, sleep: Callable[[float], None] = time.sleep) -> None:
        for name in ("httpx", "httpcore"):  # they would log addresses
            logging.getLogger(name).setLevel(logging.WARNING)
        self._http = httpx.Client(timeout=_TIMEOUT, follow_redirects=False)
        self._base = site.graph_url
        origin = urlsplit(site.graph_url)
        scope = f"{origin.scheme}://{origin.netloc}/.default"
        self._tokens = AccessTokens(
            self._http, f"{site.login_url}/{site.tenant}/oauth2/v2.0/token", site.client, secret, scope
        )
        self._lock = threading.Lock()
        self._sleep = sleep
        self._not_before = 0.0  # when the service wants to be asked again; for all threads

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """path: below Graph's address, or a link of an answer. Raises Refused,
        SourceUnavailable."""
        answer = self._asked(self._url(path), headers or {})
        try:
            said = answer.json()
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise SourceUnavailable(
                "SharePoint: the service answers with something that is no JSON; is `graph_url` right?"
            )
        return said

    def pages(self, path: str, headers: Mapping[str, str] | None = None) -> Iterator[dict[str, Any]]:
        """Every page of a list. Raises as `get`."""
        link = path
        while link:
            page = self.get(link, headers)
            yield page
            link = str(page.get("@odata.nextLink", ""))

    def values(self, path: str) -> list[dict[str, Any]]:
        return [value for page in self.pages(path) for value in page.get("value", ())]

    def download(self, path: str, target: Path, most: int) -> Downloaded:
        """Write a file's content, which may have `most` bytes. Raises Refused ("tooLarge" when it
        has more), SourceUnavailable."""
        for attempt in range(_TRIES):
            answer = self._asked(self._url(path), {})  # a new address each time: it holds for minutes
            try:
                if answer.status_code == 200:  # small content may come at once
                    return _write([answer.content], target, most)
                with self._http.stream("GET", answer.headers["location"]) as stream:
                    if stream.status_code == 200:
                        return _write(stream.iter_bytes(_PIECE), target, most)
                    if stream.status_code not in _BUSY:
                        raise GraphRefused(stream.status_code, "download")
                    self._wait(attempt, stream)
            except httpx.TransportError:
                self._wait(attempt, None)
        raise SourceUnavailable("SharePoint: a file could not be downloaded; the next run tries again.")

    def _asked(self, url: str, headers: Mapping[str, str]) -> httpx.Response:
        """A success or a redirection."""
        renewed = False
        for attempt in range(_TRIES):
            self._pause()
            answer: httpx.Response | None = None
            try:
                with self._lock:
                    token = self._tokens.get()
                answer = self._http.get(url, headers={**headers, "Authorization": f"Bearer {token}"})
            except httpx.TransportError:
                self._wait(attempt, None)
                continue
            if answer.status_code in (200, 302):
                return answer
            if answer.status_code == 401 and not renewed:
                renewed = True
                with self._lock:
                    self._tokens.forget()
            elif answer.status_code in _BUSY:
                self._wait(attempt, answer)
            else:
                raise GraphRefused(answer.status_code, _code(answer), answer.headers.get("location", ""))
        raise SourceUnavailable(
            "SharePoint: the service does not answer, or wants to be asked later; the next run goes on from here."
        )

    def _wait(self, attempt: int, answer: httpx.Response | None) -> None:
        """As long as the service says, else longer each time."""
        seconds = _retry_after(answer) if answer is not None else None
        seconds = min(2.0**attempt, 60.0) if seconds is None else seconds
        if seconds > _PATIENCE:
            raise SourceUnavailable(
                f"SharePoint: the service wants to be asked again in {seconds:.0f} seconds; the next run goes on from "
                f"here."
            )
        with self._lock:
            self._not_before = max(self._not_before, time.monotonic() + seconds)
        if attempt + 1 < _TRIES:
            self._sleep(seconds)

    def _pause(self) -> None:
        left = self._not_before - time.monotonic()
        if left > 0 and self._sleep is time.sleep:
            time.sleep(left)

    def _url(self, path: str) -> str:
        url = path if "://" in path else f"{self._base}/{path}"
        if urlsplit(url)[:2] != urlsplit(self._base)[:2]:
            raise SourceUnavailable("SharePoint: an answer leads to another address than Graph's; it is not followed.")
        return url


def _write(pieces: Any, target: Path, most: int) -> Downloaded:
    count, digest = 0, QuickXor()
    with target.open("wb") as file:
        for piece in pieces:
            count += len(piece)
            if count > most:
                raise GraphRefused(413, "tooLarge")
            digest.update(piece)
            file.write(piece)
    return Downloaded(count, digest.digest())


def _code(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["error"]["code"])[:80]
    except (ValueError, KeyError, TypeError):
        return ""


def _retry_after(answer: httpx.Response) -> float | None:
    """Seconds, or a date; None where nothing of the kind is said."""
    said = answer.headers.get("retry-after", "")
    if said.strip().isdigit():
        return float(said)
    try:
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
