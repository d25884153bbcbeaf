"""`bedside openapi`: the API's own description."""

from __future__ import annotations

import json
from typing import Any

import typer


def openapi() -> None:
    """Print the API's OpenAPI document: the page's TypeScript client is generated from it."""
    from rag_api.config import Settings
    from rag_api.main import create_app

    typer.echo(json.dumps(create_app(Settings.model_construct(**_defaults())).openapi(), indent=2, ensure_ascii=False))


def _defaults() -> dict[str, Any]:
    """Settings as if the environment were empty: the document must not depend on it."""
    from rag_api.config import Settings

    return {name: field.get_default(call_default_factory=True) for name, field in Settings.model_fields.items()}
