"""Random tokens: what the browser or the machine has, and the hash that is kept."""

from __future__ import annotations

import hashlib
import secrets

KEY_START = "bsk_"  # so that a key is recognised where it does not belong
PREFIX = len(KEY_START) + 6


def new_token() -> str:
    return secrets.token_urlsafe(32)


def new_key() -> str:
    return KEY_START + secrets.token_urlsafe(32)


def prefix_of(key: str) -> str:
    return key[:PREFIX]


def hashed(token: str) -> bytes:
    """sha256: a token of 256 random bits needs no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
