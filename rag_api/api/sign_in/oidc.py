"""OpenID Connect: the authorization code flow with PKCE, state and nonce, by authlib; works with
Entra ID, Keycloak and others.

Knows nothing of accounts or cookies. What a provider says is believed only of tokens that it
signed, for us, now, for this sign-in.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from dataclasses import dataclass
from typing import Any

import httpx
from authlib.common.errors import AuthlibBaseError
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from rag_api.api.sign_in.graph import groups_beyond_the_token
from rag_api.config import Settings
from rag_api.db.owners.named import is_mail
from rag_api.db.people.accounts import Claims
from rag_api.db.people.sessions import Started
from rag_api.errors import ConfigurationError, NotAllowed, SignInUnavailable
from rag_api.guard.people.asker import function_named, functions

log = logging.getLogger(__name__)

# Signatures by keys that only the provider has: neither "none" nor a shared secret.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
PATIENCE = 10.0  # seconds
LEEWAY = 60  # seconds that clocks may differ
KNOWN_FOR = 3600.0  # seconds until discovery is asked again
MOST_GROUPS = 5000
CALLBACK = "/api/sign-in/callback"


@dataclass(frozen=True, slots=True)
class SignedIn:
    claims: Claims
    id_token: str


class Provider:
    """Discovered when first needed; keys that are unknown are asked for anew, once. Safe from
    several threads."""

    def __init__(self, settings: Settings, transport: httpx.BaseTransport | None = None) -> None:
        """Raises ConfigurationError for a mapped function that nobody knows."""
        for mapped in settings.functions_by_claim.values():
            if function_named(mapped) is None:
                known = ", ".join(one.id for one in functions())
                raise ConfigurationError(f"BEDSIDE_OIDC_FUNCTIONS: no function {mapped!r}; there are {known}")
        self.settings, self.transport = settings, transport
        self._lock = threading.Lock()
        self._metadata: dict[str, Any] = {}
        self._keys: KeySet | None = None
        self._asked = 0.0

    def begin(self, return_to: str) -> tuple[str, str, Started]:
        """Return where to send the browser, the state that comes back with it, and what is to be
        kept until then."""
        state, started = (
            secrets.token_urlsafe(32),
            Started(secrets.token_urlsafe(32), secrets.token_urlsafe(48), return_to),
        )
        url = prepare_grant_uri(
            self.metadata()["authorization_endpoint"],
            self.settings.oidc_client_id or "",
            "code",
            redirect_uri=self._redirect_uri,
            scope=self.settings.oidc_scopes,
            state=state,
            nonce=started.nonce,
            code_challenge=create_s256_code_challenge(started.verifier),  # type: ignore[no-untyped-call]
            code_challenge_method="S256",
        )
        return url, state, started

    def finish(self, code: str, issuer: str | None, started: Started) -> SignedIn:
        """Return who signed in. Raises NotAllowed when anything about the answer is wrong,
        SignInUnavailable."""
        metadata = self.metadata()
        if issuer != metadata["issuer"] and (issuer or metadata.get("authorization_response_iss_parameter_supported")):
            raise NotAllowed("The sign-in came back from another provider.")
        token = self._token(code, started)
        claims = self._verified(str(token.get("id_token", "")), str(token.get("access_token", "")), started.nonce)
        groups = _names(claims.get(self.settings.oidc_groups_claim))
        if _left_out(claims, self.settings.oidc_groups_claim):
            with httpx.Client(timeout=PATIENCE, transport=self.transport) as client:
                groups = groups_beyond_the_token(
                    client, self.settings.oidc_graph_url, str(token.get("access_token", ""))
                )
        name = str(claims.get("name") or claims.get("preferred_username") or claims["sub"])[:200]
        told = Claims(
            claims["iss"],
            str(claims["sub"]),
            name,
            _usable(groups),
            _mail(claims),
            _function(claims, self.settings),
            next(iter(_usable(_names(claims.get(self.settings.oidc_department_claim)))), None),
        )
        return SignedIn(told, token["id_token"])

    def sign_out_url(self, id_token: str | None) -> str | None:
        """Return where the provider ends its own session, if it says where."""
        end = self.metadata().get("end_session_endpoint")
        if not end:
            return None
        asked = {"client_id": self.settings.oidc_client_id, "post_logout_redirect_uri": f"{self.settings.public_url}/"}
        return str(httpx.URL(end, params={**asked, **({"id_token_hint": id_token} if id_token else {})}))

    def metadata(self) -> dict[str, Any]:
        """The provider's discovery document. Raises SignInUnavailable, also for a document of
        another issuer."""
        with self._lock:
            if not self._metadata or time.monotonic() - self._asked > KNOWN_FOR:
                issuer = (self.settings.oidc_issuer or "").rstrip("/")
                found = self._get(f"{issuer}/.well-known/openid-configuration")
                if str(found.get("issuer", "")).rstrip("/") != issuer:
                    raise SignInUnavailable(
                        "The OpenID provider calls itself by another name than BEDSIDE_OIDC_ISSUER."
                    )
                self._metadata, self._asked = found, time.monotonic()
            return self._metadata

    def _get(self, url: str) -> dict[str, Any]:
        try:
            with httpx.Client(timeout=PATIENCE, transport=self.transport) as client:
                found = client.get(url).raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            raise SignInUnavailable(f"The OpenID provider does not answer: {type(error).__name__}") from error
        if not isinstance(found, dict):
            raise SignInUnavailable("The OpenID provider answers with something else than it should.")
        return found

    @property
    def _redirect_uri(self) -> str:
        return f"{self.settings.public_url}{CALLBACK}"

    def _token(self, code: str, started: Started) -> dict[str, Any]:
        asked = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_uri,
            "code_verifier": started.verifier,
        }
        client_id, secret = self.settings.oidc_client_id or "", self.settings.oidc_client_secret
        asked |= {"client_id": client_id} | ({"client_secret": secret.get_secret_value()} if secret else {})
        try:
            with httpx.Client(timeout=PATIENCE, transport=self.transport) as client:
                response = client.post(self.metadata()["token_endpoint"], data=asked)
                if response.is_client_error:
                    raise NotAllowed("The OpenID provider refused the sign-in.")
                return dict(response.raise_for_status().json())
        except (httpx.HTTPError, ValueError, TypeError) as error:
            raise SignInUnavailable(f"The OpenID provider does not answer: {type(error).__name__}") from error

    def _verified(self, id_token: str, access_token: str, nonce: str) -> dict[str, Any]:
        client_id = self.settings.oidc_client_id
        try:
            token = self._decoded(id_token)
            options = {
                "iss": {"essential": True, "value": self.metadata()["issuer"]},
                "aud": {"essential": True, "value": client_id},
            }
            params = {"nonce": nonce, "client_id": client_id, "access_token": access_token}
            claims = CodeIDToken(token.claims, token.header, options, params)
            claims.validate(leeway=LEEWAY)
        except (JoseError, AuthlibBaseError, ValueError, TypeError, KeyError) as error:
            raise NotAllowed(f"The OpenID provider's token does not hold: {type(error).__name__}") from error
        return dict(claims)

    def _decoded(self, id_token: str) -> jwt.Token:
        """By the keys as known, else as they are now: providers change them."""
        try:
            return jwt.decode(id_token, self._key_set(anew=False), algorithms=ALGORITHMS)
        except (JoseError, ValueError):
            return jwt.decode(id_token, self._key_set(anew=True), algorithms=ALGORITHMS)

    def _key_set(self, anew: bool) -> KeySet:
        if self._keys is None or anew:
            self._keys = KeySet.import_key_set(self._get(self.metadata()["jwks_uri"]))  # type: ignore[arg-type]
        return self._keys


def _left_out(claims: dict[str, Any], name: str) -> bool:
    """Whether Entra left the groups out because there are too many for a token."""
    elsewhere = claims.get("_claim_names")
    return (isinstance(elsewhere, dict) and name in elsewhere) or str(claims.get("hasgroups", "")).lower() == "true"


def _mail(claims: dict[str, Any]) -> str:
    """The address of who signs in; "" where there is none, or the provider says that it did not
    check it."""
    mail = str(claims.get("email") or "")
    return mail if is_mail(mail) and claims.get("email_verified", True) in (True, "true") else ""


def _function(claims: dict[str, Any], settings: Settings) -> str | None:
    """The id of the first function that the provider says and that is known here."""
    said = _names(claims.get(settings.oidc_function_claim))
    ours = settings.functions_by_claim
    wanted = [ours.get(one.strip().casefold(), one) for one in said]
    found = next((known.id for known in map(function_named, wanted) if known is not None), None)
    if said and found is None:
        log.info(
            "no function is called %s: BEDSIDE_OIDC_FUNCTIONS maps what the provider says", " or ".join(said)[:200]
        )
    return found


def _names(claim: Any) -> list[str]:
    return (
        [claim]
        if isinstance(claim, str)
        else [one for one in claim if isinstance(one, str)]
        if isinstance(claim, list)
        else []
    )


def _usable(groups: list[str]) -> tuple[str, ...]:
    """Names that a document could be given to; no claim makes anyone a member of what stands for
    all."""
    names = {group.strip() for group in groups if "\x00" not in group}
    return tuple(sorted(name for name in names if 0 < len(name) <= 100)[:MOST_GROUPS])
