"""Sign-in with a real, certified OpenID provider: the whole code flow over HTTP, and tokens that
must not be believed.

Entra ID cannot run here: what it does otherwise, Graph for groups that its token leaves out, is
played by a small server.
"""

from __future__ import annotations

import hmac
import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Header
from joserfc import jwt

from rag_api.api.sign_in.oidc import Provider
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.people.accounts import Claims, change_account, get_account, list_accounts, signed_in_with
from rag_api.domain import LOCAL_USER, Role
from rag_api.errors import ConfigurationError, NotAllowed, SignInUnavailable
from rag_api.main import create_app
from tests.support.http_server import served
from tests.support.oidc_provider import CLIENT, SECRET, Provided, missing, new_signing_key, provider, signed_in_at
from tests.support.ports import free_port

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"no OpenID provider to sign in with: {missing()}")

ACCOUNTS: dict[str, dict[str, Any]] = {
    "anna": {
        "name": "Anna",
        "groups": ["Bedside admins", "surgery"],
        "email": "anna@hospital.example",
        "jobTitle": ["Senior medewerker", "Verpleegkundige spoed"],
        "department": "Spoedgevallen",
    },
    "eva": {"name": "Eva", "groups": [], "jobTitle": "Kinderarts"},
    "finn": {"name": "Finn", "groups": [], "jobTitle": "Tuinman"},
    "bram": {"name": "Bram", "hasgroups": True},
    "chris": {
        "name": "Chris",
        "_claim_names": {"groups": "src1"},
        "_claim_sources": {"src1": {"endpoint": "https://elsewhere"}},
    },
    "dirk": {"name": "Dirk", "email": "dirk@elsewhere.example", "email_verified": False},
}


class World:
    """Bedside and the provider, each on a port of its own; `browser()` is a new one with nothing in
    it."""

    def __init__(self, container: Container, url: str, provided: Provided) -> None:
        self.container, self.url, self.provided = container, url, provided

    @contextmanager
    def browser(self) -> Iterator[httpx.Client]:
        with httpx.Client(base_url=self.url, headers={"origin": self.url}, timeout=30) as made:
            yield made

    def sign_in(self, browser: httpx.Client, login: str, return_to: str = "/") -> httpx.Response:
        """Return Bedside's answer to the browser that comes back."""
        began = browser.get("/api/sign-in", params={"return_to": return_to})
        assert began.status_code == 303, began.text
        back = signed_in_at(browser, began.headers["location"], login, self.url)
        return browser.get(back.headers["location"])


@pytest.fixture(scope="module")
def graph() -> Iterator[str]:
    """Microsoft Graph's answer in two pages, to who shows a token."""
    app = FastAPI()

    @app.get("/v1.0/me/transitiveMemberOf/microsoft.graph.group")
    def groups(page: int = 1, authorization: str = Header()) -> dict[str, Any]:
        assert authorization.startswith("Bearer ")
        more = (
            {"@odata.nextLink": f"{here[0]}/v1.0/me/transitiveMemberOf/microsoft.graph.group?page=2"}
            if page == 1
            else {}
        )
        return {"value": [{"id": f"group-{page}"}]} | more

    @app.get("/else/me/transitiveMemberOf/microsoft.graph.group")
    def elsewhere() -> dict[str, Any]:
        return {"value": [], "@odata.nextLink": "http://127.0.0.1:9/steals/the/token"}

    here = [""]
    with served(app) as url:
        here[0] = url
        yield url


