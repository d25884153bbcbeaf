"""The index in force: the one that the settings name, until `bedside index switch` says otherwise
in the data directory, for every process that works on it. Running services follow
(rag_api/container.py)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rag_api.config import Settings
from rag_api.errors import ConfigurationError

FILE = "index.json"
FIELDS = ("store", "index", "embedder", "embedder_url")  # what the file says in place of the settings


def named(settings: Settings) -> Mapping[str, Any]:
    """What of the settings decides which index it is."""
    return {name: getattr(settings, name) for name in FIELDS}


def put_in_force(target: Settings) -> None:
    """At once and for all: the file is replaced in one step."""
    path = target.data_dir / FILE
    part = path.with_suffix(".part")
    part.write_text(json.dumps(named(target)), encoding="utf-8")
    part.replace(path)


def in_force(settings: Settings) -> Settings:
    """Raises ConfigurationError when the file cannot be used."""
    path = settings.data_dir / FILE
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Settings.model_validate(settings.model_dump() | {name: said[name] for name in FIELDS})
    except (FileNotFoundError, NotADirectoryError):  # a data directory that cannot be one is refused by who opens it
        return settings
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"{path} cannot be used ({error}): remove it, and the index is the one that variables name"
        ) from None


def changed_at(data_dir: Path) -> int:
    """When it was last switched; 0: never."""
    try:
        return (data_dir / FILE).stat().st_mtime_ns
    except OSError:
        return 0
