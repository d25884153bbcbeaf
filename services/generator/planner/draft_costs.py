"""Costs of a draft on this machine, measured at start and kept in a file, as costs.py does for
steps."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from services.generator.drafters import Drafter, StepState
from services.generator.drafters.registry import DRAFTERS
from services.generator.models import Target
from services.generator.models.llama import LlamaTarget
from services.generator.models.machine import least_seconds, read_cached, write_cached
from services.generator.planner.costs import target_key
from services.generator.types import Prompt, SamplingParams, Sequence

CONTEXT, NODES, REPEATS, ALLOWED = 256, 64, 8, 2.0  # tokens, of a draft at most, drafts, seconds


def draft_costs(drafters: Mapping[str, Drafter], target: LlamaTarget, cache: Path) -> dict[str, float]:
    """Return the seconds of a draft by name, of those whose time is worth measuring
    (DrafterSpec.measured_by)."""
    seconds = {}
    for name, drafter in drafters.items():
        spec = DRAFTERS.get(name)
        if spec is not None and spec.measured_by is not None:
            file = cache / f"drafts-{target_key(target, *spec.measured_by(drafter))}.json"
            known = read_cached(file)
            until = time.perf_counter() + ALLOWED
            seconds[name] = (
                float(known["seconds"]) if known else draft_seconds(drafter, target, CONTEXT, REPEATS, until)
            )
            if known is None:
                write_cached(file, {"seconds": seconds[name]})
    return seconds


@torch.inference_mode()
def draft_seconds(drafter: Drafter, target: Target, context: int, repeats: int, until: float = float("inf")) -> float:
    """Return the shortest of `repeats` drafts behind `context` tokens, one new token each."""
    tokens = np.arange(3, 3 + context + repeats + 3, dtype=np.int32)
    sequence = Sequence(
        "measured", Prompt(tuple(tokens.tolist()), (None,) * len(tokens), (), "measured"), SamplingParams()
    )
    width = target.config.hidden_size * (3 if drafter.wants_features == "streams" else 1)
    features = (
        None
        if drafter.wants_features is None
        else torch.zeros(context, width, dtype=target.dtype, device=target.device)
    )
    grown = iter(range(context + 2, len(tokens) + 1))

    def draft() -> None:
        drafter.propose([StepState(sequence, tokens[: next(grown)], None if features is None else features[:1])], NODES)

    drafter.start(sequence)
    try:
        drafter.propose([StepState(sequence, tokens[: context + 1], features)], NODES)
        return least_seconds(draft, repeats, target.device, until)
    finally:
        drafter.finish(sequence)
