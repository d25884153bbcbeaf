"""Looks at what is around Bedside: its settings, its folder, the disk, programs that it uses, the
way in. Nothing is changed."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import stat
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from rag_api.config import DEFAULT_SECRETS, Settings
from rag_api.ingest.sandbox.confine import lacking_here
from rag_api.ingest.sandbox.office import office
from rag_api.ingest.sandbox.starting import second_reader
from rag_api.upkeep.backup import last_backup
from rag_api.upkeep.finding import Finding, fail, ok, warn
from rag_api.upkeep.pack.last_check import last_check

SHORT_SECRET = 16  # characters
LITTLE_DISK, NO_DISK = 5 * 2**30, 2**29  # bytes free
OLD_BACKUP = timedelta(days=7)
OLD_CHECK = timedelta(days=2)  # of the downtime pack, made every night
NAMED = 3  # of what differs, so many are named
SOON = timedelta(days=14)  # before a certificate ends
PATIENCE = 5.0  # seconds
OWN = ("127.0.0.1", "localhost", "::1")  # addresses that only this machine reaches


def secrets(settings: Settings) -> Finding:
    """Production refuses to start on a known one (rag_api/config.py); where only this machine comes
    in it is merely to be looked at."""
    # none: a database that is reached by a socket
    found = {name: secret for name, secret in settings.secrets().items() if secret}
    todo = "Make new ones: openssl rand -hex 32."
    if known := sorted(name for name, secret in found.items() if secret.lower() in DEFAULT_SECRETS):
        return (warn if settings.host in OWN else fail)("secrets", f"known to everyone: {_variables(known)}", todo)
    if short := sorted(name for name, secret in found.items() if len(secret) < SHORT_SECRET):
        return warn("secrets", f"shorter than {SHORT_SECRET} characters: {_variables(short)}", todo)
    return ok("secrets", f"{len(found)}, none of them short or known to everyone")


def _variables(names: Sequence[str]) -> str:
    return ", ".join(f"BEDSIDE_{name.upper()}" for name in names)


def way_in(settings: Settings) -> Finding:
    """Who may come in; production refuses to start with an open door (rag_api/config.py)."""
    if settings.environment == "production":
        return ok("way in", f"production, sign-in by {settings.sign_in} at {settings.public_url}")
    if settings.host not in OWN and settings.sign_in == "off":
        return fail(
            "way in",
            f"no sign-in, and reached from other machines ({settings.host})",
            "Set BEDSIDE_ENVIRONMENT=production.",
        )
    return ok("way in", "not production: for trying out on this machine")


def certificate(settings: Settings, trusted: ssl.SSLContext | None = None) -> Finding | None:
    """What a browser meets at the public address; None where there is no TLS to look at."""
    if not settings.has_tls:
        return None
    url = urlsplit(settings.public_url or "")
    host, port = str(url.hostname), url.port or 443
    try:
        context = trusted or ssl.create_default_context()
        with (
            socket.create_connection((host, port), PATIENCE) as plain,
            context.wrap_socket(plain, server_hostname=host) as secured,
        ):
            shown = secured.getpeercert() or {}
    except ssl.SSLError as error:
        todo = (
            "Put one for this name, with its whole chain, into BEDSIDE_TLS_DIR; or this machine does not trust its "
            "issuer."
        )
        return fail("certificate", f"{host}:{port} shows one that is not accepted: {error.reason}", todo)
    except OSError as error:
        return warn("certificate", f"{host}:{port} is not reached from here: {error}", "Look whether nginx runs.")
    ends = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(shown["notAfter"])), UTC)
    if ends - datetime.now(UTC) < SOON:
        return warn(
            "certificate",
            f"{host}: ends on {ends:%Y-%m-%d}",
            "Renew it, then have nginx read it anew: docs/operations.md.",
        )
    return ok("certificate", f"{host}: until {ends:%Y-%m-%d}")


def data_dir(settings: Settings) -> Finding:
    folder = settings.data_dir
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix="doctor-"):
            pass
    except OSError as error:
        return fail(
            "data directory",
            f"{folder} cannot be written: {error.strerror}",
            f"Give it to Bedside's user (now {os.geteuid()}).",
        )
    mode = stat.S_IMODE(folder.stat().st_mode)
    needs_way_through = settings.database_url is None and os.geteuid() == 0  # for the embedded PostgreSQL's own user
    if mode & 0o007 and not needs_way_through:
        return warn(
            "data directory", f"{folder} is open to this machine's other users ({mode:o})", f"chmod 700 {folder}"
        )
    return ok("data directory", f"{folder}, writable, {mode:o}")


def disk(settings: Settings) -> Finding:
    free = shutil.disk_usage(settings.data_dir).free
    what = f"{free / 2**30:.1f} GB free for {settings.data_dir}"
    if free < NO_DISK:
        return fail("disk", what, "Make room: without it documents are not loaded and answers not kept.")
    if free < LITTLE_DISK:
        return warn("disk", what, "Make room, or move the data directory to a larger disk.")
    return ok("disk", what)


def readers() -> Finding:
    """Whether a document that takes what reads it over could reach more than its own folder."""
    if lacking := lacking_here():
        todo = (
            "Let the kernel (5.13 or newer) and the container runtime offer it; until then load only documents "
            "that you trust."
        )
        return warn("readers", f"read documents without {lacking}", todo)
    return ok("readers", "documents are read without network, and without files but their own")


def libre_office() -> Finding:
    path = office()
    if path is None:
        return warn(
            "LibreOffice",
            "is not installed",
            "Install libreoffice-nogui: without it DOCX is not shown, and older formats are refused.",
        )
    return ok("LibreOffice", path)


def tesseract() -> Finding:
    if second_reader() is None:
        todo = (
            "Install tesseract-ocr, tesseract-ocr-nld and tesseract-ocr-eng: without it more of a scan is in "
            "doubt, and is not quoted."
        )
        return warn("tesseract", "is not installed, or without Dutch and English", todo)
    return ok("tesseract", "second reader of scans")


def backup_age(settings: Settings, now: datetime | None = None) -> Finding:
    last = last_backup(settings.data_dir)
    if last is None:
        return warn(
            "backup", "none was made by `bedside backup`", "bedside backup DIR, every night, onto another disk."
        )
    made_at, folder = last
    age = (now or datetime.now(UTC)) - made_at
    if age > OLD_BACKUP:
        return warn(
            "backup",
            f"the last one is {age.days} days old ({folder})",
            "bedside backup DIR, every night, onto another disk.",
        )
    return ok("backup", f"{made_at:%Y-%m-%d %H:%M} UTC in {folder}")


def pack_check(settings: Settings, now: datetime | None = None) -> Finding | None:
    """None where no pack is signed and none was checked."""
    name, again = "downtime pack", "bedside pack DIR --check, every night."
    last = last_check(settings.data_dir)
    if last is None:
        signs = (settings.data_dir / "pack.key").exists()
        return warn(name, "none was checked against this server", again) if signs else None
    when = f"{last.checked_at:%Y-%m-%d %H:%M} UTC, {last.folder}"
    if last.problem:
        return fail(name, f"could not be checked ({when}): {last.problem}", "Make a new one: bedside pack DIR.")
    if last.differing:
        named = ", ".join(last.differing[:NAMED]) + (" ..." if len(last.differing) > NAMED else "")
        return warn(
            name,
            f"answers {len(last.differing)} of {last.asked} questions otherwise than this server ({when}): {named}",
            "Make a new one after documents or settings have changed: bedside pack DIR.",
        )
    if (now or datetime.now(UTC)) - last.checked_at > OLD_CHECK:
        return warn(name, f"was last checked {when}", again)
    return ok(name, f"answers {last.asked} questions as this server does ({when})")


def restoration(unfinished: Path) -> Finding | None:
    if not unfinished.exists():
        return None
    folder = unfinished.read_text(encoding="utf-8")
    return fail("restoration", "one was not finished: parts are missing", f"bedside restore {folder} --yes")
