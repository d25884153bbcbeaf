"""The compose file is read as Compose reads it, and told to podman. The containers themselves:
`make stack`."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.faults.matrix import Cell
from tests.faults.services import Service
from tests.stack import checks, packing, results, whole
from tests.stack.__main__ import main
from tests.stack.bases import ROOT, bases, made_of
from tests.stack.engine import rootless
from tests.stack.engine.compose import Unset, read
from tests.stack.engine.containers import Containers
from tests.stack.engine.machine import NEEDED, Failed, NoContainers
from tests.stack.stack import SECRETS, Stack

pytestmark = pytest.mark.quick
FILE = ROOT / "docker-compose.yml"
VALUES = dict.fromkeys(SECRETS, "x") | {"BEDSIDE_SERVER_NAME": "bedside.example.org", "BEDSIDE_TLS_DIR": "./tls"}


@pytest.mark.parametrize("name", VALUES)
def test_a_variable_that_must_be_set_is_named(name: str) -> None:
    with pytest.raises(Unset, match=f"{name} is not set"):
        read(FILE, {one: value for one, value in VALUES.items() if one != name})
    with pytest.raises(Unset):
        read(FILE, VALUES | {name: ""})


def test_each_service_comes_after_those_that_it_waits_for() -> None:
    compose = read(FILE, VALUES)
    order = compose.active(["cpu"])
    assert {"generator-cpu", "nginx"} <= set(order)
    assert not {"generator", "ingest"} & set(order)
    for at, service in enumerate(order):
        assert set(compose.services[service].get("depends_on", {})) <= set(order[:at])


def test_defaults_hold_where_nothing_is_said_and_variables_without_a_value_are_left_out() -> None:
    services = read(FILE, VALUES).services
    assert services["rag_api"]["environment"]["BEDSIDE_EMBEDDER"] == "bge-m3"
    assert services["embedder"]["environment"]["BEDSIDE_EMBEDDER_MODEL"] == "BAAI/bge-m3"
    assert "BEDSIDE_GENERATOR_HEAD" not in services["generator"]["environment"]
    assert (
        read(FILE, VALUES | {"BEDSIDE_EMBEDDER": "other"}).services["rag_api"]["environment"]["BEDSIDE_EMBEDDER"]
        == "other"
    )


def test_a_value_that_looks_like_a_variable_is_filled_in_once(tmp_path: Path) -> None:
    path = tmp_path / "compose.yml"
    path.write_text('services: {one: {image: "a:1", environment: {A: "${X:-y}", B: "$$X", C: }}}\n')
    assert read(path, {}).services["one"]["environment"] == {"A": "y", "B": "$X"}
    assert read(path, {"X": "${Z}", "C": "c"}).services["one"]["environment"] == {"A": "${Z}", "B": "$X", "C": "c"}


def test_podman_is_told_what_confines_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    compose = read(FILE, VALUES)
    containers = Containers("trial", compose, ROOT)
    monkeypatch.setattr(Containers, "volume", lambda self, volume: volume)  # which would make it
    for service in compose.services:
        options = containers.options_of(service)
        assert {"--read-only", "--read-only-tmpfs=false", "--cap-drop=ALL", "--security-opt=no-new-privileges"} <= set(
            options
        )
    nginx = containers.options_of("nginx")
    assert "--publish=443:8443" in nginx
    assert "--network=trial-front:alias=nginx" in nginx
    assert "--network=trial-models:alias=generator-cpu,alias=generator" in containers.options_of("generator-cpu")


def test_the_short_form_needs_no_image_that_opens_word_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stack, "values", VALUES)
    ours = {"rag-api", "embedder", "generator-cpu", "nginx"}
    for short, images in ((True, ours), (False, ours | {"reading"})):
        stack = Stack(short=short)
        services = [stack.compose.services[service] for service in [*stack.active, "ingest"]]
        assert {one["image"].split("/")[1].split(":")[0] for one in services if "build" in one} == images
        assert ("READING_SOCKET" in stack.compose.services["ingest"]["environment"]) is short


def test_an_image_is_built_again_when_what_it_copies_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.stack.bases.podman", lambda *arguments: "the base")
    (tmp_path / "Dockerfile").write_text(
        "FROM one:1.2.3 AS first\nCOPY part other.txt /app/\nCOPY --from=first /a /b\n"
    )
    for name in ("part/one.py", "part/__pycache__/one.pyc", "other.txt", "beside.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    keys = [made_of(tmp_path / "Dockerfile", tmp_path, ())]
    for name in ("beside.txt", "part/__pycache__/one.pyc", "part/one.py", "other.txt"):
        (tmp_path / name).write_text("2")
        keys.append(made_of(tmp_path / "Dockerfile", tmp_path, ()))
    keys.append(made_of(tmp_path / "Dockerfile", tmp_path, ("--target=x",)))
    assert keys[0] == keys[1] == keys[2]
    assert len(set(keys)) == 4


def test_every_image_that_others_publish_has_a_base() -> None:
    assert set(bases()) == {"python", "node", "nginxinc", "postgres", "prom", "semitechnologies"}


def test_what_an_image_consists_of_is_named_as_others_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {"nginx": "deb zlib1g 1:1.3\n", "rag-api": "pypi Pydantic_Core 2.0\ndeb libc6 2.36\n"}

    def said(*arguments: str, timeout: float) -> str:
        (image,) = (one for one in arguments if "/bedside/" in one)
        return listed.get(image.split("/")[-1].split(":")[0], "")

    monkeypatch.setattr(Stack, "values", VALUES)
    monkeypatch.setattr(checks, "podman", said)
    bills = {path.name.split("-0.1")[0]: json.loads(path.read_text()) for path in checks.bill(Stack(), tmp_path)}
    purls = {name: {one["purl"] for one in bill["components"]} for name, bill in bills.items()}
    assert purls["rag-api"] == {"pkg:pypi/pydantic-core@2.0", "pkg:deb/debian/libc6@2.36"}
    assert "pkg:deb/debian/zlib1g@1:1.3" in purls["nginx"]
    assert any(purl.startswith("pkg:npm/react@") for purl in purls["nginx"])
    assert not any("vitest" in purl for purl in purls["nginx"])


def test_what_breaking_it_showed_becomes_a_file_for_each_kind_of_work(tmp_path: Path) -> None:
    cells = [
        Cell("postgres", "kill", "answering", {}, ("not ready",)),
        Cell(
            "postgres",
            "kill",
            "answering",
            {"asked": 9, "shown": 7, "outcomes": {"offline": 1, "503 database_unavailable": 1}, "lost": 0},
        ),
        Cell("stack", "upgrade", "all", {"documents": 3, "seconds": 40}),
    ]
    results.keep_cells(tmp_path / "cells.json", cells)
    results.write(results.read_cells(tmp_path / "cells.json"), tmp_path)
    assert {path.name for path in tmp_path.glob("*.csv")} == {"container_faults.csv", "container_whole.csv"}
    (answering,) = csv.DictReader((tmp_path / "container_faults.csv").read_text().splitlines())
    assert (answering["asked"], answering["connection lost"], answering["failed, code said"], answering["note"]) == (
        "9",
        "1",
        "1",
        "holds",
    )
    assert "stack,upgrade,3,,,,40,holds" in (tmp_path / "container_whole.csv").read_text()


def test_the_disk_of_the_machine_is_never_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stack, "folder", tmp_path)
    monkeypatch.setattr(Stack, "values", VALUES)
    monkeypatch.setattr(Containers, "folder_of", lambda self, volume: tmp_path)
    service = Service("postgres", lambda: 0, None, lambda: True)
    with pytest.raises(Failed, match="nothing is filled"), whole.full(Stack(), service):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("allowed", [True, False])
def test_where_no_container_runs_it_is_said_loudly_and_is_no_failure_where_that_is_asked_for(
    allowed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused() -> None:
        raise NoContainers("the kernel refuses containers: no")

    monkeypatch.setattr("tests.stack.stack.expect_containers", refused)
    monkeypatch.setattr("sys.argv", ["tests.stack", "up", *(["--where-allowed"] if allowed else [])])
    if allowed:
        main()
        assert "NOT TRIED: the stack of containers. the kernel refuses containers: no" in capsys.readouterr().err
    else:
        with pytest.raises(SystemExit, match="the kernel refuses"):
            main()


def test_who_is_not_root_gets_ports_that_may_be_had() -> None:
    assert rootless.ports(None, None, lowest=0) == (80, 443)
    assert rootless.ports(None, None, lowest=1024) == (8080, 8443)
    assert rootless.ports(8081, None, lowest=1024) == (8081, 8443)
    assert rootless.ports(80, 443, lowest=80) == (80, 443)
    with pytest.raises(
        NoContainers, match=r"Port 443 is for root alone: .*sudo sysctl net\.ipv4\.ip_unprivileged_port_start=443"
    ):
        rootless.ports(8080, 443, lowest=1024)


def test_ids_that_are_offered_are_nobodys() -> None:
    assert rootless.free_ids("") == "100000-165535"
    assert rootless.free_ids("one:100000:65536\ntwo:165536:65536\n# three:1:1\none:100:5\n") == "231072-296607"


@pytest.mark.parametrize(
    ("lacks", "says"),
    [
        ("slirp4netns", "slirp4netns cannot be found: sudo apt-get install .*slirp4netns"),
        ("tun", "may not open .*/tun: sudo modprobe tun; sudo chmod 666 .*/tun"),
        ("store", "no store On a kernel before 5.13 this takes fuse-overlayfs"),
        ("name space", "gives .* no name space: not permitted .*run it with sudo"),
        ("ids", "has no 65536 ids .*sudo usermod --add-subuids .*podman system migrate"),
    ],
)
def test_what_who_is_not_root_lacks_is_a_sentence(
    lacks: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(*arguments: str, timeout: float) -> str:
        if arguments[0] == "info":
            if lacks == "store":
                raise Failed("no store")
            return ""
        if lacks == "name space":
            raise Failed("not permitted")
        return "0 1002 1\n" * 2 if lacks == "ids" else "0 1002 1\n1 165536 65536\n" * 2

    for name in {*NEEDED, *rootless.FURTHER} - {lacks}:
        (tmp_path / name).touch(0o755)
    if lacks != "tun":
        (tmp_path / "tun").touch()
    monkeypatch.setattr(rootless, "podman", said)
    monkeypatch.setattr(rootless, "TUN", tmp_path / "tun")
    monkeypatch.setattr("os.geteuid", lambda: 1002)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("STORAGE_DRIVER", "overlay")
    monkeypatch.setattr("os.execvp", lambda program, words: pytest.fail("nothing is lacking"))
    with pytest.raises(NoContainers, match=says):
        rootless.as_root(8080, 8443)


def test_who_is_not_root_begins_anew_in_a_name_space_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[list[str]] = []
    monkeypatch.setattr(rootless, "podman", lambda *arguments, timeout: "0 1002 1\n1 165536 65536\n" * 2)
    monkeypatch.setattr(rootless, "expect_programs", lambda names: None)
    monkeypatch.setattr(rootless, "TUN", tmp_path)
    monkeypatch.setattr("os.geteuid", lambda: 1002)
    for name in ("PATH", "STORAGE_DRIVER", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("STORAGE_DRIVER")
    monkeypatch.setattr("sys.orig_argv", ["python", "-m", "tests.stack", "up"])
    monkeypatch.setattr("os.execvp", lambda program, words: begun.append(words))
    rootless.as_root(8080, 8443)
    assert begun == [["podman", "unshare", sys.executable, "-m", "tests.stack", "up", "--http=8080", "--https=8443"]]
    assert os.environ["STORAGE_DRIVER"] == "overlay"


def test_containers_are_broken_by_root_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1002)
    monkeypatch.setattr("sys.argv", ["tests.stack", "faults"])
    with pytest.raises(SystemExit, match="run it with sudo"):
        main()


def test_orders_that_wait_for_nobody_start_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stack, "values", VALUES)
    monkeypatch.setattr(whole, "held", lambda stack: {})
    monkeypatch.setattr(Containers, "remove", lambda self, *, volumes: None)
    orders: list[list[str]] = []
    monkeypatch.setattr(Stack, "start", lambda self, order: orders.append([*order]))
    stack = Stack()
    for name in ("up in reverse order", "up in a random order", "up in another one"):
        whole.WHOLE[name](stack)
    assert all(sorted(order) == sorted(stack.active) for order in orders)
    assert len({*map(tuple, orders), tuple(stack.active)}) == 4


def test_a_job_that_does_not_end_as_it_should_is_told_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ran(self: Containers, service: str, *command: str, name: str, log: IO[bytes]) -> subprocess.Popen[bytes]:
        assert service == "pack"
        ends = int("--check" in command)
        return subprocess.Popen(["sh", "-c", f"echo No room. >&2; exit {ends}"], stdout=subprocess.PIPE, stderr=log)

    monkeypatch.setattr(Stack, "folder", tmp_path)
    monkeypatch.setattr(Stack, "values", VALUES)
    monkeypatch.setattr(Containers, "run", ran)
    assert packing.job(Stack()) == "No room.\n"
    with pytest.raises(Failed, match="ended with 1, not 0: No room"):
        packing.job(Stack(), "bedside", "pack", "/packs/today", "--check")
