"""The engine, its drafters and the measurements run where there is only torch, transformers,
tokenizers, safetensors and numpy."""

from __future__ import annotations

import subprocess
import sys

ABSENT = (
    "pydantic pydantic_settings fastapi starlette uvicorn prometheus_client gguf matplotlib llama_cpp rag_api "
    "psycopg lancedb typer"
)
MODULES = "engine.engine drafters.registry planner.draft_costs train.__main__"
BENCH = (
    "__main__ decoding.decode decoding.serve decoding.prefix report.plots steps.step replayed.replay "
    "replayed.copying replayed.batches"
)

SCRIPT = """
import importlib, sys
absent, modules = (set(argument.split()) for argument in sys.argv[1:])
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in absent:
            raise ImportError(f"{name} is not to be had")
sys.meta_path.insert(0, Refuse())
for module in sorted(modules):
    importlib.import_module(f"services.generator.{module}")
"""


def test_engine_drafters_and_bench_import_without_what_the_service_needs() -> None:
    modules = " ".join([*MODULES.split(), *(f"bench.{name}" for name in BENCH.split())])
    run = subprocess.run([sys.executable, "-c", SCRIPT, ABSENT, modules], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-1000:]


def test_the_service_does_without_torchs_compiler() -> None:
    said = "import sys, services.generator.server.service; print('sympy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False"]
