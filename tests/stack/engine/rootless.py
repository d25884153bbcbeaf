"""Containers of who is not root, in a name space of the user's own. Raises NoContainers with a
sentence that says what is missing."""

from __future__ import annotations

import os
import pwd
import re
import sys
from pathlib import Path

from tests.stack.engine.machine import NEEDED, Failed, NoContainers, expect_programs, podman

FURTHER = ("slirp4netns", "newuidmap", "newgidmap")  # than root needs
IDS = 65536  # that images may give to files and processes
TUN = Path("/dev/net/tun")
PORTS, OTHERS = (80, 443), (8080, 8443)  # for HTTP and HTTPS, where a user may have them, and else
LOWEST = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")


def ports(http: int | None, https: int | None, lowest: int) -> tuple[int, int]:
    """Those asked for, or those that may be had from `lowest` on. Raises NoContainers."""
    free = PORTS if lowest <= min(PORTS) else OTHERS
    chosen = (free[0] if http is None else http, free[1] if https is None else https)
    if (least := min(chosen)) < lowest:
        raise NoContainers(
            f'Port {least} is for root alone: choose one from {lowest} on, as ARGS="--http {OTHERS[0]} --https '
            f'{OTHERS[1]}" does,'
            f" or let everybody have it: sudo sysctl {'.'.join(LOWEST.parts[3:])}={least}"
        )
    return chosen


def as_root(http: int | None, https: int | None) -> tuple[int, int]:
    """Return the ports where this is root. Else begin this program anew, as root of a name space of
    its user's own, as podman makes it: what containers own can be made, read and removed there as
    it is by root. Raises NoContainers."""
    if os.geteuid() == 0:
        return ports(http, https, 0)
    chosen = ports(http, https, int(LOWEST.read_text()))
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    os.environ.setdefault("STORAGE_DRIVER", "overlay")  # without it podman may choose vfs, which copies each layer
    # no login made one; networks are not made without
    if not os.access(os.environ.get("XDG_RUNTIME_DIR", ""), os.W_OK):
        os.environ["XDG_RUNTIME_DIR"] = folder = f"/tmp/podman-run-{os.getuid()}"  # podman's own choice then
        Path(folder).mkdir(mode=0o700, exist_ok=True)
    expect_programs([*NEEDED, *FURTHER])
    if not os.access(TUN, os.R_OK | os.W_OK):
        raise NoContainers(
            f"slirp4netns, the network of who is not root, may not open {TUN}: sudo modprobe tun; sudo chmod 666 {TUN}"
        )
    _expect_store_and_ids()
    command = ["podman", "unshare", sys.executable, *sys.orig_argv[1:], f"--http={chosen[0]}", f"--https={chosen[1]}"]
    sys.stdout.flush()
    os.execvp("podman", command)


def _expect_store_and_ids() -> None:
    """A store of images, and ids for what they own. Raises NoContainers."""
    user = pwd.getpwuid(os.getuid()).pw_name
    try:
        podman("info", timeout=60)
    except Failed as error:
        raise NoContainers(f"{error} On a kernel before 5.13 this takes fuse-overlayfs.") from error
    try:
        given = podman("unshare", "cat", "/proc/self/uid_map", "/proc/self/gid_map", timeout=60)
    except Failed as error:
        raise NoContainers(
            f"the kernel gives {user} no name space: {error} Root has containers all the same: run it with sudo."
        ) from error
    if sum(int(line.split()[2]) for line in given.splitlines()) < 2 * IDS:
        taken = "".join(path.read_text() for path in (Path("/etc/subuid"), Path("/etc/subgid")) if path.exists())
        ids = free_ids(taken)
        raise NoContainers(
            f"{user} has no {IDS} ids in /etc/subuid and /etc/subgid, for what images own:"
            f" sudo usermod --add-subuids {ids} --add-subgids {ids} {user}; podman system migrate"
        )


def free_ids(taken: str) -> str:
    """A range after all that /etc/subuid or /etc/subgid give to anybody."""
    ends = [int(start) + int(count) for start, count in re.findall(r"^[^:]*:(\d+):(\d+)$", taken, re.M)]
    start = max([100_000, *ends])
    return f"{start}-{start + IDS - 1}"
