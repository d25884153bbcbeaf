"""Sessions of who is signed in. A session is known by a token that only the browser has; what is
kept is its hash.

It ends at `expires_at`, after some time without use, at sign-out, with its account, and when the
password changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from rag_api.db import Database
from rag_api.db.access import LIVE_SESSION, administrator, found
from rag_api.db.people.accounts import Account, to_account
from rag_api.domain import User


@dataclass(frozen=True, slots=True)
class Session:
    account: Account
    seconds_left: float  # until it ends for want of use, or altogether


def start_session(db: Database, token_hash: bytes, account_id: str, hours: float, id_token: str | None = None) -> None:
    """Those that have ended go with it."""
    with db.connection() as connection:
        connection.execute("delete from sessions where expires_at < now()")
        connection.execute(
            """insert into sessions (token_hash, user_id, id_token, expires_at)
            values (%(hash)s, %(user)s, %(id_token)s, now() + %(hours)s * interval '1 hour')""",
            {"hash": token_hash, "user": account_id, "id_token": id_token, "hours": hours},
        )


def session_of(db: Database, token_hash: bytes, idle_seconds: float, used: bool) -> Session | None:
    """Return the session as long as it lives. `used`: by the person, not by the page of its own
    accord; then its time begins anew."""
    row = db.one(
        f"""select users.*, extract(epoch from least(sessions.expires_at,
          sessions.seen_at + %(idle)s * interval '1 second') - now())::float8 as seconds_left
        from sessions join users on users.id = sessions.user_id where token_hash = %(hash)s and {LIVE_SESSION}""",  # noqa: S608
        {"hash": token_hash, "idle": idle_seconds},
    )
    if row is None:
        return None
    if used and row["seconds_left"] < idle_seconds - min(5, idle_seconds / 10):  # not a write for every request
        db.run("update sessions set seen_at = now() where token_hash = %(hash)s", {"hash": token_hash})
    return Session(to_account(row), row["seconds_left"])


def end_session(db: Database, token_hash: bytes) -> str | None:
    """Return the id token it was started with, if there was one."""
    with db.connection() as connection:
        row = connection.execute(
            "delete from sessions where token_hash = %(hash)s returning id_token", {"hash": token_hash}
        ).fetchone()
    return row["id_token"] if row else None


def live_sessions(db: Database, idle_seconds: float) -> dict[str, int]:
    """Return how many live now, by account; who has none is not in it."""
    rows = db.all(
        f"""select users.id, count(*) as n from sessions join users on users.id = sessions.user_id where {LIVE_SESSION}
        group by users.id""",  # noqa: S608
        {"idle": idle_seconds},
    )
    return {row["id"]: row["n"] for row in rows}


def end_sessions(db: Database, by: User, account_id: str) -> int:
    """End all of an account's, and return how many there were. Raises NotFound (also for who is no
    administrator)."""
    administrator(by)
    found(db.one("select id from users where id = %(id)s", {"id": account_id}), "account", account_id)
    return db.run("delete from sessions where user_id = %(id)s", {"id": account_id})


@dataclass(frozen=True, slots=True)
class Started:
    """A sign-in that went to the provider and is expected back."""

    nonce: str
    verifier: str
    return_to: str


MINUTES = 10.0  # to sign in at the provider


def start_sign_in(db: Database, state_hash: bytes, browser_hash: bytes, started: Started) -> None:
    with db.connection() as connection:
        connection.execute("delete from sign_ins where expires_at < now()")
        connection.execute(
            """insert into sign_ins (state_hash, browser_hash, nonce, verifier, return_to, expires_at)
            values (%(state)s, %(browser)s, %(nonce)s, %(verifier)s, %(return_to)s, now() + %(minutes)s * interval '1 minute')""",
            {
                "state": state_hash,
                "browser": browser_hash,
                "nonce": started.nonce,
                "verifier": started.verifier,
                "return_to": started.return_to,
                "minutes": MINUTES,
            },
        )


def returned(db: Database, state_hash: bytes, browser_hash: bytes) -> Started | None:
    """Return the sign-in of this state, once, to the browser that began it."""
    with db.connection() as connection:
        row = connection.execute(
            """delete from sign_ins where state_hash = %(state)s and browser_hash = %(browser)s and expires_at > now()
            returning nonce, verifier, return_to""",
            {"state": state_hash, "browser": browser_hash},
        ).fetchone()
    return Started(row["nonce"], row["verifier"], row["return_to"]) if row else None
