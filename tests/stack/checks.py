"""Checks that only running containers show, as sentences: who runs in them with which rights, one
id through all logs, what Prometheus sees."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

from tests.faults.services import family
from tests.stack.bases import PACKAGES, ROOT
from tests.stack.engine.machine import Failed, limits, podman
from tests.stack.stack import Stack

COMPILERS = "cc gcc g++ clang tcc make"
PATIENCE = 150.0  # seconds until Prometheus asked everything twice
LOGGED_WITHIN = 15.0


def confinement(stack: Stack) -> list[str]:
    """What is wrong with the rights of what runs; empty: nobody is root, has a capability, writes
    beside a volume, or has a compiler."""
    wrong = []
    for service in stack.active:
        for name in stack.containers.names(service):
            for pid in family(stack.containers.pid(name)):
                wrong += [f"{name}: {what}" for what in _rights(pid)]
            if stack.containers.pid(name) and (found := _compilers(name)):
                wrong.append(f"{name} has {found}")
    return sorted(set(wrong))


def _rights(pid: int) -> list[str]:
    try:
        status = dict(re.findall(r"^(\w+):\t(.*)$", Path(f"/proc/{pid}/status").read_text(), re.M))
        mounts = Path(f"/proc/{pid}/mountinfo").read_text().splitlines()
    except OSError:  # it ended meanwhile
        return []
    (root,) = (line.split()[5] for line in mounts if line.split()[4] == "/")
    return [
        *(["a process of root"] if "0" in status["Uid"].split() else []),
        *(f"{name} is {status[name]}" for name in ("CapEff", "CapPrm", "CapBnd") if int(status[name], 16)),
        *(["it may gain privileges"] if status["NoNewPrivs"] != "1" else []),
        *(["its root file system can be written to"] if "ro" not in root.split(",") else []),
    ]


def _compilers(name: str) -> str:
    said = podman("exec", name, "sh", "-c", f"for one in {COMPILERS}; do command -v $one; done; true")
    return ", ".join(said.split())


def logs(stack: Stack) -> list[str]:
    """What is wrong with the logs of one question: by its id it is found in nginx's, rag_api's, the
    embedder's and the generator's."""
    with stack.client(120) as client:
        asked = client.post(
            f"{stack.url}/ask",
            json={"question": f"hoeveel paracetamol per dag? ({time.time():.0f})", "mode": "verbatim"},
        )
    request = asked.headers["x-request-id"]
    through = ["nginx", "rag_api", "embedder", *(["generator-cpu"] if stack.generator else [])]
    end = time.monotonic() + LOGGED_WITHIN
    while missing := [service for service in through if not _lines(stack, service, request)]:
        if time.monotonic() > end:
            return [f"no line of {', '.join(missing)} has the question's id {request}"]
        time.sleep(0.5)
    return [
        f"{service}: a line of its log is no JSON: {line[:120]}"
        for service in through
        for line in _words(stack, service)[:1]
    ]


def _lines(stack: Stack, service: str, request: str) -> list[dict[str, Any]]:
    found = []
    for name in stack.containers.names(service):
        for line in stack.containers.logs(name).splitlines():
            if request in line and line.startswith("{"):
                found.append(json.loads(line))
    return [line for line in found if line.get("request") == request]


def _words(stack: Stack, service: str) -> list[str]:
    """Lines that are no JSON. nginx's own notices are none: it has no such format for them."""
    said = "\n".join(stack.containers.logs(name) for name in stack.containers.names(service)).splitlines()
    return [
        line
        for line in said
        if line and not line.startswith("{") and not (service == "nginx" and re.match(r"\d{4}/|nginx:", line))
    ]


def watched(stack: Stack) -> list[str]:
    """What Prometheus says is wrong: with its rules, and with what it asks."""
    end = time.monotonic() + PATIENCE
    while wrong := _watched(stack):
        if time.monotonic() > end:
            break
        time.sleep(3)
    return wrong


