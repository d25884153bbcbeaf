"""Sessions, passwords and keys: what they are kept as, what ends them, and what another site cannot
do with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from rag_api.answering.composing.generation_request import scope_of
from rag_api.api.outcome import RequestOutcome
from rag_api.api.sign_in.cookies import SESSION
from rag_api.api.sign_in.passwords import hash_password
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.people.accounts import MOST_TRIES, add_account, change_account
from rag_api.domain import LOCAL_USER, Role, Scope, User
from rag_api.errors import InvalidInput
from rag_api.main import create_app
from tests.support.people import key_of, signed_in

PASSWORD = "een heel lang wachtwoord"
OWN = {"origin": "http://testserver"}


@pytest.fixture(scope="module")
def container(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="memory", sign_in="local", web_dir=tmp_path_factory.mktemp("x"),
        generator_url="http://127.0.0.1:9/v1", sentence_vectors_mb=0,
    )  # fmt: skip
    with Container(settings) as made:
        yield made


@pytest.fixture(scope="module")
def app(container: Container) -> Iterator[TestClient]:
    with TestClient(create_app(container.settings, container)) as client:
        yield client


@pytest.fixture
def client(app: TestClient) -> TestClient:
    app.cookies.clear()
    return app


@pytest.fixture(scope="module")
def anna(container: Container) -> str:
    return add_account(container.db, LOCAL_USER, "Anna", "anna", hash_password(PASSWORD), [Role.ADMIN], ["surgery"])


def sign_in(client: TestClient, login: str = "anna", password: str = PASSWORD, **headers: str) -> Any:
    return client.post("/session", json={"login": login, "password": password}, headers=OWN | headers)


def test_a_password_opens_a_session_that_only_the_browser_knows(
    client: TestClient, container: Container, anna: str
) -> None:
    response = sign_in(client, "Anna")
    assert response.status_code == 200
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert client.get("/session").json()["user"]["name"] == "Anna"
    kept = container.db.all("select token_hash, id_token from sessions where user_id = %(id)s", {"id": anna})
    assert client.cookies[SESSION].encode() not in b"".join(bytes(row["token_hash"]) for row in kept)
    row = container.db.one("select password_hash from users where id = %(id)s", {"id": anna})
    assert row is not None
    assert row["password_hash"].startswith("$argon2id$")


def test_with_tls_the_cookie_is_for_this_host_and_tls_only(container: Container, anna: str) -> None:
    settings = container.settings.model_copy(update={"public_url": "https://bedside.example"})
    client = TestClient(create_app(settings, container), base_url="https://bedside.example")
    body = {"login": "anna", "password": PASSWORD}
    cookie = client.post("/session", json=body, headers={"origin": "https://bedside.example"}).headers["set-cookie"]
    assert cookie.startswith("__Host-bedside_session=")
    assert "Secure" in cookie
    assert "Path=/" in cookie


def test_a_token_that_somebody_put_there_is_never_taken_over(client: TestClient, anna: str) -> None:
    response = sign_in(client, cookie=f"{SESSION}=put there by an attacker")
    assert len(response.cookies[SESSION]) == 43
    client.cookies.clear()
    assert client.get("/documents", headers={"cookie": f"{SESSION}=put there by an attacker"}).status_code == 401


def test_signing_in_again_ends_the_session_before(client: TestClient, container: Container, anna: str) -> None:
    before = signed_in(container.db, anna)
    sign_in(client, cookie=f"{SESSION}={before}")
    client.cookies.clear()
    assert client.get("/documents", headers={"cookie": f"{SESSION}={before}"}).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_site_changes_nothing_in_ones_name(
    client: TestClient, container: Container, anna: str, headers: dict[str, str]
) -> None:
    cookie = {"cookie": f"{SESSION}={signed_in(container.db, anna)}"}
    response = client.put("/department-access/x", json={"groups": ["y"]}, headers=cookie | headers)
    assert (response.status_code, response.json()["code"]) == (403, "not_allowed")
    # what only reads, the browser itself keeps from it
    assert client.get("/documents", headers=cookie | headers).status_code == 200


def test_where_sign_in_is_off_a_foreign_origin_is_refused_all_the_same(container: Container) -> None:
    client = TestClient(create_app(container.settings.model_copy(update={"sign_in": "off"}), container))
    body = {"question": "Waar?", "mode": "sources"}
    assert client.post("/ask", json=body, headers={"origin": "https://evil.example"}).status_code == 403
    assert client.delete("/session").status_code == 200


def test_a_session_ends_unused_and_in_any_case(client: TestClient, container: Container, anna: str) -> None:
    cookie = {"cookie": f"{SESSION}={signed_in(container.db, anna)}"} | OWN
    change = "update sessions set seen_at = seen_at - interval '14 minutes'"
    container.db.run(change)
    assert 0 < client.get("/session", headers=cookie).json()["seconds_left"] <= 60
    client.get("/health", headers=cookie)  # the page of its own accord
    assert client.get("/session", headers=cookie).json()["seconds_left"] <= 60
    assert client.post("/session/used", headers=cookie).status_code == 204
    assert client.get("/session", headers=cookie).json()["seconds_left"] > 800
    container.db.run("update sessions set seen_at = seen_at - interval '15 minutes'")
    assert client.get("/documents", headers=cookie).status_code == 401
    short = {"cookie": f"{SESSION}={signed_in(container.db, anna, hours=-0.001)}"}
    assert client.get("/documents", headers=short).status_code == 401


def test_signing_out_ends_the_session(client: TestClient, container: Container, anna: str) -> None:
    cookie = {"cookie": f"{SESSION}={signed_in(container.db, anna)}"} | OWN
    assert client.get("/documents", headers=cookie).status_code == 200
    assert client.delete("/session", headers=cookie).json() == {"go_to": None}
    assert client.get("/documents", headers=cookie).status_code == 401


def test_suspended_an_account_is_nobody_from_the_next_request_on_and_its_keys_stay_dead(
    client: TestClient, container: Container
) -> None:
    db = container.db
    account = add_account(db, LOCAL_USER, "Bram", "bram", hash_password(PASSWORD), [], [])
    cookie, key = (
        {"cookie": f"{SESSION}={signed_in(db, account)}"},
        {"authorization": f"Bearer {key_of(db, account, [Scope.READ])}"},
    )
    assert [client.get("/documents", headers=shown).status_code for shown in (cookie, key)] == [200, 200]
    change_account(db, LOCAL_USER, account, suspended=True)
    assert [client.get("/documents", headers=shown).status_code for shown in (cookie, key)] == [401, 401]
    refused = sign_in(client, "bram")  # who knows the password is told why
    assert (refused.status_code, refused.json()["code"]) == (403, "account_suspended")
    assert sign_in(client, "bram", "een ander lang wachtwoord").json() == sign_in(client, "nobody").json()
    change_account(db, LOCAL_USER, account, suspended=False)
    assert [client.get("/documents", headers=shown).status_code for shown in (cookie, key)] == [401, 401]
    assert sign_in(client, "bram").status_code == 200


def test_a_key_is_kept_as_a_hash_and_ends_when_it_is_revoked_or_expires(
    client: TestClient, container: Container, anna: str
) -> None:
    db, shows = (
        container.db,
        {"authorization": f"Bearer {(key := key_of(container.db, anna, [Scope.READ, Scope.ADMIN]))}"},
    )
    kept = db.one("select * from api_keys where user_id = %(id)s order by created_at desc limit 1", {"id": anna})
    assert kept is not None
    assert key.startswith(kept["prefix"])
    assert len(kept["prefix"]) == 10
    assert key not in str(dict(kept))
    assert client.get("/documents", headers=shows).status_code == 200
    assert client.delete(f"/keys/{kept['id']}", headers=shows).status_code == 204
    assert client.get("/documents", headers=shows).status_code == 401
    late = {"authorization": f"Bearer {key_of(db, anna, [Scope.READ])}"}
    db.run("update api_keys set expires_at = now() where revoked_at is null")
    assert client.get("/documents", headers=late).status_code == 401


def test_a_key_that_is_none_is_not_made_good_by_a_session(client: TestClient, container: Container, anna: str) -> None:
    cookie = {"cookie": f"{SESSION}={signed_in(container.db, anna)}"}
    for shown in ("Bearer no-key", "Basic YW5uYTphbm5h", "Bearer"):
        assert client.get("/documents", headers=cookie | {"authorization": shown}).status_code == 401


def test_after_wrong_passwords_even_the_right_one_waits(client: TestClient, container: Container) -> None:
    account = add_account(container.db, LOCAL_USER, "Chris", "chris", hash_password(PASSWORD), [], [])
    for _ in range(MOST_TRIES):
        assert sign_in(client, "chris", "not the password").status_code == 401
    response = sign_in(client, "chris")
    assert (response.status_code, response.headers["retry-after"]) == (429, "60")
    container.db.run("update users set failed_at = failed_at - interval '2 minutes' where id = %(id)s", {"id": account})
    assert sign_in(client, "chris").status_code == 200


def test_an_unknown_name_and_a_wrong_password_are_told_alike(client: TestClient, anna: str) -> None:
    assert sign_in(client, "nobody").json() == sign_in(client, "anna", "wrong password").json()


def test_a_short_password_is_refused() -> None:
    with pytest.raises(InvalidInput, match="12"):
        hash_password("kort")


def test_what_tells_of_others_is_for_admins(client: TestClient, container: Container, anna: str) -> None:
    db = container.db
    reader = add_account(db, LOCAL_USER, "Dirk", "dirk", None, [], [])
    told = {
        who: client.get("/health", headers={"cookie": f"{SESSION}={signed_in(db, who)}"}).json()
        for who in (reader, anna)
    }
    assert told[reader]["parts"] == []
    assert {part["name"] for part in told[anna]["parts"]} == {"database", "store", "embedder", "generator"}


def test_each_request_is_known_with_its_user_and_what_came_of_it(
    client: TestClient, container: Container, anna: str
) -> None:
    seen: list[RequestOutcome] = []
    client.app.state.observers.append(seen.append)  # type: ignore[attr-defined]
    client.get("/api/judged/none", headers={"cookie": f"{SESSION}={signed_in(container.db, anna)}"})
    client.get("/judged/none")
    client.app.state.observers.clear()  # type: ignore[attr-defined]
    assert [(one.user and one.user.id, one.method, one.route, one.status) for one in seen] == [
        (anna, "GET", "/judged/{name}", 404),
        (None, "GET", "/judged/{name}", 401),
    ]


def test_a_scope_is_of_a_set_of_groups() -> None:
    one, same, other = (User("x", "x", groups) for groups in (("a", "b"), ("b", "a"), ("a",)))
    assert scope_of(one) == scope_of(same) != scope_of(other)


PRODUCTION = {
    "environment": "production", "database_url": "postgresql://bedside:Zk29dj2k3n@db/bedside", "generator_url": "http://generator/v1",
    "sign_in": "local", "public_url": "https://bedside.example",
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sign_in": "off"}, "BEDSIDE_SIGN_IN"),
        ({"public_url": None}, "BEDSIDE_PUBLIC_URL"),
        ({"public_url": "http://bedside.example"}, "BEDSIDE_PUBLIC_URL"),
        ({"database_url": "postgresql://bedside:bedside@db/bedside"}, "BEDSIDE_DATABASE_URL"),
        ({"generator_api_key": "changeme"}, "BEDSIDE_GENERATOR_API_KEY"),
        ({"sign_in": "oidc", "oidc_client_id": "x"}, "BEDSIDE_OIDC_ISSUER"),
        ({"sign_in": "oidc", "oidc_client_id": "x", "oidc_issuer": "http://keycloak"}, "BEDSIDE_OIDC_ISSUER"),
        ({"role_groups": "chief=staff"}, "BEDSIDE_ROLE_GROUPS"),
    ],
)
def test_production_does_not_start_with_an_open_door(changed: dict[str, str | None], said: str) -> None:
    Settings.model_validate(PRODUCTION)
    with pytest.raises(ValidationError, match=said):
        Settings.model_validate(PRODUCTION | changed)
