"""Access tokens by client credentials (OAuth 2.0), and what to do when there are none to be had."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx
from pydantic import SecretStr

from rag_api.errors import SourceUnavailable

_EARLY = 300.0  # seconds before it expires a token is no longer used
# By the number that the directory puts into its message; other numbers are told as they are.
_ADVICE = {
    "7000222": "its client secret has expired: make a new one (Entra, App registrations, Certificates & secrets) and "
    "put it in place",
    "7000215": "its client secret is not right: the secret's value is wanted, not its id",
    "700016": "the directory does not know this client: is `client` the application (client) id, and `tenant` its "
    "directory?",
    "90002": "there is no such directory: is `tenant` the directory (tenant) id?",
    "900023": "there is no such directory: is `tenant` the directory (tenant) id?",
    "50034": "the directory does not know this client: is `client` the application (client) id?",
    "65001": "nobody consented to it: an administrator grants consent to Sites.Selected (Entra, API permissions)",
}


class AccessTokens:
    """One token, fetched again before it expires. Never shown: not in messages, not in logs."""

    def __init__(self, http: httpx.Client, url: str, client: str, secret: SecretStr, scope: str) -> None:
        self._http, self._url, self._client, self._secret, self._scope = http, url, client, secret, scope
        self._token, self._until = "", 0.0

    def get(self, now: Callable[[], float] = time.monotonic) -> str:
        """Raises SourceUnavailable with what to do; httpx.TransportError when the directory does
        not answer."""
        if not self._token or now() >= self._until:
            said = self._ask()
            self._token = str(said["access_token"])
            self._until = now() + max(0.0, float(said.get("expires_in", 3600)) - _EARLY)
        return self._token

    def forget(self) -> None:
        """It was refused: the next one is a new one."""
        self._token = ""

    def _ask(self) -> dict[str, Any]:
        form = {"client_id": self._client, "client_secret": self._secret.get_secret_value(), "scope": self._scope}
        answer = self._http.post(self._url, data=form | {"grant_type": "client_credentials"})
        said = _json(answer)
        if answer.status_code == 200 and said.get("access_token"):
            return said
        if answer.status_code >= 500 or answer.status_code == 429:
            raise httpx.TransportError(f"the directory answers {answer.status_code}")
        raise SourceUnavailable(f"SharePoint: the application cannot sign in: {_advice(said)}.")


def _advice(said: dict[str, Any]) -> str:
    codes = [str(code) for code in said.get("error_codes") or ()]
    description = str(said.get("error_description", ""))
    for code, advice in _ADVICE.items():
        if code in codes or f"AADSTS{code}:" in description:
            return advice
    if said.get("error") == "invalid_client":
        return _ADVICE["7000215"]
    return f"the directory says {str(said.get('error', 'nothing of use'))[:60]} ({', '.join(codes) or 'no number'})"


def _json(answer: httpx.Response) -> dict[str, Any]:
    try:
        said = answer.json()
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
