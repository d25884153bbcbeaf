"""Takes network and files away from this process and all that it starts, where Linux allows: for
programs that open files from anywhere.

Two mechanisms of the kernel that need no privileges: a seccomp filter refuses internet sockets,
Landlock (Linux 5.13) refuses other processes and files outside of a few folders. On other systems,
or an older kernel, both do nothing and say so; limits on time and memory remain.
"""

from __future__ import annotations

import ctypes
import logging
import os
import platform
import struct
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

log = logging.getLogger(__name__)

# What programs need of the system. Nothing of ours lies there but the code.
_SYSTEM = (
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/etc",
    "/opt",
    "/proc",
    "/sys",
    "/dev",
    "/nix",
    "/var/lib/libreoffice",
    "/var/spool/libreoffice",
    "/var/cache/fontconfig",
)
_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1  # EPERM
_ARCHITECTURES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}  # audit number, system call `socket`
_IO_URING_SETUP = 425  # could open sockets unseen by the filter
_INTERNET = (2, 10, 17)  # AF_INET, AF_INET6, AF_PACKET
_LOCAL = 1  # AF_UNIX: by a path Landlock lets it reach other programs' sockets, a database's too
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06

_CAPABILITIES = 0x20080522  # the version of what capset is given

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_FILE = 1 | 1 << 1 | 1 << 2 | 1 << 14  # execute, write, read, truncate
_READ = 1 | 1 << 2 | 1 << 3  # execute, read files and folders
_SOCKETS = 1 << 5 | 1 << 9  # remove files, make sockets


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def confine(folder: Path, programs: Iterable[Path] = (), sockets: Collection[Path] = ()) -> str:
    """Leave this process that folder, the system's files and our code, to read but for the folder,
    and no network; sockets of this machine only where there are folders to put them in. Return what
    of it the system does not offer; empty: nothing."""
    no_capabilities()
    lacking = [] if no_network(local=bool(sockets)) else ["seccomp (network)"]
    read = [*map(Path, (*_SYSTEM, sys.prefix, sys.base_prefix)), Path(__file__).parents[2], *programs]
    if not only_files(read, [folder, Path("/dev/null")], sockets):
        lacking.append("Landlock (files)")
    return ", ".join(lacking)


def lacking_here() -> str:
    """Return what this system does not offer, tried in a process of its own; empty: nothing."""
    with tempfile.TemporaryDirectory(prefix="bedside-confine-") as folder:
        tried = subprocess.run(
            [sys.executable, "-m", "rag_api.ingest.sandbox.confine", folder],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    return tried.stdout.strip()


@lru_cache(16)
def tell_unconfined(done: str, lacking: str) -> None:
    """Once in the log: on this system a document that takes its reader over could reach more than
    its own folder."""
    if lacking:
        log.warning(
            "%s without %s, which this system does not offer: load only documents that you trust", done, lacking
        )


def no_capabilities() -> None:
    """Of root, where it is root that reads: with them it would see into processes that Landlock
    keeps from it."""
    if sys.platform == "linux":
        _libc().capset(struct.pack("II", _CAPABILITIES, 0), struct.pack("6I", 0, 0, 0, 0, 0, 0))


def no_network(*, local: bool) -> bool:
    """Refuse internet sockets from now on, and all others unless `local`; False where that cannot
    be had."""
    known = _ARCHITECTURES.get(platform.machine())
    if sys.platform != "linux" or known is None:
        return False
    program = b"".join(_instructions(*known, _INTERNET if local else (*_INTERNET, _LOCAL)))
    kept = ctypes.create_string_buffer(program, len(program))
    filter_ = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(kept))
    libc = _libc()
    zero = ctypes.c_ulong(0)
    if libc.prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero):
        return False
    return bool(libc.prctl(_SET_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.c_char_p(filter_), zero, zero) == 0)


def _instructions(architecture: int, socket: int, families: Sequence[int]) -> Iterable[bytes]:
    """A BPF program over the call's number, architecture and first argument."""
    count = len(families)

    def step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("HBBI", code, yes, no, value)

    yield step(_LOAD, 4)
    yield step(_EQUAL, architecture, yes=1)
    yield step(_RETURN, _REFUSE)
    yield step(_LOAD, 0)
    yield step(_AT_LEAST, 0x40000000, yes=count + 3)  # the same calls under other numbers (x32)
    yield step(_EQUAL, _IO_URING_SETUP, yes=count + 2)
    yield step(_EQUAL, socket, no=count + 2)
    yield step(_LOAD, 16)
    for left, family in zip(reversed(range(count)), families, strict=True):
        yield step(_EQUAL, family, yes=left, no=0 if left else 1)
    yield step(_RETURN, _REFUSE)
    yield step(_RETURN, _ALLOW)


def only_files(read: Iterable[Path], write: Iterable[Path], sockets: Iterable[Path] = ()) -> bool:
    """Refuse all files but those below these from now on; False where that cannot be had. sockets:
    folders to put sockets in."""
    if sys.platform != "linux":
        return False
    libc = _libc()
    version = libc.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    if version < 1:
        return False
    everything = (1 << 13) - 1 | (1 << 13 if version >= 2 else 0) | (1 << 14 if version >= 3 else 0)
    attributes = struct.pack("Q", everything)
    rules = libc.syscall(_CREATE, ctypes.c_char_p(attributes), ctypes.c_size_t(8), ctypes.c_uint(0))
    if rules < 0:
        return False
    try:
        allowed = all(_allow(libc, rules, path, _READ & everything) for path in read)
        allowed = allowed and all(_allow(libc, rules, path, everything) for path in write)
        allowed = allowed and all(_allow(libc, rules, path, _SOCKETS) for path in sockets)
        zero = ctypes.c_ulong(0)
        no_privileges = libc.prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero) == 0
        return allowed and no_privileges and libc.syscall(_RESTRICT, ctypes.c_int(rules), ctypes.c_uint(0)) == 0
    finally:
        os.close(rules)


def _allow(libc: ctypes.CDLL, rules: int, path: Path, access: int) -> bool:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return True  # what is not there needs no permission
    try:
        rule = struct.pack("=Qi", access if path.is_dir() else access & _FILE, handle)
        return bool(
            libc.syscall(_ADD, ctypes.c_int(rules), ctypes.c_int(1), ctypes.c_char_p(rule), ctypes.c_uint(0)) == 0
        )
    finally:
        os.close(handle)


if __name__ == "__main__":
    print(confine(Path(sys.argv[1])))
