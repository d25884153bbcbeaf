"""Imports point down: each room (a folder, or a file beside the folders) uses the rooms below it,
and nothing goes in circles.

Read from the source, so that imports inside functions and type-checking blocks count too.
docs/architecture.md shows the rooms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.parsed import parsed

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]

# From floor to roof. Rooms of one floor may use each other as long as they do not do so in a
# circle.
FLOORS = {
    "rag_api": (
        "text domain errors config handbook liveness_timeout",
        "guard db embed stores query own_processes",
        "retrieval ingest audit notify",
        "qa_readers",
        "answering evaluate",
        "container",
        "api upkeep",
        "main",
        "cli",
    ),
    "rag_api.ingest": (
        "common",
        "pdf docx sources",
        "layout sharepoint",
        "structure ocr source_list",
        "readers",
        "sandbox",
        "pipeline",
        "cluster",
    ),
    "services.generator": (
        "types errors native heads",
        "models speculation text datastore",
        "drafters verbatim",
        "planner",
        "engine",
        "server train bench",
    ),
    "evaluation": (
        "quality ocr results tables fetch_real_documents",
        "sets calibration service",
        "retrieval documents",
        "decision",
    ),
}
PACKAGES = ("bedside", "rag_api", "services", "evaluation")
# What a package may use of the others of this project.
BESIDE = {
    "bedside": ("rag_api.api.schemas", "rag_api.errors"),
    "rag_api": ("services.contract",),
    "rag_api.cli": ("services.contract", "rag_api", "evaluation"),  # the commands that measure
    "evaluation": ("services.contract", "rag_api"),
    "services.generator": ("services.contract",),
    "services.embedder": ("services.contract", "rag_api.embed.e5"),  # the encoder that it serves where no hub is
    # The gate measures beside the whole product; what it weighs is fitted as the product fits its
    # own.
    "services.reader": ("services.contract", "rag_api", "evaluation.calibration"),
    "services.contract": (),
}
MOST = {"rag_api": (8, 18), "rag_api/ingest": (2, 12), "services/generator": (4, 13)}  # files and folders at the root
MOST_IN_A_ROOM = 12  # files
CODE = {".py", ".ts", ".tsx", ".css", ".js", ".mjs", ".c", ".h", ".sh"}
BUILT = {".so", ".pyc"}
NOT_OURS = {"__pycache__", "node_modules", "dist", "build"}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package.replace(".", "/")).rglob("*.py"))


def name_of(path: Path) -> str:
    """`rag_api/db/__init__.py` -> `rag_api.db`."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def all_modules() -> frozenset[str]:
    return frozenset(name_of(path) for package in PACKAGES for path in modules(package))


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the modules of this project that it imports; for `from a import b`, a.b where that is
    a module, else a."""
    found = set()
    for one in parsed(path).imports:
        assert one.level == 0, f"{path}: relative imports hide the direction"
        inside = {f"{one.module}.{name}" for name in one.names}
        found |= {name if name in all_modules() else one.module for name in inside or {one.module}}
    return frozenset(found)


def room(module: str, package: str) -> str | None:
    """Return the first name below the package: `rag_api.db.questions.answers` -> `db`; None outside
    it, and for the package itself."""
    return module.removeprefix(package + ".").split(".")[0] if module.startswith(package + ".") else None


def floor(name: str, package: str) -> int:
    found = [index for index, rooms in enumerate(FLOORS[package]) if name in rooms.split()]
    assert found, f"{package}/{name} stands on no floor: name it in FLOORS"
    return found[0]


def circle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("package", FLOORS)
def test_imports_point_down(package: str) -> None:
    up = []
    for path in modules(package):
        own = room(name_of(path), package)
        for other in sorted(imports(path)):
            theirs = room(other, package)
            if own and theirs and own != theirs and floor(own, package) < floor(theirs, package):
                up.append(f"{name_of(path)} -> {other}")
    assert up == []


def parted(package: str) -> list[str]:
    """Return the packages that hold packages."""
    return sorted({name_of(path).rpartition(".")[0] for path in modules(package) if path.name == "__init__.py"} - {""})


@pytest.mark.parametrize("package", sorted(name for package in PACKAGES for name in parted(package)))
def test_rooms_use_each_other_in_no_circle(package: str) -> None:
    graph: dict[str, set[str]] = {}
    for path in modules(package):
        own = room(name_of(path), package)
        if own:
            graph.setdefault(own, set()).update(
                {other for name in imports(path) if (other := room(name, package))} - {own}
            )
    assert circle(graph) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    paths = [path for package in PACKAGES for path in modules(package)]
    assert (
        circle(
            {
                name_of(path): {other for other in imports(path) if other in all_modules()} - {name_of(path)}
                for path in paths
            }
        )
        == []
    )


@pytest.mark.parametrize("package", BESIDE)
def test_packages_know_of_each_other_what_they_say_to_each_other(package: str) -> None:
    apart = tuple(other + "." for other in BESIDE if other.startswith(package + "."))  # rooms with a line of their own
    for path in modules(package):
        if name_of(path).startswith(apart):
            continue
        for other in imports(path):
            own = other == package or other.startswith(package + ".")
            ours = other.split(".")[0] in PACKAGES
            assert own or not ours or other.startswith(BESIDE[package]), f"{name_of(path)} imports {other}"


@pytest.mark.parametrize("path", modules("rag_api"), ids=name_of)
def test_rag_api_runs_without_torch(path: Path) -> None:
    assert "torch" not in {one.module.split(".")[0] for one in parsed(path).imports}


@pytest.mark.parametrize("path", modules("services.generator.drafters"), ids=name_of)
def test_drafters_never_import_each_other(path: Path) -> None:
    """But for the registry, which lists them."""
    drafters = {
        name_of(other) for other in modules("services.generator.drafters") if other.stem not in ("__init__", "registry")
    }
    if path.stem != "registry":
        assert not imports(path) & (drafters - {name_of(path)})


@pytest.mark.parametrize("folder", MOST)
def test_a_root_fits_on_a_screen(folder: str) -> None:
    entries = [entry for entry in (ROOT / folder).iterdir() if entry.name != "__pycache__"]
    files, folders = sum(entry.is_file() for entry in entries), sum(entry.is_dir() for entry in entries)
    assert files <= MOST[folder][0], f"{folder} has {files} files"
    assert folders <= MOST[folder][1], f"{folder} has {folders} folders"


def files_of(folder: str) -> Counter[str]:
    """How many files lie in each folder that holds code: tables and texts beside code count too.
    Folders of data alone are no rooms."""
    found: dict[str, list[Path]] = {}
    for path in (ROOT / folder).rglob("*"):
        parts = path.relative_to(ROOT).parts
        if (
            path.is_file()
            and path.suffix not in BUILT
            and not any(part in NOT_OURS or part.startswith(".") for part in parts)
        ):
            found.setdefault("/".join(parts[:-1]), []).append(path)
    return Counter({room: len(paths) for room, paths in found.items() if any(path.suffix in CODE for path in paths)})


@pytest.mark.parametrize("folder", [*PACKAGES, "tests", "web/src"])
def test_no_room_holds_more_than_one_looks_through(folder: str) -> None:
    counted = files_of(folder)
    assert counted
    found = {room: count for room, count in counted.items() if count > MOST_IN_A_ROOM}
    assert not found, "part these folders by what a newcomer looks for"
