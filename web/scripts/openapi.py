"""Writes the API's OpenAPI document to standard output, for the generated TypeScript types.

The models of the answer's events travel inside a stream, which OpenAPI cannot describe; they are added to its schemas.
"""

from __future__ import annotations

import inspect
import json
import sys
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from rag_api import schemas


def _models() -> list[tuple[type[BaseModel], JsonSchemaMode]]:
    found = [model for _, model in inspect.getmembers(schemas, inspect.isclass) if issubclass(model, BaseModel)]
    own = [model for model in found if model.__module__ == schemas.__name__ and model is not schemas.In]
    return [(model, "validation" if issubclass(model, schemas.In) else "serialization") for model in own]


def _document() -> dict[str, Any]:
    _, definitions = models_json_schema(_models(), ref_template="#/components/schemas/{model}")
    return {
        "openapi": "3.1.0",
        "info": {"title": "Bedside", "version": "1"},
        "paths": {},
        "components": {"schemas": dict(sorted(definitions["$defs"].items()))},
    }


if __name__ == "__main__":
    json.dump(_document(), sys.stdout, indent=1, sort_keys=True)
