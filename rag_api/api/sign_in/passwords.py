"""Passwords of local accounts: argon2id, for the demo and for sites without a provider."""

from __future__ import annotations

import math
import threading
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from rag_api.db import Database
from rag_api.db.people.accounts import SUSPENDED, login_of, tried
from rag_api.errors import AccountSuspended, InvalidInput, NotSignedIn, TooManyTries

SHORTEST, LONGEST = 12, 200
_hasher = PasswordHasher()  # RFC 9106's second recommendation: 64 MiB each
_at_once = threading.Semaphore(2)  # so that many tries take time, not memory


def hash_password(password: str) -> str:
    """Raises InvalidInput for one that is too short."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidInput(f"A password has {SHORTEST} to {LONGEST} characters.")
    with _at_once:
        return _hasher.hash(password)


def sign_in(db: Database, login: str, password: str) -> str:
    """Return the account's id. Raises NotSignedIn, the same for an unknown name as for a wrong
    password, TooManyTries, and for who knows the password AccountSuspended."""
    known = login_of(db, login)
    if known is not None and known.waits:
        minutes = math.ceil(known.waits / 60)
        raise TooManyTries(f"Too many wrong passwords. The next try is in {minutes} min.", known.waits)
    right = _matches(known.password_hash if known else _nobodys(), password)
    if known is None or not right:
        if known is not None:
            tried(db, known.account_id, right=False)
        raise NotSignedIn("The name or the password is not right.")
    if known.suspended:
        raise AccountSuspended(SUSPENDED)
    tried(db, known.account_id, right=True)
    return known.account_id


def _matches(password_hash: str, password: str) -> bool:
    with _at_once:
        try:
            return _hasher.verify(password_hash, password[: LONGEST + 1])
        except (VerificationError, InvalidHashError):
            return False


@cache
def _nobodys() -> str:
    """So that an unknown name takes as long as a wrong password."""
    return _hasher.hash("nobody's password")
