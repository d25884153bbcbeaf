"""`python -m services.generator.bench <measurement> [options]`: each is one module with `main(argv)
-> int`, and knows `--json`."""

from __future__ import annotations

import os
import sys
from importlib import import_module

# Before torch is imported, as the service sets it: server/__main__.py says why.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

MEASUREMENTS = {  # by their modules
    "replayed.replay": "recorded answers through a drafter, without a model",
    "replayed.answers": "a model's own answers, as records to replay",
    "decoding.decode": "tokens per second with a model, against other engines",
    "decoding.methods": "all drafters and policies in one table, with a model and on recorded answers",
    "steps.step": "milliseconds of a verify step, a draft level and the host's work",
    "steps.kernels": "a GGUF file's own types in our kernels against bf16 and llama.cpp: steps, prompts, memory, "
    "loading",
    "replayed.copying": "microseconds of a copy draft and of merging it, without a model",
    "replayed.batches": "what rows of different lengths cost in a batch: rearranging (READER) against a length for "
    "each",
    "decoding.dense": "dense retrieval of drafts against exact, from the same answers",
    "decoding.long": "long documents, by a drafter that reads the retrieved parts alone",
    "decoding.prefix": "what keeping prompts' prefixes saves",
    "decoding.serve": "concurrent streams against the HTTP service",
    "report.plots": "the pictures of docs/benchmarks.md",
}


def main(argv: list[str]) -> int:
    modules = {module.rpartition(".")[2]: module for module in MEASUREMENTS}
    if not argv or argv[0] not in modules:
        listed = "\n".join(f"  {name:8}{MEASUREMENTS[module]}" for name, module in modules.items())
        print(f"{__doc__}\n\n{listed}", file=sys.stderr)
        return 0 if argv in (["-h"], ["--help"]) else 2
    code: int = import_module(f"services.generator.bench.{modules[argv[0]]}").main(argv[1:])
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
