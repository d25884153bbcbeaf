"""A message to a webhook: which document changed and how, never a word of it; signed as the
Standard Webhooks specification says.

Redirects are not followed, and what is answered is not read.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
import time

import httpx

from rag_api.db.outbox import DueMessage, NotSent
from rag_api.errors import InvalidInput

PATIENCE = 10.0  # seconds
_PREFIX = "whsec_"
LEAST = 24  # bytes of a secret: what the specification asks for


def new_secret() -> str:
    return _PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def key_in(secret: str) -> bytes:
    """Raises InvalidInput."""
    try:
        key = (
            base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
            if secret.startswith(_PREFIX)
            else secret.encode()
        )
    except binascii.Error as error:
        raise InvalidInput(
            f"A secret that begins with {_PREFIX} goes on in base64. Leave it empty: Bedside makes one."
        ) from error
    if len(key) < LEAST:
        raise InvalidInput(f"A secret has at least {LEAST} bytes. Leave it empty: Bedside makes one.")
    return key


def check_url(url: str, http: bool) -> None:
    """http: whether clear text is allowed. Raises InvalidInput."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise InvalidInput(f"This is no address: {error}.") from error
    if not parsed.host or parsed.userinfo or parsed.fragment or parsed.scheme not in ("https", "http"):
        raise InvalidInput(
            "The address of a webhook is as https://system.hospital.example/bedside, without a password in it."
        )
    if parsed.scheme == "http" and not http:
        raise InvalidInput("A webhook is told over https. BEDSIDE_WEBHOOK_HTTP=true allows http, in clear text.")


def signature(key: bytes, message_id: str, at: int, body: bytes) -> str:
    """The value of the header `webhook-signature`. at: seconds since 1970."""
    signed = hmac.new(key, f"{message_id}.{at}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(signed).decode()


def body_of(due: DueMessage) -> bytes:
    """The same at each try."""
    return json.dumps(
        {"type": due.message["type"], "timestamp": due.created_at.isoformat(), "data": due.message["data"]}
    ).encode()


def send_message(due: DueMessage, http: bool) -> None:
    """Raises NotSent: for good where the receiver says that it is gone (410), or the address is not
    allowed any more."""
    body, message_id, at = body_of(due), f"msg_{due.id}", int(time.time())
    try:
        check_url(due.url, http)
        headers = {
            "content-type": "application/json",
            "user-agent": "Bedside",
            "webhook-id": message_id,
            "webhook-timestamp": str(at),
            "webhook-signature": signature(key_in(due.secret), message_id, at, body),
        }
        with httpx.stream(
            "POST", due.url, content=body, headers=headers, timeout=PATIENCE, follow_redirects=False
        ) as response:
            if not response.is_success:
                raise NotSent(_why(response), for_good=response.status_code == 410)
    except InvalidInput as error:
        raise NotSent(error.message, for_good=True) from error
    except httpx.HTTPError as error:
        raise NotSent(f"{type(error).__name__}: {error}") from error


def _why(response: httpx.Response) -> str:
    said = f"{response.status_code} {response.reason_phrase}".strip()
    return f"{said}: redirects are not followed" if response.is_redirect else said
