"""The manifests in kubernetes/: they and docker-compose.yml run the same images, with the same
settings, and as confined.

Their schemas: `make kubernetes`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic_settings import BaseSettings

from rag_api.config import Settings as ApiSettings
from services.embedder.config import EmbedderSettings
from services.generator.server.config import GeneratorSettings

pytestmark = pytest.mark.quick

FOLDER = Path(__file__).parents[2] / "kubernetes"
COMPOSE = yaml.safe_load((FOLDER.parent / "docker-compose.yml").read_text("utf-8"))["services"]
MANIFESTS = [one for path in sorted(FOLDER.glob("*.yaml")) for one in yaml.safe_load_all(path.read_text("utf-8"))]
OWNERS: dict[str, type[BaseSettings]] = {
    "rag-api": ApiSettings,
    "migrate": ApiSettings,
    "ingest": ApiSettings,
    "pack": ApiSettings,
    "embedder": EmbedderSettings,
    "generator": GeneratorSettings,
}


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    for one in MANIFESTS:
        spec = one.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template:
            yield one["metadata"]["name"], template["spec"]


PODS = dict(pods())
CONTAINERS = {one["name"]: one for pod in PODS.values() for one in [*pod.get("initContainers", ()), *pod["containers"]]}


def variables(container: dict[str, Any]) -> dict[str, Any]:
    found = {one["name"]: one.get("value", one.get("valueFrom")) for one in container.get("env", ())}
    for source in container.get("envFrom", ()):
        if "configMapRef" in source:
            found |= settings(source["configMapRef"]["name"])
    return found


def settings(name: str) -> dict[str, str]:
    (kustomization,) = (one for one in MANIFESTS if one["kind"] == "Kustomization")
    (file,) = (made["envs"][0] for made in kustomization["configMapGenerator"] if made["name"] == name)
    return dict(line.split("=", 1) for line in (FOLDER / file).read_text("utf-8").splitlines())


def test_every_file_is_named_and_every_part_of_the_compose_file_is_there() -> None:
    (kustomization,) = (one for one in MANIFESTS if one["kind"] == "Kustomization")
    assert set(kustomization["resources"]) == {path.name for path in FOLDER.glob("*.yaml")} - {"kustomization.yaml"}
    parts = {
        name.replace("_", "-")
        for name, one in COMPOSE.items()
        if not {"monitoring", "gpu-2", "cpu"} & set(one.get("profiles", ()))
    }
    assert set(CONTAINERS) == parts - {"weaviate-volumes"}  # whose work fsGroup does


def test_the_images_are_those_of_the_compose_file() -> None:
    (kustomization,) = (one for one in MANIFESTS if one["kind"] == "Kustomization")
    tags = {one["name"]: one["newTag"] for one in kustomization["images"]}
    images = {
        one["image"] if ":" in one["image"] else f"{one['image']}:{tags[one['image']]}" for one in CONTAINERS.values()
    }
    here_alone = (["monitoring"], ["cpu"])  # Prometheus, and the demo model without a GPU
    assert images == {one["image"] for one in COMPOSE.values() if one.get("profiles") not in here_alone}


@pytest.mark.parametrize("name", PODS)
def test_a_pod_is_nobody_and_may_nothing(name: str) -> None:
    pod = PODS[name]
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    for container in [*pod.get("initContainers", ()), *pod["containers"]]:
        allowed = container["securityContext"]
        assert allowed == {
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }
        assert "memory" in container.get("resources", {}).get("limits", {}) or container in pod.get(
            "initContainers", ()
        )


@pytest.mark.parametrize("name", OWNERS)
def test_every_variable_is_a_setting_that_exists(name: str) -> None:
    prefix = OWNERS[name].model_config.get("env_prefix", "")
    known = {(prefix + field).upper() for field in OWNERS[name].model_fields}
    given = {variable for variable in variables(CONTAINERS[name]) if variable.startswith("BEDSIDE_")}
    assert given
    assert given <= known, given - known


def test_every_key_of_a_config_map_that_is_asked_for_is_there() -> None:
    sources = [one.get("valueFrom", {}) for container in CONTAINERS.values() for one in container.get("env", ())]
    asked = [source["configMapKeyRef"] for source in sources if "configMapKeyRef" in source]
    assert asked
    assert all(one["key"] in settings(one["name"]) for one in asked)


def test_production_accepts_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables(CONTAINERS["rag-api"]).items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("BEDSIDE_OIDC_ISSUER", "https://login.example.org/tenant")
    monkeypatch.setenv("BEDSIDE_OIDC_CLIENT_ID", "bedside")
    for secret in ("WEAVIATE", "EMBEDDER", "GENERATOR"):
        monkeypatch.setenv(f"BEDSIDE_{secret}_API_KEY", "x" * 64)
    assert ApiSettings().environment == "production"
    for name in ("rag_api", "embedder"):
        ours, of_compose = variables(CONTAINERS[name.replace("_", "-")]), COMPOSE[name]["environment"]
        for variable in ours.keys() & of_compose.keys():
            said = re.sub(r"\$\{\w+:-(.*)\}", r"\1", str(of_compose[variable]))
            assert (
                isinstance(ours[variable], dict) or "${" in said or ours[variable] in ("", said) or "URL" in variable
            ), variable


def test_what_opens_files_takes_nothing_that_is_asked_with_it_when_it_is_away() -> None:
    """A pod is ready when each of its containers is."""
    assert [one["name"] for one in PODS["rag-api"]["containers"]] == ["rag-api"]
    mounts = [(pod["volumes"], pod["containers"][0]["volumeMounts"]) for pod in (PODS["rag-api"], PODS["reading"])]
    for volumes, mounted in mounts:
        assert {"name": "reading", "persistentVolumeClaim": {"claimName": "reading"}} in volumes
        assert {"name": "reading", "mountPath": "/reading"} in mounted
    assert not {"env", "envFrom"} & CONTAINERS["reading"].keys()
    (policy,) = (
        one["spec"] for one in MANIFESTS if one["kind"] == "NetworkPolicy" and one["metadata"]["name"] == "reading"
    )
    assert policy == {"podSelector": {"matchLabels": {"app": "reading"}}, "policyTypes": ["Ingress", "Egress"]}


def test_what_stays_says_whether_it_lives_and_whether_it_is_ready() -> None:
    for name in CONTAINERS.keys() - {"migrate", "ingest", "pack"}:
        assert {"readinessProbe", "livenessProbe"} <= CONTAINERS[name].keys(), name


def test_the_generator_is_where_a_gpu_is_and_rag_api_grows_and_is_never_all_away() -> None:
    assert PODS["generator"]["nodeSelector"]
    assert CONTAINERS["generator"]["resources"]["limits"]["nvidia.com/gpu"] == "1"
    (scaler,) = (one for one in MANIFESTS if one["kind"] == "HorizontalPodAutoscaler")
    assert scaler["spec"]["minReplicas"] >= 2
    assert {one["metadata"]["name"] for one in MANIFESTS if one["kind"] == "PodDisruptionBudget"} == {
        "rag-api",
        "nginx",
    }
    drain = float(settings("rag-api")["BEDSIDE_DRAIN_SECONDS"])
    assert PODS["rag-api"]["terminationGracePeriodSeconds"] > drain
