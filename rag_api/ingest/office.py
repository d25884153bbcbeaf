"""DOCX -> PDF with LibreOffice, where it is installed, so that a DOCX can be shown and highlighted too."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path


def office() -> str | None:
    """LibreOffice's command, or None."""
    return shutil.which("soffice") or shutil.which("libreoffice")


def to_pdf(path: Path, target: Path, timeout: float) -> bool:
    """Write `target`, whole or not at all; False when LibreOffice is missing, fails or takes longer than `timeout` seconds."""
    command = office()
    if command is None:
        return False
    with tempfile.TemporaryDirectory(prefix="office-", dir=target.parent) as folder:
        source = Path(folder) / "document.docx"
        shutil.copyfile(path, source)
        profile = f"-env:UserInstallation={(Path(folder) / 'profile').as_uri()}"  # its own: two may run at once
        arguments = [command, profile, "--headless", "--norestore", "--convert-to", "pdf", "--outdir", folder, str(source)]
        if not _run(arguments, timeout):
            return False
        made = source.with_suffix(".pdf")
        if not made.is_file() or made.stat().st_size == 0:
            return False
        os.replace(made, target)
        return True


def _run(arguments: list[str], timeout: float) -> bool:
    """In a session of its own, so that its children end with it."""
    process = subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        return process.wait(timeout) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
