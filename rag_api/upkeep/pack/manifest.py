"""Manifest of a downtime pack: when it was made, until when it answers, and the SHA-256 of every
file, signed by the hospital's key.

The public key lies in the pack too, so that damage is found on any PC. Whoever can change the pack
could change that key as well: against them only a copy of it helps that is kept elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from pydantic import TypeAdapter, ValidationError

from rag_api.config import PackDates
from rag_api.db.copies import DatabaseCopy
from rag_api.errors import InvalidInput, PackOutOfDate
from rag_api.upkeep.manifest import IndexCopy, KeptFile, sha256_of

NAME, SIGNATURE, PUBLIC_KEY = "pack.json", "pack.sig", "pack.pub"
DATABASE, DATA, PAGE = "database", "data", "page"  # folders of it
FORMAT = 1  # one more whenever a pack is laid out otherwise
DIFFER = 20  # files that are named when they differ
SLOW_CLOCK = timedelta(minutes=10)  # that a PC's clock may be behind the server's


@dataclass(frozen=True, slots=True)
class PackManifest:
    """groups: whose documents it holds. settings: of the server, as far as answers follow from
    them."""

    format: int
    version: str  # of Bedside
    machine: str  # whose programs it carries: "Linux x86_64"; empty: none
    needs: str  # of the PC that runs it
    dates: PackDates
    groups: tuple[str, ...]
    settings: dict[str, Any]
    database: DatabaseCopy
    index: IndexCopy
    files: tuple[KeptFile, ...]


_FORM = TypeAdapter(PackManifest)


def listed(folder: Path) -> Iterator[KeptFile]:
    """Every file of a pack but the manifest and its signature."""
    for path in _files(folder):
        yield KeptFile(path.relative_to(folder).as_posix(), path.stat().st_size, sha256_of(path))


def write_signed(folder: Path, manifest: PackManifest, key: Ed25519PrivateKey) -> None:
    """The signature last: a pack without it is half made."""
    said = _FORM.dump_json(manifest, indent=1)
    (folder / NAME).write_bytes(said)
    (folder / SIGNATURE).write_bytes(key.sign(said))


def read_signed(folder: Path, trusted: Ed25519PublicKey | None = None) -> PackManifest:
    """trusted: the key as it is kept elsewhere; absent: the pack's own. Raises InvalidInput."""
    try:
        said, signature = (folder / NAME).read_bytes(), (folder / SIGNATURE).read_bytes()
        key = trusted or read_public(folder / PUBLIC_KEY)
    except OSError as error:
        raise InvalidInput(
            f"{folder} is no pack, or one that was not finished ({error}): copy it again, or make another one."
        ) from None
    try:
        key.verify(signature, said)
    except InvalidSignature:
        raise InvalidInput(
            f"{folder} is not signed by the key {fingerprint(key)}: it was changed, or another hospital made it."
        ) from None
    found = json.loads(said)
    if found.get("format") != FORMAT:
        raise InvalidInput(
            f"{folder} is a pack of format {found.get('format')}, this Bedside knows {FORMAT}: make another one."
        )
    try:
        return _FORM.validate_python(found)
    except ValidationError as error:
        raise InvalidInput(
            f"{folder / NAME} is not a pack's ({error.error_count()} faults): make another one."
        ) from None


def verify_files(folder: Path, manifest: PackManifest) -> None:
    """Raises InvalidInput that names what is missing, changed, or was put in."""
    wanted = {kept.path: kept for kept in manifest.files}
    there = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
    wrong = [f"{name} is missing" for name in wanted if name not in there]
    wrong += [f"{name} was put in" for name in there if name not in wanted]
    for name in sorted(wanted.keys() & there.keys()):
        if there[name].stat().st_size != wanted[name].bytes or sha256_of(there[name]) != wanted[name].sha256:
            wrong.append(f"{name} was changed")
    if wrong:
        more = f" and {len(wrong) - DIFFER} more" if len(wrong) > DIFFER else ""
        raise InvalidInput(
            f"{folder} is not as it was made: {'; '.join(wrong[:DIFFER])}{more}. Copy it again, or make another one."
        )


def refuse_out_of_date(dates: PackDates, now: datetime) -> None:
    """Raises PackOutOfDate."""
    if now > dates.valid_until:
        raise PackOutOfDate(
            f"This downtime pack was valid until {dates.valid_until:%Y-%m-%d %H:%M} and answers no "
            f"more: use a newer one."
        )
    if now < dates.made_at - SLOW_CLOCK:
        raise PackOutOfDate(
            f"This machine's clock says {now:%Y-%m-%d %H:%M}, which is before this downtime pack was made"
            f" ({dates.made_at:%Y-%m-%d %H:%M}): set the clock right."
        )


def read_private(path: Path) -> Ed25519PrivateKey:
    """The key that signs; made where there is none, readable by its owner alone. Raises
    InvalidInput."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        path.write_bytes(Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except (OSError, ValueError, TypeError) as error:
        raise InvalidInput(f"{path} is no private key that can be read: {error}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InvalidInput(f"{path} is no Ed25519 key: openssl genpkey -algorithm ed25519 -out {path}")
    return key


def read_public(path: Path) -> Ed25519PublicKey:
    """Raises OSError, InvalidInput."""
    try:
        key = load_pem_public_key(path.read_bytes())
    except ValueError as error:
        raise InvalidInput(f"{path} is no public key: {error}") from None
    if not isinstance(key, Ed25519PublicKey):
        raise InvalidInput(f"{path} is no Ed25519 key.")
    return key


def public_pem(key: Ed25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def fingerprint(key: Ed25519PublicKey) -> str:
    """The first half of its SHA-256, for people to compare."""
    digest = sha256(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()[:32]
    return " ".join(digest[at : at + 4] for at in range(0, 32, 4))


def _files(folder: Path) -> Iterator[Path]:
    own = {folder / NAME, folder / SIGNATURE}
    yield from (
        path for path in sorted(folder.rglob("*")) if path not in own and (path.is_symlink() or not path.is_dir())
    )
