"""The reader of `bedside demo`: the adapter that must agree to what is quoted, where its model is
on this machine and nothing else was chosen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, MutableMapping
from pathlib import Path

from services import contract

MODEL = "qwen2.5-coder-0.5b"  # that `make demo` fetches
ADAPTERS = Path(contract.__file__).parents[1] / "reader" / "adapters"
WITHOUT = (
    "Answers come without the reader, which finds more of what the documents answer: `make demo` fetches its model "
    "and starts it."
)


def fetched(model: str) -> bool:
    command = [sys.executable, "-m", "services.generator.models.files.carried", model, "--here"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def choose_reader(environment: MutableMapping[str, str], is_here: Callable[[str], bool] = fetched) -> str:
    """Add to the environment what starts it. Return what there is to say where it does not
    start."""
    if "BEDSIDE_READER" in environment or "BEDSIDE_GENERATOR_URL" in environment:
        return ""
    model = environment.get("BEDSIDE_GENERATOR_MODEL", MODEL)
    if model not in {folder.name for folder in ADAPTERS.glob("*")} or not is_here(model):
        return WITHOUT
    chosen = {
        "BEDSIDE_GENERATOR_MODEL": model,
        "BEDSIDE_GENERATOR_ADAPTERS": str(ADAPTERS / model),
        "BEDSIDE_READER": "agreeing:reading",
        "BEDSIDE_RISK": environment.get("BEDSIDE_RISK", "balanced"),
    }
    environment.update(chosen)
    return ""
