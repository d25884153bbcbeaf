"""A downtime pack opened: looked at, then made ready in a temporary folder, as nothing is written
into the pack itself."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db import copies as database
from rag_api.db.migrate import read_migrations
from rag_api.errors import InvalidInput
from rag_api.upkeep.pack import manifest as signed

# the files of documents stay where they are
COPIED = ("index", "abbreviations.csv", "synonyms.csv", "drugs.csv", "calibration.json")
Say = Callable[[str], object]


def looked_at(
    folder: Path, trusted: Ed25519PublicKey | None, say: Say, now: datetime | None = None
) -> signed.PackManifest:
    """The manifest of a pack that is signed, whole and in date. Raises InvalidInput,
    PackOutOfDate."""
    manifest = signed.read_signed(folder, trusted)
    signed.refuse_out_of_date(manifest.dates, now or datetime.now(UTC))
    say("Checking signature and files.")
    signed.verify_files(folder, manifest)
    return manifest


@contextmanager
def unpacked(folder: Path, manifest: signed.PackManifest, port: int) -> Iterator[Settings]:
    """Settings that serve it on this machine alone, from a temporary folder that is gone at the
    end. Raises InvalidInput."""
    try:
        data_dir = Path(tempfile.mkdtemp(prefix="bedside-pack-"))
    except OSError as error:
        raise InvalidInput(
            f"There is no room for temporary files ({error}): name a folder that can be written in TMPDIR."
        ) from error
    try:
        for name in COPIED:
            source = folder / signed.DATA / name
            if source.is_dir():
                shutil.copytree(source, data_dir / name, copy_function=shutil.copyfile)
                _make_writable(data_dir / name)
            elif source.is_file():
                shutil.copyfile(source, data_dir / name)
        (data_dir / "files").symlink_to((folder / signed.DATA / "files").resolve(), target_is_directory=True)
        yield settings_of(folder, manifest, data_dir, port)
    finally:
        shutil.rmtree(data_dir, ignore_errors=True)


class PackSettings(Settings):
    """Settings of an opened pack: what the pack says, and nothing of this machine's environment. A
    variable that names the hospital's own database would have the pack written over it."""

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *_: Any, **__: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def settings_of(folder: Path, manifest: signed.PackManifest, data_dir: Path, port: int) -> Settings:
    """Nobody signs in, and no trail is kept of nobody."""
    own = {
        "data_dir": data_dir,
        "host": "127.0.0.1",
        "port": port,
        "pack": manifest.dates,
        "web_dir": folder / signed.PAGE,
        "audit": "off",
        "written_answers": "hidden",
        "questions_per_minute": 0,
        "requests_per_minute": 0,
    }
    return PackSettings(**(manifest.settings | own))


def fill(container: Container, folder: Path, manifest: signed.PackManifest) -> None:
    """The database, before anything else opens it. Raises InvalidInput for one that holds anything,
    DatabaseUnavailable."""
    dsn = container.dsn()
    if not database.is_empty(dsn):
        raise InvalidInput("The database that the pack would be put into is not empty, and stays as it is.")
    database.copy_in(dsn, folder / signed.DATABASE, manifest.database, read_migrations())


def _make_writable(folder: Path) -> None:
    """Copies of folders that cannot be written cannot be, either."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