def _watched(stack: Stack) -> list[str]:
    rules = [rule for group in _prometheus(stack, "rules")["groups"] for rule in group["rules"]]
    targets = _prometheus(stack, "targets?state=active")["activeTargets"]
    up = [target for target in targets if target["health"] == "up"]
    asked = {target["labels"]["job"] for target in targets} - ({"bedside-generator"} if not stack.generator else set())
    return [
        *([] if rules else ["no rule is loaded"]),
        *(
            f"the rule {rule['name']} is {rule['health']}: {rule.get('lastError', '')}"
            for rule in rules
            if rule["health"] == "err"
        ),
        *(f"the rule {rule['name']} fires" for rule in rules if rule.get("state") == "firing" and stack.generator),
        *(f"nothing of the job {job} is up" for job in asked - {target["labels"]["job"] for target in up}),
        *(
            f"{target['scrapeUrl']}: {target['lastError']}"
            for target in targets
            if target["labels"]["job"] in asked and target not in up
        ),
    ]


def _prometheus(stack: Stack, what: str) -> dict[str, Any]:
    name = stack.containers.name("prometheus")
    found: dict[str, Any] = json.loads(
        podman("exec", name, "wget", "-q", "-O", "-", f"http://127.0.0.1:9090/api/v1/{what}")
    )["data"]
    return found


def sizes(stack: Stack) -> list[tuple[str, float, str]]:
    """Image, megabytes, and its layers, largest first."""
    found = []
    for image in sorted({stack.compose.services[service]["image"] for service in [*stack.active, "ingest"]}):
        named = f"docker.io/{image if '/' in image else 'library/' + image}"
        (whole,) = json.loads(podman("image", "inspect", named))
        layers = json.loads(podman("history", "--format", "json", named))
        large = sorted(
            ((one["size"], _step(one["CreatedBy"])) for one in layers if one["size"] > 1_000_000), reverse=True
        )
        found.append((image, whole["Size"] / 1e6, ", ".join(f"{by} {size / 1e6:.0f}" for size, by in large)))
    return found


def _step(created_by: str) -> str:
    words = re.sub(r"^/bin/sh -c (#\(nop\) )?|^\|\d+ .*?/bin/sh -c ", "", created_by).split()
    return " ".join(words[:3])


def bill(stack: Stack, folder: Path) -> list[Path]:
    """Write what each of our images consists of, as CycloneDX: packages of Debian or Alpine, of
    Python, and of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for image in sorted({one["image"] for one in stack.compose.services.values() if "build" in one}):
        named = f"docker.io/{image}"
        try:
            said = podman(
                "run", "--rm", "--network=none", *limits(), "--entrypoint", "", named, "sh", "-c", LISTED, timeout=300
            )
        except Failed:
            continue  # not built here, as the generator's in the short form
        if image.startswith("bedside/nginx:"):
            said += "\n".join(_of_the_page())
        written.append(folder / f"{image.split('/')[-1].replace(':', '-')}.cdx.json")
        written[-1].write_text(json.dumps(_cyclonedx(image, said), indent=1) + "\n", encoding="utf-8")
    return written


# What is installed, a line each: kind, name, version.
LISTED = (
    f"cat /{PACKAGES} 2>/dev/null; dpkg-query -W -f 'deb ${{Package}} ${{Version}}\\n' 2>/dev/null;"
    " command -v apk >/dev/null && apk info -v 2>/dev/null | sed -E 's/^(.*)-([^-]+-r[0-9]+)$/apk \\1 \\2/';"
    ' command -v python >/dev/null && python -c "from importlib.metadata import distributions as d;'
    " [print('pypi', one.name, one.version) for one in d()]\";"
    " true"
)
KINDS = {"deb": "deb/debian/", "apk": "apk/alpine/", "pypi": "pypi/", "npm": "npm/"}


def _of_the_page() -> list[str]:
    """What the page is built of; its tools stay behind."""
    locked = json.loads((ROOT / "web" / "package-lock.json").read_text("utf-8"))["packages"]
    named = {
        path.rpartition("node_modules/")[2]: one["version"]
        for path, one in locked.items()
        if path and not one.get("dev")
    }
    return [f"npm {name} {version}" for name, version in named.items()]


def _cyclonedx(image: str, listed: str) -> dict[str, Any]:
    components = []
    for line in sorted(set(listed.splitlines())):
        match line.split():
            case [kind, name, version]:
                known_as = name.lower().replace("_", "-") if kind == "pypi" else name.replace("@", "%40")
                purl = f"pkg:{KINDS[kind]}{known_as}@{version}"
                components.append({"type": "library", "name": name, "version": version, "purl": purl})
    name, _, version = image.rpartition(":")
    about = {"component": {"type": "container", "name": name, "version": version}}
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": about, "components": components}
