"""Tables of docs/settings.md, made from what each service declares: name, default, meaning. Knows
no page but that one."""

from __future__ import annotations

import re
from typing import Literal, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from rag_api.config import Settings as Api
from services.embedder.config import EmbedderSettings as Embedder
from services.generator.server.config import GeneratorSettings as Generator

SERVICES: dict[str, type[BaseSettings]] = {"rag_api": Api, "generator": Generator, "embedder": Embedder}
MARK = re.compile(r"(<!-- settings (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def choices(annotation: object) -> list[str]:
    """Return the words that a setting may have, where it may have only some."""
    if get_origin(annotation) is Literal:
        return [str(value) for value in get_args(annotation)]
    return [word for part in get_args(annotation) for word in choices(part)]


def default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "in the home folder"
    if field.default is None or field.default == "":
        return "none"
    return (
        str(getattr(field.default, "value", field.default)).lower()
        if isinstance(field.default, bool)
        else str(field.default)
    )


def table(service: str) -> str:
    settings = SERVICES[service]
    lines = ["| variable | default | meaning |", "| --- | --- | --- |"]
    for name, field in settings.model_fields.items():
        words = " or ".join(f"`{word}`" for word in choices(field.annotation))
        meaning = " ".join(filter(None, [words and words + ".", field.description or ""])).replace("|", "\\|")
        lines.append(f"| `{settings.model_config['env_prefix']}{name.upper()}` | {default(field)} | {meaning} |")
    return "\n".join(lines) + "\n"


def written(text: str) -> str:
    """Return the page with its tables as the settings are declared."""
    return MARK.sub(lambda match: f"{match[1]}\n{table(match[2])}\n{match[3]}", text)
