"""The model that reads, in a downtime pack: what is carried of it, and how it is started there, in
little memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rag_api.config import Settings
from rag_api.errors import InvalidInput
from rag_api.upkeep.pack import runtime

FOLDER = "reader"
KERNELS = Path("services", "generator", "native", "built")  # where the generator looks for them
# One asks at a time, and a PC has less memory than a server.
SPARING = ("--max-rows", "1", "--readings", "1", "--prefix-mb", "64")


def size(settings: Settings) -> int:
    """Bytes of model and adapter; 0 where nothing reads. Raises InvalidInput where they cannot be
    carried."""
    return int(_carrying(settings)) if settings.reader else 0


def carry(settings: Settings, folder: Path, with_runtime: bool) -> None:
    """After the runtime, into which kernels go. Raises InvalidInput."""
    into = ["--into", str(folder / FOLDER)]
    if with_runtime:
        own = folder / runtime.FOLDER
        into += ["--kernels", str(own / runtime.APPLICATION / KERNELS)]
        into += ["--libraries", str(own / runtime.LIBRARIES), "--packages", str(own / runtime.PACKAGES)]
    _carrying(settings, into)


def command(settings: Settings, folder: Path) -> tuple[str, ...]:
    """What serves an opened pack's model; empty where it has none, and quotes."""
    if not settings.reader:
        return ()
    named = ("--model", str(folder / FOLDER / "model"), "--served-name", settings.generator_model)
    adapters = folder / FOLDER / "adapters"
    return ("services.generator.server", *named, "--adapters", str(adapters) if adapters.is_dir() else "", *SPARING)


def _carrying(settings: Settings, more: Sequence[str] = ()) -> str:
    if settings.generator_kind == "openai":
        raise InvalidInput(f"The model that reads here is another program's, which no pack carries. {WITHOUT}")
    _, _, adapter = (settings.reader or "").partition(":")
    module = ["-m", "services.generator.server.carrying", "--model", settings.generator_model]
    asked = [sys.executable, *module, *(["--adapter", adapter] if adapter else []), *more]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        raise InvalidInput(
            f"The model that reads here (BEDSIDE_READER={settings.reader}) cannot be carried: {why}. {WITHOUT}"
        )
    return done.stdout


WITHOUT = (
    "With --without-reader the pack is made all the same: it answers more than this server, and more often wrongly."
)
