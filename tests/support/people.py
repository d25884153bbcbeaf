"""The people of a small hospital, each signed in or with a key: who they are, and a client that
shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from fastapi.testclient import TestClient

from rag_api.api.sign_in.cookies import SESSION
from rag_api.api.sign_in.tokens import hashed, new_key, new_token, prefix_of
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db import Database
from rag_api.db.people.accounts import add_account, change_account
from rag_api.db.people.api_keys import NewKey, add_key
from rag_api.db.people.sessions import start_session
from rag_api.domain import LOCAL_USER, Role, Scope
from rag_api.main import create_app

# Of Settings(role_groups=...): who is in neither group is no reader.
ROLE_GROUPS = "reader=staff;reader=elsewhere"
PEOPLE: dict[str, tuple[list[Role], list[str]]] = {
    "owner": ([], ["staff", "surgery"]),
    "colleague": ([], ["staff", "surgery"]),
    "outsider": ([], ["elsewhere"]),
    "judge": ([Role.JUDGE], ["staff", "surgery"]),
    "admin": ([Role.ADMIN], ["staff", "surgery"]),
    "foreign admin": ([Role.ADMIN], ["elsewhere"]),
    "auditor": ([Role.AUDITOR], ["surgery"]),
    "suspended": ([Role.ADMIN], ["staff", "surgery"]),
    "membership admin": ([Role.MEMBERSHIP_ADMIN], ["staff", "surgery"]),
    "machine": ([Role.ADMIN, Role.AUDITOR], ["staff", "surgery"]),
}


@dataclass(frozen=True)
class People:
    """`ids` by name; `keys` of the machine by scope."""

    db: Database
    ids: dict[str, str]
    keys: dict[Scope, str]

    def shows(self, who: str) -> dict[str, str]:
        """Return the headers that who signs in now, or a key's holder ("key:ask"), sends."""
        if who == "anonymous":
            return {"origin": "http://testserver"}
        if who.startswith("key:"):
            return {"authorization": f"Bearer {self.keys[Scope(who.removeprefix('key:'))]}"}
        return {"cookie": f"{SESSION}={signed_in(self.db, self.ids[who])}", "origin": "http://testserver"}


def signed_in(db: Database, account_id: str, hours: float = 1.0) -> str:
    """Return a new session's token."""
    token = new_token()
    start_session(db, hashed(token), account_id, hours)
    return token


def key_of(db: Database, account_id: str, scopes: Sequence[Scope], days: int = 1) -> str:
    key = new_key()
    add_key(db, LOCAL_USER, NewKey(account_id, "a test's", tuple(scopes), days), prefix_of(key), hashed(key))
    return key


def hired(db: Database) -> People:
    """Make them all; the suspended one was an admin until just now."""
    hashes = dict.fromkeys(PEOPLE, "of no password") | {"machine": None}
    ids = {
        name: add_account(db, LOCAL_USER, name, name.replace(" ", "-"), hashes[name], roles, groups)
        for name, (roles, groups) in PEOPLE.items()
    }
    keys = {scope: key_of(db, ids["machine"], [scope]) for scope in Scope}
    change_account(db, LOCAL_USER, ids["suspended"], suspended=True)
    return People(db, ids, keys)


def refused(response: httpx.Response) -> str:
    """Return the code of a problem."""
    return str(response.json()["code"])


@contextmanager
def staffed(dsn: str, place: Path) -> Iterator[tuple[Container, TestClient, People]]:
    """A service without documents, generator and page, where these people sign in with
    passwords."""
    settings = Settings(
        data_dir=place, database_url=dsn, store="memory", sign_in="local", role_groups=ROLE_GROUPS, generator_url="http://127.0.0.1:9/v1",
        web_dir=place / "no page", sentence_vectors_mb=0, questions_per_minute=0, requests_per_minute=0,
    )  # fmt: skip
    with Container(settings) as container, TestClient(create_app(settings, container)) as client:
        yield container, client, hired(container.db)
