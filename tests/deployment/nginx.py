"""A real nginx with the files of nginx/, on ports of its own, before an upstream of the test's
choice."""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.ports import free_port

NGINX = Path(__file__).parents[2] / "nginx"
MISSING = None if shutil.which("nginx") and shutil.which("openssl") else "nginx or openssl is not installed"


@dataclass(frozen=True)
class Gate:
    """Where the server listens, and the certificate that its clients must trust."""

    https: int
    http: int
    certificate: Path

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificate))


def render(folder: Path, values: dict[str, str]) -> Path:
    """As the image's start script does it: templates/NAME.template -> conf.d/NAME, with
    ${BEDSIDE_...} filled in."""
    (folder / "conf.d").mkdir(parents=True)
    shutil.copy(NGINX / "nginx.conf", folder / "nginx.conf")
    for template in (NGINX / "templates").glob("*.template"):
        text = re.sub(r"\$\{(BEDSIDE_\w+)\}", lambda match: values[match[1]], template.read_text())
        (folder / "conf.d" / template.stem).write_text(text)
    return folder / "nginx.conf"


def self_signed(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "tls.crt", folder / "tls.key"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-keyout",
        str(key),
        "-out",
        str(certificate),
    ]
    subprocess.run([*command, *subject], check=True, capture_output=True)
    return certificate, key


@contextlib.contextmanager
def nginx(
    folder: Path,
    api: str,
    web_root: Path,
    max_upload_mb: int = 2,
    resolver: str = "127.0.0.1",
    health: str = "",
    hands_free: str = "false",
    public_https: str = "443",
) -> Iterator[Gate]:
    folder.mkdir(exist_ok=True)
    certificate, key = self_signed(folder)
    gate = Gate(free_port(), free_port(), certificate)
    values = {
        "BEDSIDE_API": api,
        "BEDSIDE_API_HEALTH": health or api,
        "BEDSIDE_RESOLVER": resolver,
        "BEDSIDE_HTTP_PORT": f"127.0.0.1:{gate.http}",
        "BEDSIDE_HTTPS_PORT": f"127.0.0.1:{gate.https}",
        "BEDSIDE_SERVER_NAME": "localhost",
        "BEDSIDE_TLS_CERTIFICATE": str(certificate),
        "BEDSIDE_TLS_KEY": str(key),
        "BEDSIDE_WEB_ROOT": str(web_root),
        "BEDSIDE_MAX_UPLOAD_MB": str(max_upload_mb),
        "BEDSIDE_HANDS_FREE": hands_free,
        "BEDSIDE_PUBLIC_HTTPS": public_https,
    }
    configuration = render(folder / "etc", values)
    prefix = folder / "run"
    prefix.mkdir()
    command = ["nginx", "-p", f"{prefix}/", "-c", str(configuration), "-g", "daemon off;"]
    subprocess.run([*command, "-t"], check=True, capture_output=True, text=True)
    log = (folder / "nginx.log").open("w")
    server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait_for(gate.https, server)
        yield gate
    finally:
        server.terminate()
        server.wait(60)
        log.close()


def wait_for(port: int, server: subprocess.Popen[bytes], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert server.poll() is None, "nginx ended at its start"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError("nginx does not listen")
