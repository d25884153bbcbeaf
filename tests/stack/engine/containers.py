"""The services of a compose file as podman's containers: what Compose tells an engine, told to
podman. Knows nothing of Bedside."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.stack.engine.compose import Compose
from tests.stack.engine.machine import Failed, last_words, limits, podman

HEALTHY = 300.0  # seconds that a service may take to become healthy here


@dataclass
class Containers:
    """Of one project: everything is named after it, so that two do not meet."""

    project: str
    compose: Compose
    folder: Path  # what relative paths in the file are relative to
    scale: Mapping[str, int] = field(default_factory=dict)
    disks: Mapping[str, Path] = field(default_factory=dict)  # volumes with a file system of their own, in these files

    def name(self, service: str, number: int = 1) -> str:
        return f"{self.project}-{service}-{number}"

    def names(self, service: str) -> list[str]:
        return [self.name(service, number + 1) for number in range(self.scale.get(service, 1))]

    def make_networks(self) -> None:
        there = podman("network", "ls", "--format", "{{.Name}}").split()
        for network, options in self.compose.networks.items():
            if (name := f"{self.project}-{network}") not in there:
                podman(
                    "network",
                    "create",
                    *(["--internal"] if options.get("internal") else []),
                    "--label",
                    f"project={self.project}",
                    name,
                )

    def gateway(self, network: str) -> str:
        """Where containers of this network ask for names."""
        (found,) = json.loads(podman("network", "inspect", f"{self.project}-{network}"))
        return str(found["subnets"][0]["gateway"])

    def start(self, service: str) -> None:
        """In the background, in as many copies as are wanted. What had the name before is removed,
        the file's volumes are not."""
        for name in self.names(service):
            podman("rm", "--force", "--volumes", "--time", "10", "--ignore", name)
            podman("run", "--detach", "--name", name, *self.options_of(service))

    def run(
        self,
        service: str,
        *command: str,
        options: Sequence[str] = (),
        name: str | None = None,
        log: IO[bytes] | None = None,
    ) -> subprocess.Popen[bytes]:
        """A one-off beside the service's own containers, as `docker compose run --rm` starts it."""
        named = ["--name", name] if name else []
        words = [
            "podman",
            "--runtime",
            "runc",
            "run",
            "--rm",
            *named,
            *self.options_of(service, options, command, once=True),
        ]
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)

    def wait_healthy(self, service: str, seconds: float = HEALTHY) -> None:
        """Raises Failed, with the container's last words."""
        end = time.monotonic() + seconds
        for name in self.names(service):
            while not self.is_healthy(service, name):
                if time.monotonic() > end:
                    raise Failed(
                        f"{name} was not healthy after {seconds:.0f} s. Its last words: {last_words(self.logs(name))}"
                    )
                time.sleep(0.5)

    def is_healthy(self, service: str, name: str) -> bool:
        check = self.compose.services[service]["healthcheck"]
        assert check["test"][0] == "CMD"
        try:
            podman("exec", name, *check["test"][1:], timeout=_seconds(check["timeout"]) + 5)
        except Failed:
            return False
        return True

    def wait_ended(self, service: str, seconds: float = HEALTHY) -> None:
        """Until a service that does one thing did it. Raises Failed."""
        (name,) = self.names(service)
        status = podman("wait", name, timeout=seconds).strip()
        if status != "0":
            raise Failed(f"{name} ended with {status}. Its last words: {last_words(self.logs(name))}")

    def logs(self, name: str) -> str:
        done = subprocess.run(["podman", "logs", name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout

    def pid(self, name: str) -> int:
        """Of its first process; 0 when it does not run."""
        try:
            return int(podman("inspect", "--format", "{{.State.Pid}}", name, timeout=30))
        except (Failed, ValueError):
            return 0

    def folder_of(self, volume: str) -> Path:
        """Where this machine sees what a volume holds, while a container uses it. Raises Failed."""
        return Path(podman("volume", "inspect", "--format", "{{.Mountpoint}}", f"{self.project}-{volume}").strip())

    def stop_signal(self, service: str) -> signal.Signals:
        """What asks it to end, as its image says. Raises Failed."""
        named = f"docker.io/{_full(self.compose.services[service]['image'])}"
        said = podman("image", "inspect", "--format", "{{.Config.StopSignal}}", named).strip() or "SIGTERM"
        return signal.Signals(int(said)) if said.isdigit() else signal.Signals[said]

    def address(self, name: str, network: str) -> str:
        (found,) = json.loads(podman("inspect", name))
        return str(found["NetworkSettings"]["Networks"][f"{self.project}-{network}"]["IPAddress"])

    def remove(self, *, volumes: bool) -> None:
        """All containers and networks of the project, and its volumes."""
        label = f"label=project={self.project}"
        if found := podman("ps", "--all", "--quiet", "--filter", label).split():
            podman("rm", "--force", "--volumes", "--time", "10", *found, timeout=300)  # those without a name
        if found := podman("network", "ls", "--quiet", "--filter", label).split():
            podman("network", "rm", "--force", *found)
        if volumes and (found := podman("volume", "ls", "--quiet", "--filter", label).split()):
            podman("volume", "rm", "--force", *found)

    def options_of(
        self, service: str, further: Sequence[str] = (), command: Sequence[str] = (), *, once: bool = False
    ) -> list[str]:
        one = self.compose.services[service]
        words = [f"--label=project={self.project}", *limits()]
        words += [
            f"--{option.replace('_', '-')}={one[option]}"
            for option in ("user", "shm_size", "stop_signal")
            if option in one
        ]
        words += [f"--cap-drop={one_of}" for one_of in one.get("cap_drop", ())]
        words += [f"--cap-add={one_of}" for one_of in one.get("cap_add", ())]
        words += [f"--entrypoint={json.dumps(one['entrypoint'])}"] if "entrypoint" in one else []
        words += [f"--network={one['network_mode']}"] if "network_mode" in one else []
        words += [f"--security-opt={option.replace(':true', '')}" for option in one.get("security_opt", ())]
        words += ["--read-only", "--read-only-tmpfs=false"] if one.get("read_only") else []
        words += ["--init", "--init-path=/usr/bin/catatonit"] if one.get("init") else []
        words += [f"--env={name}={value}" for name, value in one["environment"].items()]
        words += [f"--volume={self.volume(volume)}" for volume in one.get("volumes", ())]
        words += [f"--tmpfs={mount}" for mount in one.get("tmpfs", ())]
        for network, options in one["networks"].items():
            aliases = [service, *((options or {}).get("aliases", ()))] if not once else []
            # podman's own words for a network with names in it
            words += [
                f"--network={self.project}-{network}"
                + (":" + ",".join(f"alias={alias}" for alias in aliases) if aliases else "")
            ]
        if not once:
            words += [f"--publish={port}" for port in one.get("ports", ())]
            words += [f"--restart={one.get('restart', 'no')}"]
        if "stop_grace_period" in one:
            words += [f"--stop-timeout={_seconds(one['stop_grace_period']):.0f}"]
        return [*words, *further, f"docker.io/{_full(one['image'])}", *map(str, command or one.get("command", ()))]

    def volume(self, volume: str) -> str:
        source, _, rest = volume.partition(":")
        if source in self.compose.volumes:
            name = f"{self.project}-{source}"
            if name not in podman("volume", "ls", "--quiet").split():
                disk = self.disks.get(source)
                own = [f"--opt={option}" for option in ("type=ext4", f"device={disk}", "o=loop")] if disk else []
                podman("volume", "create", "--label", f"project={self.project}", *own, name)
            return f"{name}:{rest}"
        return f"{(self.folder / source).resolve()}:{rest}"


def _full(image: str) -> str:
    return image if "/" in image else f"library/{image}"


def _seconds(period: str) -> float:
    match = re.fullmatch(r"(?:(\d+)m)?(?:(\d+)s)?", period)
    assert match, period
    return 60.0 * int(match[1] or 0) + int(match[2] or 0)
