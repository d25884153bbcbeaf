"""The machine's way to run containers, and with which options. Raises NoContainers with a sentence
that says what is missing."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

PACKAGES = (
    "podman",
    "buildah",
    "runc",
    "iptables",
    "netavark",
    "aardvark-dns",
    "catatonit",
    "mmdebstrap",
    "slirp4netns",
    "uidmap",
)
ROOM = 20e9  # bytes that the images and their layers take while they are made
NEEDED = ("podman", "runc", "iptables", "mmdebstrap", "catatonit")
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")


class NoContainers(Exception):
    """No containers can run here; the message says why and what to do."""


class Failed(Exception):
    """A command of the engine failed; the message is a sentence with its last words."""


def podman(*arguments: str, timeout: float = 120.0, check: bool = True, feed: str | None = None) -> str:
    """What `podman ARGUMENTS` printed. Raises Failed."""
    command = ["podman", "--runtime", "runc", *arguments]
    try:
        done = subprocess.run(command, input=feed, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"`podman {' '.join(arguments[:3])}` took longer than {timeout:.0f} s.") from error
    if check and done.returncode != 0:
        raise Failed(f"`podman {' '.join(arguments[:3])}` failed: {last_words(done.stderr or done.stdout)}")
    return done.stdout


def last_words(said: str, lines: int = 4) -> str:
    return " / ".join(line.strip() for line in said.strip().splitlines()[-lines:]) or "it said nothing"


def limits() -> list[str]:
    """Stated, since an engine asks for more than a machine may permit."""
    files = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 65536)
    processes = min(resource.getrlimit(resource.RLIMIT_NPROC)[1], 16384)
    return [f"--ulimit=nofile={files}:{files}", f"--ulimit=nproc={processes}:{processes}"]


def expect_containers() -> None:
    """Return when images can be made and kept here, by root of the machine or of a name space.
    Raises NoContainers."""
    expect_programs(NEEDED)
    try:
        kept, driver = podman("info", "--format", "{{.Store.GraphRoot}} {{.Store.GraphDriverName}}", timeout=60).split()
    except Failed as error:
        raise NoContainers(str(error)) from error
    if driver == "vfs":
        raise NoContainers(
            f"podman copies every layer whole in {kept}, and the images do not fit so. Where that file system can lay "
            f"them over each other,"
            " `podman system reset` lets podman begin so; it forgets its other images and containers too."
        )
    if (room := shutil.disk_usage(kept).free) < ROOM and not podman("images", "--quiet"):
        raise NoContainers(f"{kept} has room for {room / 1e9:.0f} GB; building the images takes {ROOM / 1e9:.0f}.")


def expect_programs(names: Sequence[str]) -> None:
    """Raises NoContainers."""
    missing = [name for name in names if shutil.which(name) is None and not Path("/usr/sbin", name).exists()]
    if missing:
        raise NoContainers(
            f"{', '.join(missing)} cannot be found: sudo apt-get install --no-install-recommends {' '.join(PACKAGES)}"
        )


def expect_a_kernel_that_runs_them(image: str) -> None:
    """Try one, with a network of its own. Raises NoContainers."""
    network = f"bedside-trial-{os.getpid()}"
    try:
        podman("network", "create", network)
        podman("run", "--rm", f"--network={network}", *limits(), "--entrypoint", "", image, "true")
    except Failed as error:
        raise NoContainers(f"the kernel refuses containers: {error}") from error
    finally:
        podman("network", "rm", "--force", network, check=False)


def registries() -> Sequence[str]:
    """How a build reaches packages: by the authorities and the settings of this machine, which
    leave no trace in the image."""
    named = [
        f"--volume={path}:{path}:ro"
        for path in (AUTHORITIES, Path("/etc/pip.conf"), Path("/etc/npmrc"))
        if path.exists()
    ]
    return [*named, f"--env=NODE_EXTRA_CA_CERTS={AUTHORITIES}"]
