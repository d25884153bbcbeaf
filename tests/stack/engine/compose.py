"""docker-compose.yml, read as Compose reads it: anchors, variables, profiles, and who waits for
whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

VARIABLE = re.compile(r"\$(?:\$|\{(?P<name>\w+)(?:(?P<how>:?[-?])(?P<other>[^}]*))?\}|(?P<plain>\w+))")


class Unset(Exception):
    """A variable that the file insists on is not set; the message says which."""


@dataclass(frozen=True, slots=True)
class Compose:
    services: dict[str, dict[str, Any]]
    networks: dict[str, dict[str, Any]]
    volumes: dict[str, dict[str, Any]]

    def active(self, profiles: Iterable[str]) -> list[str]:
        """Services of no profile or one of these, each after those that it waits for."""
        chosen = {
            name
            for name, one in self.services.items()
            if not one.get("profiles") or set(one["profiles"]) & set(profiles)
        }
        ordered: list[str] = []
        while waiting := [name for name in self.services if name in chosen and name not in ordered]:
            able = [name for name in waiting if set(self.services[name].get("depends_on", {})) & chosen <= set(ordered)]
            if not able:
                raise ValueError(f"these wait for each other: {', '.join(waiting)}")
            ordered += able
        return ordered


def read(path: Path, values: Mapping[str, str]) -> Compose:
    """Raises Unset."""
    found = _filled(yaml.safe_load(path.read_text("utf-8")), values)
    for one in found["services"].values():
        given = one.get("environment") or {}
        one["environment"] = {name: str(values.get(name, "") if value is None else value) for name, value in given.items()
                              if value is not None or name in values}  # fmt: skip
        networks = one.get("networks") or {}
        one["networks"] = networks if isinstance(networks, dict) else {name: {} for name in networks}
    return Compose(found["services"], found.get("networks", {}), found.get("volumes", {}))


def _filled(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _filled(one, values) for name, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, values) for one in value]
    return VARIABLE.sub(lambda match: _value(match, values), value) if isinstance(value, str) else value


def _value(match: re.Match[str], values: Mapping[str, str]) -> str:
    name = match["name"] or match["plain"]
    if name is None:
        return "$"
    found, how = values.get(name), match["how"] or ""
    there = found is not None and (found != "" or not how.startswith(":"))
    if there or not how:
        return found or ""
    if how.endswith("?"):
        raise Unset(f"{name} is not set: {match['other']}.")
    return str(match["other"])
