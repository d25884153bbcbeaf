"""Imports point one way (docs/architecture): read from the source, also those inside functions and type-checking blocks."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Each layer may import itself where that is said, and everything below it; never above.
RAG_API = [
    ("types", "errors"),
    (
        "config",
        "schemas",
        "terms",
        "sentences",
        "quotable",
        "ranges",
        "calibration",
        "boxes",
        "language",
        "logs",
        "schemas_quality",
        "quiet",
    ),
    ("guard",),
    ("db", "embed", "stores", "generator", "highlight", "notices", "embedded", "expand", "rerank", "followup"),
    ("ingest", "retrieve", "evidence", "quoting", "completing", "handbook", "rewrite", "widen"),
    ("safety", "decide"),
    ("cautions",),
    ("parts",),
    ("evaluate", "answer"),
    ("ahead",),
    ("convert", "problems", "health", "web", "metrics"),
    ("deps",),
    ("routes",),
    ("main",),
    ("terminal",),
    ("quality", "quality_askers", "quality_prompts", "calibrating", "bench", "commands"),
    ("cli",),
]
# Packages whose modules may import each other; so may the modules of one layer that are named together here.
TOGETHER = {"guard", "db", "embed", "ingest", "stores", "routes", "evaluate", "handbook", "bench", "commands"}
ALLOWED_BESIDE = {
    ("notices", "types"),
    ("evidence", "retrieve"),
    ("quoting", "evidence"),
    ("completing", "quoting"),
    ("quotable", "sentences"),
    ("calibrating", "quality"),
    ("web", "problems"),
    ("web", "metrics"),
    ("sentences", "terms"),
    ("schemas", "types"),
    ("schemas_quality", "schemas"),
    ("quality_askers", "quality"),
    ("quality_prompts", "quality"),
}

WIRE = {"services.contract.wire", "services.contract.templates"}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Dotted names; for `from a import b`, both a and a.b (b may be a module)."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
    return found


def part(dotted: str, package: str) -> str | None:
    """The first name below the package: `rag_api.db.answers` -> `db`."""
    pieces = dotted.split(".")
    depth = package.count(".") + 1
    return pieces[depth] if ".".join(pieces[:depth]) == package and len(pieces) > depth else None


def layer_of(name: str) -> int | None:
    return next((index for index, layer in enumerate(RAG_API) if name in layer), None)


def test_every_module_of_rag_api_has_a_layer() -> None:
    names = {path.relative_to(ROOT / "rag_api").parts[0].removesuffix(".py") for path in modules("rag_api")} - {"__init__", "__main__"}
    assert {name for name in names if layer_of(name) is None} - {"weaviate_dev"} == set()


@pytest.mark.parametrize("path", modules("rag_api"), ids=lambda p: str(p.relative_to(ROOT)))
def test_rag_api_imports_point_down(path: Path) -> None:
    own = path.relative_to(ROOT / "rag_api").parts[0].removesuffix(".py")
    level = layer_of(own)
    if level is None:
        return
    for dotted in imports(path):
        other = part(dotted, "rag_api")
        above = layer_of(other) if other else None
        if other is None or above is None or (other == own and own in TOGETHER):
            continue
        fine = above < level or (above == level and ((own, other) in ALLOWED_BESIDE or other == own))
        assert fine, f"rag_api.{own} imports rag_api.{other}, which is not below it"


@pytest.mark.parametrize("path", modules("rag_api"), ids=lambda p: str(p.relative_to(ROOT)))
def test_rag_api_knows_only_the_wire_of_the_services(path: Path) -> None:
    for dotted in imports(path):
        if dotted.split(".")[0] == "services" and dotted not in ("services", "services.generator"):
            assert any(dotted == wire or dotted.startswith(wire + ".") for wire in WIRE), f"{path.name} imports {dotted}"
        assert dotted.split(".")[0] != "torch", f"{path.name} imports torch: rag_api runs without it"


# The generator's chain; modules that are not named here serve several of them and are not held to a place.
GENERATOR = [
    ("types", "errors"),
    ("tree", "sampling", "kv_cache", "prompt"),
    ("verify", "provenance", "models"),
    ("drafters", "loading", "scheduler"),
    ("engine",),
    ("bridge", "service", "chat"),
    ("app",),
]


@pytest.mark.parametrize("path", modules("services/generator"), ids=lambda p: str(p.relative_to(ROOT)))
def test_the_generators_imports_point_down(path: Path) -> None:
    own = path.relative_to(ROOT / "services" / "generator").parts[0].removesuffix(".py")
    level = next((index for index, layer in enumerate(GENERATOR) if own in layer), None)
    for dotted in imports(path):
        other = part(dotted, "services.generator")
        above = next((index for index, layer in enumerate(GENERATOR) if other in layer), None)
        if level is not None and above is not None and other != own:
            assert above <= level, f"services.generator.{own} imports services.generator.{other}, which is above it"
        assert dotted.split(".")[0] != "rag_api", f"{path.name} imports rag_api: the generator stands alone"


@pytest.mark.parametrize("path", modules("services/generator/drafters"), ids=lambda p: p.name)
def test_a_drafter_only_proposes(path: Path) -> None:
    assert not {"services.generator.engine.engine", "services.generator.speculation.verify"} & imports(path)
