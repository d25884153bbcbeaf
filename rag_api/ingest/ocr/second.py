"""The second reader of images, where there is one: Debian's tesseract with Dutch. Light, for who
only asks."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

_LANGUAGES = ("nld", "eng")


@cache
def second_reader() -> tuple[str, str] | None:
    """(the program, its languages of ours joined as it wants them); None when there is none that
    knows Dutch."""
    program = shutil.which("tesseract")
    if program is None:
        return None
    try:
        said = subprocess.run(
            [program, "--list-langs"], capture_output=True, text=True, timeout=20, check=True
        ).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return None
    return (program, "+".join(name for name in _LANGUAGES if name in said)) if "nld" in said else None
