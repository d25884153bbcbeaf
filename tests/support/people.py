"""The people of a small hospital, each signed in or with a key: who they are, and a client that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import httpx

from rag_api.api.sign_in.cookies import SESSION
from rag_api.api.sign_in.tokens import hashed, new_key, new_token, prefix_of
from rag_api.db import Database
from rag_api.db.accounts import add_account, change_account
from rag_api.db.api_keys import NewKey, add_key
from rag_api.db.sessions import start_session
from rag_api.domain import LOCAL_USER, Role, Scope

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
    ids = {name: add_account(db, name, name.replace(" ", "-"), hashes[name], roles, groups) for name, (roles, groups) in PEOPLE.items()}
    keys = {scope: key_of(db, ids["machine"], [scope]) for scope in Scope}
    change_account(db, LOCAL_USER, ids["suspended"], suspended=True)
    return People(db, ids, keys)


def refused(response: httpx.Response) -> str:
    """Return the code of a problem."""
    return str(response.json()["code"])
