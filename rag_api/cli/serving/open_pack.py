"""Opening of a downtime pack: `start.sh` in it runs this, with the pack's own Python. In Dutch and
English, for whoever starts it."""

from __future__ import annotations

import argparse
import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rag_api.cli.console import opened, said, say
from rag_api.errors import InvalidInput
from rag_api.own_processes.processes import free_port
from rag_api.upkeep.pack import carried_model
from rag_api.upkeep.pack import manifest as signed
from rag_api.upkeep.pack.opening import fill, looked_at, unpacked

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

# A copy of the hospital's public key, where those who change a pack cannot change it.
KEPT_KEYS = (Path("/etc/bedside/pack.pub"), Path.home() / ".config" / "bedside" / "pack.pub")
OF_THE_PACK = ("PYTHONHOME", "PYTHONPATH", "LD_LIBRARY_PATH")  # what programs of the machine itself must not see


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="start.sh", description="Bedside: noodpakket openen. / Open the downtime pack."
    )
    parser.add_argument("folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument(
        "--port", type=int, default=0, help="poort op deze PC / port on this PC (a free one when absent)"
    )
    parser.add_argument("--key", type=Path, help="publieke sleutel van het ziekenhuis / the hospital's public key")
    parser.add_argument("--no-browser", action="store_true", help="open geen browser / do not open a browser")
    given = parser.parse_args()
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(129))  # its window was closed
    try:
        open_pack(given.folder, given.port, given.key, browser=not given.no_browser)
    except typer.Exit as ended:  # it was said why
        raise SystemExit(ended.exit_code) from None


def open_pack(folder: Path, port: int = 0, key: Path | None = None, *, browser: bool = True) -> None:
    """Serve it until Ctrl-C. Raises typer.Exit where it may not be opened, once it has said why."""
    with said():
        manifest = looked_at(folder, trusted_key(folder, key), say)
        refuse_root(folder)
    for name in [name for name in os.environ if name.startswith("BEDSIDE_")]:
        del os.environ[name]  # nothing of this machine's counts, for what it starts either
    dates = manifest.dates
    made, until = (f"{one.astimezone():%Y-%m-%d %H:%M}" for one in (dates.made_at, dates.valid_until))
    say(f"Noodpakket van {made}, geldig tot {until}. / Downtime pack of {made}, valid until {until}.")
    with said(), unpacked(folder, manifest, port or free_port()) as settings, opened(settings) as container:
        from rag_api.cli.serving.serve import rehearse, run_server, url_of

        # The database's library makes its lock anew when the process ends; what is registered
        # before it runs after it.
        atexit.register(shutil.rmtree, settings.data_dir, ignore_errors=True)
        _use_for_temporary_files(settings.data_dir / "tmp")
        fill(container, folder, manifest)
        container.start_generator(carried_model.command(settings, folder.resolve()))  # loads in the background
        container.warm()
        rehearse(container)
        say(f"Bedside: {url_of(container)}   (Ctrl-C stopt / stops)")
        if browser:
            _show(url_of(container))
        run_server(container)


def refuse_root(folder: Path) -> None:
    """For root the database's library would open its own folder to another user. Raises
    InvalidInput where that cannot be."""
    if os.geteuid() == 0 and not os.access(folder, os.W_OK):
        raise InvalidInput(f"{folder} cannot be written, and is then opened by an ordinary user, not by root.")


def trusted_key(folder: Path, given: Path | None) -> Ed25519PublicKey | None:
    """The key that is kept elsewhere; None, and its fingerprint said, where only the pack has one.
    Raises InvalidInput."""
    kept = given or next((path for path in KEPT_KEYS if path.is_file()), None)
    try:
        if kept is not None:
            return signed.read_public(kept)
        own = signed.fingerprint(signed.read_public(folder / signed.PUBLIC_KEY))
    except OSError as error:
        raise InvalidInput(f"{error.filename} cannot be read ({error.strerror}).") from None
    say(
        f"Sleutel / key: {own}. Niet vergeleken met een bewaarde sleutel / not compared with a key kept on this PC "
        f"({KEPT_KEYS[0]})."
    )
    return None


def _use_for_temporary_files(folder: Path) -> None:
    """Of this process and those that it starts. The database's library keeps a lock there, which
    another user of this PC may have made."""
    folder.mkdir(mode=0o700)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


def _show(url: str) -> None:
    if (program := shutil.which("xdg-open")) and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        clean = {name: value for name, value in os.environ.items() if name not in OF_THE_PACK}
        subprocess.Popen(
            [program, url], env=clean, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )


if __name__ == "__main__":
    main()