@pytest.fixture(scope="module")
def world(dsn: str, graph: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    port, bedside_port = free_port(), free_port()
    url = f"http://127.0.0.1:{bedside_port}"
    with provider(port, new_signing_key("first"), url, ACCOUNTS) as provided:
        settings = Settings(
            data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="memory", web_dir=tmp_path_factory.mktemp("no page"),
            generator_url="http://127.0.0.1:9/v1", sentence_vectors_mb=0, sign_in="oidc", public_url=url, oidc_issuer=provided.issuer,
            oidc_client_id=CLIENT, oidc_client_secret=SECRET, oidc_new_accounts=True, oidc_graph_url=f"{graph}/v1.0",
            role_groups="admin=Bedside admins", oidc_function_claim="jobTitle", oidc_functions="verpleegkundige Spoed=nurse",
            oidc_department_claim="department",
        )  # fmt: skip
        with Container(settings) as container, served(create_app(settings, container), bedside_port):
            yield World(container, url, provided)


def test_one_signs_in_with_the_provider_and_is_who_it_says(world: World) -> None:
    with world.browser() as browser:
        back = world.sign_in(browser, "anna", "/documents?a=b")
        assert (back.status_code, back.headers["location"]) == (303, "/documents?a=b")
        cookie = next(value for value in back.headers.get_list("set-cookie") if value.startswith("bedside_session="))
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        found = browser.get("/api/session").json()
        assert found["user"]["name"] == "Anna"
        assert found["user"]["groups"] == ["Bedside admins", "everyone", "surgery"]
        assert set(found["user"]["roles"]) == {"admin", "reader"}
        assert browser.get("/api/accounts").status_code == 200
        signed_out = browser.delete("/api/session").raise_for_status().json()
        assert signed_out["go_to"].startswith(f"{world.provided.issuer}/session/end?")
        assert "id_token_hint=" in signed_out["go_to"]
        assert browser.get(signed_out["go_to"]).status_code == 200
        assert browser.get("/api/documents").status_code == 401


def test_an_address_is_kept_that_the_provider_does_not_doubt(world: World) -> None:
    for login in ("anna", "dirk", "bram"):
        with world.browser() as browser:
            world.sign_in(browser, login)
    rows = world.container.db.all("select name, mail from users where issuer is not null order by name")
    mails = {row["name"]: row["mail"] for row in rows}
    assert (mails["Anna"], mails["Dirk"], mails["Bram"]) == ("anna@hospital.example", "", "")


def test_function_and_department_come_from_the_provider(world: World) -> None:
    """By the hospital's own words for it, by a function's name, or by neither: then what was set by
    hand stays, as it does where the provider says nothing."""

    def signed_in(login: str) -> tuple[str, str, str]:
        with world.browser() as browser:
            world.sign_in(browser, login)
            user = browser.get("/api/session").json()["user"]
            return user["id"], user["function"], user["department"]

    assert signed_in("anna")[1:] == ("nurse", "Spoedgevallen")
    eva, function, department = signed_in("eva")
    assert (function, department) == ("paediatrician", "")
    finn, function, _ = signed_in("finn")
    assert function == ""
    for account in (eva, finn):
        change_account(world.container.db, LOCAL_USER, account, function="pharmacist", department="Apotheek")
    assert signed_in("finn")[1:] == ("pharmacist", "Apotheek")
    assert signed_in("eva")[1:] == ("paediatrician", "Apotheek")


@pytest.mark.parametrize(
    ("value", "error"), [("Tuinman=gardener", "no function 'gardener'"), ("Arts", "'Arts' is no value=function")]
)
def test_a_map_of_functions_that_means_nothing_is_refused_at_the_start(value: str, error: str) -> None:
    with pytest.raises((ConfigurationError, ValueError), match=error):
        Provider(Settings(oidc_functions=value))


def test_a_path_of_another_site_is_not_returned_to(world: World) -> None:
    with world.browser() as browser:
        assert world.sign_in(browser, "dirk", "//evil.example/").headers["location"] == "/"


def test_a_state_that_is_wrong_anothers_or_used_signs_nobody_in(world: World) -> None:
    with world.browser() as browser, world.browser() as thief:
        began = browser.get("/api/sign-in")
        back = httpx.URL(signed_in_at(browser, began.headers["location"], "anna", world.url).headers["location"])
        thief.get("/api/sign-in")
        for who, url in (
            (thief, back),
            (browser, back.copy_set_param("state", "x")),
            (browser, back.copy_remove_param("code")),
            (browser, back),
        ):
            response = who.get(url)
            assert response.headers["location"] == "/?sign-in-failed=not_allowed"
            assert "bedside_session" not in response.headers.get("set-cookie", "")


def test_groups_given_by_hand_are_kept_beside_those_of_the_provider(world: World) -> None:
    db = world.container.db
    with world.browser() as browser:
        world.sign_in(browser, "dirk")
        account = next(one for one in list_accounts(db) if one.name == "Dirk")
        change_account(db, LOCAL_USER, account.id, groups=["by hand"], roles=[Role.AUDITOR])
        signed_in_with(db, Claims(world.provided.issuer, "dirk", "Dirk", ("new at the provider",)), may_create=False)
        assert browser.get("/api/session").json()["user"]["groups"] == ["by hand", "everyone", "new at the provider"]
        world.sign_in(browser, "dirk")
        found = browser.get("/api/session").json()["user"]
        assert (found["groups"], found["roles"]) == (["by hand", "everyone"], ["auditor", "reader"])


def test_nobody_gets_an_account_where_that_is_not_allowed(world: World) -> None:
    before = len(list_accounts(world.container.db))
    with pytest.raises(NotAllowed, match="no account"):
        signed_in_with(world.container.db, Claims(world.provided.issuer, "nobody", "Nobody", ()), may_create=False)
    assert len(list_accounts(world.container.db)) == before


def test_a_suspended_account_does_not_sign_in(world: World) -> None:
    db = world.container.db
    account = signed_in_with(db, Claims(world.provided.issuer, "bram", "Bram", ()), may_create=True)
    change_account(db, LOCAL_USER, account, suspended=True)
    with world.browser() as browser:
        assert world.sign_in(browser, "bram").headers["location"] == "/?sign-in-failed=account_suspended"
        assert browser.get("/api/session").json()["user"] is None
    change_account(db, LOCAL_USER, account, suspended=False)


@pytest.mark.parametrize("login", ["bram", "chris"])
def test_groups_that_the_token_leaves_out_are_asked_of_graph(world: World, login: str) -> None:
    with world.browser() as browser:
        world.sign_in(browser, login)
        found = browser.get("/api/session").json()["user"]
    assert found["groups"] == ["everyone", "group-1", "group-2"]
    assert get_account(world.container.db, found["id"]).claimed_groups == ("group-1", "group-2")


def own_provider(world: World, transport: httpx.BaseTransport | None = None, **changed: Any) -> Provider:
    return Provider(world.container.settings.model_copy(update=changed), transport)


def finished(world: World, own: Provider, login: str = "anna") -> Any:
    url, state, started = own.begin("/")
    with world.browser() as browser:
        back = httpx.URL(signed_in_at(browser, url, login, world.url).headers["location"]).params
    assert back["state"] == state
    return own.finish(back["code"], back["iss"], started)


@pytest.mark.parametrize("graph_path", ["else", "not-there"])
def test_without_its_groups_nobody_is_signed_in(world: World, graph: str, graph_path: str) -> None:
    with pytest.raises(SignInUnavailable):
        finished(world, own_provider(world, oidc_graph_url=f"{graph}/{graph_path}"), "bram")


class Altered(httpx.BaseTransport):
    """The way to the provider, on which somebody changes the token."""

    def __init__(self, alter: Callable[[dict[str, Any]], str]) -> None:
        self.alter = alter

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with httpx.Client(timeout=30) as through:
            content = through.request(
                request.method, request.url, content=request.read(), headers=request.headers
            ).json()
        if request.url.path.endswith("/token"):
            content["id_token"] = self.alter(json.loads(_decoded(content["id_token"].split(".")[1])))
        return httpx.Response(200, json=content)


def _decoded(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _encoded(value: dict[str, Any]) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


ALTERED: dict[str, Callable[[dict[str, Any], Provided], str]] = {
    "another nonce": lambda claims, p: signed(p, claims | {"nonce": "another"}),
    "no nonce": lambda claims, p: signed(p, {name: value for name, value in claims.items() if name != "nonce"}),
    "expired": lambda claims, p: signed(p, claims | {"exp": int(time.time()) - 120}),
    "no expiry": lambda claims, p: signed(p, {name: value for name, value in claims.items() if name != "exp"}),
    "another audience": lambda claims, p: signed(p, claims | {"aud": "another application"}),
    "for two, from another": lambda claims, p: signed(p, claims | {"aud": [CLIENT, "another"], "azp": "another"}),
    "another issuer": lambda claims, p: signed(p, claims | {"iss": "https://evil.example"}),
    "another access token": lambda claims, p: signed(p, claims | {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}),
    "alg none": lambda claims, p: f"{_encoded({'alg': 'none'})}.{_encoded(claims)}.",
    "alg none, a name known": lambda claims, p: f"{_encoded({'alg': 'none', 'kid': 'first'})}.{_encoded(claims)}.",
    "signed with the public key as a secret": lambda claims, p: with_a_shared_secret(
        claims, p.key.as_pem(private=False)
    ),
    "another's key of the same name": lambda claims, p: jwt.encode(
        {"alg": "RS256", "kid": "first"}, claims, new_signing_key("first")
    ),
    "an unknown key": lambda claims, p: jwt.encode(
        {"alg": "RS256", "kid": "unknown"}, claims, new_signing_key("unknown")
    ),
    "no token": lambda claims, p: "",
}


def with_a_shared_secret(claims: dict[str, Any], secret: bytes) -> str:
    text = f"{_encoded({'alg': 'HS256', 'kid': 'first'})}.{_encoded(claims)}"
    return f"{text}.{urlsafe_b64encode(hmac.digest(secret, text.encode(), 'sha256')).decode().rstrip('=')}"


def signed(provided: Provided, claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": provided.key.kid}, claims, provided.key)


@pytest.mark.parametrize("how", ALTERED)
def test_a_token_that_does_not_hold_signs_nobody_in(world: World, how: str) -> None:
    transport = Altered(lambda claims: ALTERED[how](claims, world.provided))
    with pytest.raises(NotAllowed):
        finished(world, own_provider(world, transport))


def test_the_same_way_with_an_unaltered_token_signs_in(world: World) -> None:
    transport = Altered(lambda claims: signed(world.provided, claims))
    assert finished(world, own_provider(world, transport)).claims.subject == "anna"


def test_a_code_does_not_serve_twice_or_with_another_verifier(world: World) -> None:
    own = own_provider(world)
    url, _, started = own.begin("/")
    _, _, other = own.begin("/")
    with world.browser() as browser:
        back = httpx.URL(signed_in_at(browser, url, "anna", world.url).headers["location"]).params
    with pytest.raises(NotAllowed):
        own.finish(back["code"], back["iss"], other)
    assert own.finish(back["code"], back["iss"], started).claims.subject == "anna"
    with pytest.raises(NotAllowed):
        own.finish(back["code"], back["iss"], started)


def test_an_answer_in_another_providers_name_is_refused(world: World) -> None:
    own = own_provider(world)
    for issuer in ("https://evil.example", None):
        with pytest.raises(NotAllowed, match="another provider"):
            own.finish("code", issuer, own.begin("/")[2])


def test_a_discovery_document_of_another_issuer_is_not_believed(world: World) -> None:
    with pytest.raises(SignInUnavailable, match="another name"):
        own_provider(world, oidc_issuer=world.provided.issuer.replace("127.0.0.1", "localhost")).metadata()


def test_keys_that_the_provider_changed_are_found(world: World) -> None:
    port, url = free_port(), world.url
    first, second = new_signing_key("old"), new_signing_key("new")
    with provider(port, first, url, ACCOUNTS) as provided:
        own = own_provider(world, oidc_issuer=provided.issuer)
        assert finished(world, own).claims.subject == "anna"
    with provider(port, second, url, ACCOUNTS):
        assert finished(world, own).claims.subject == "anna"
    with pytest.raises(SignInUnavailable):  # neither does one that is away go unsaid
        own.finish("code", provided.issuer, own.begin("/")[2])
