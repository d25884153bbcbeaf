"""Manifest of a downtime pack: what is changed, missing, put in, signed by another or out of date
is refused, and named."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rag_api.config import PackDates
from rag_api.db.copies import DatabaseCopy
from rag_api.errors import InvalidInput, PackOutOfDate
from rag_api.upkeep.manifest import IndexCopy
from rag_api.upkeep.pack import manifest as signed
from rag_api.upkeep.pack.opening import looked_at

pytestmark = pytest.mark.quick

MADE = datetime(2026, 11, 26, 22, 0, tzinfo=UTC)
DATES = PackDates(made_at=MADE, valid_until=MADE + timedelta(days=7))


def silent(_: str) -> None:
    """Says nothing."""


@pytest.fixture
def key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.generate()


@pytest.fixture
def pack(tmp_path: Path, key: Ed25519PrivateKey) -> Path:
    folder = tmp_path / "pack"
    (folder / "data" / "files").mkdir(parents=True)
    (folder / "data" / "files" / "a.pdf").write_bytes(b"%PDF a")
    (folder / "start.sh").write_text("#!/bin/sh\n")
    (folder / signed.PUBLIC_KEY).write_bytes(signed.public_pem(key.public_key()))
    said = signed.PackManifest(
        signed.FORMAT, "0.1.0", "", "", DATES, ("everyone",), {}, DatabaseCopy((), (), ()), IndexCopy("lance", "e5", 384, 1, 1),
        tuple(signed.listed(folder)),
    )  # fmt: skip
    signed.write_signed(folder, said, key)
    return folder


def refused(pack: Path, *, now: datetime = MADE) -> str:
    with pytest.raises(InvalidInput) as raised:
        looked_at(pack, None, silent, now)
    return raised.value.message


def test_a_pack_as_it_was_made_is_opened(pack: Path, key: Ed25519PrivateKey) -> None:
    assert looked_at(pack, None, silent, MADE) == looked_at(pack, key.public_key(), silent, DATES.valid_until)


def test_a_changed_file_is_named(pack: Path) -> None:
    (pack / "data" / "files" / "a.pdf").write_bytes(b"%PDF b")
    assert "data/files/a.pdf was changed" in refused(pack)


def test_a_missing_file_and_one_that_was_put_in_are_named(pack: Path) -> None:
    (pack / "start.sh").rename(pack / "begin.sh")
    said = refused(pack)
    assert "start.sh is missing" in said
    assert "begin.sh was put in" in said


def test_a_link_that_was_put_in_is_named(pack: Path) -> None:
    (pack / "data" / "more").symlink_to("/etc")
    assert "data/more was put in" in refused(pack)


def test_a_manifest_that_was_changed_is_refused(pack: Path) -> None:
    path = pack / signed.NAME
    path.write_text(path.read_text().replace("2026-12-03", "2027-12-03"))
    assert "is not signed by the key" in refused(pack)


def test_a_pack_of_another_key_is_refused_where_the_hospitals_is_kept(pack: Path) -> None:
    with pytest.raises(InvalidInput, match="another hospital made it"):
        looked_at(pack, Ed25519PrivateKey.generate().public_key(), silent, MADE)


def test_a_pack_that_was_not_finished_is_refused(pack: Path) -> None:
    (pack / signed.SIGNATURE).unlink()
    assert "not finished" in refused(pack)


def test_after_its_last_day_it_is_refused(pack: Path) -> None:
    with pytest.raises(PackOutOfDate, match="valid until 2026-12-03 22:00"):
        looked_at(pack, None, silent, DATES.valid_until + timedelta(seconds=1))


def test_a_clock_before_it_was_made_is_refused(pack: Path) -> None:
    looked_at(pack, None, silent, MADE - timedelta(minutes=5))
    with pytest.raises(PackOutOfDate, match="set the clock right"):
        looked_at(pack, None, silent, MADE - timedelta(hours=1))


def test_the_key_is_made_once_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "pack.key"
    first = signed.read_private(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert signed.fingerprint(signed.read_private(path).public_key()) == signed.fingerprint(first.public_key())
    path.write_text("no key")
    with pytest.raises(InvalidInput, match="no private key"):
        signed.read_private(path)
