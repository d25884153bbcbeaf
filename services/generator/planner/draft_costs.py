"""What a draft by a head takes on this machine, measured at start and kept in a file, as costs.py does for steps."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from services.generator.drafters import Drafter, StepState
from services.generator.drafters.eagle import EagleDrafter
from services.generator.models.llama import LlamaTarget
from services.generator.models.machine import least_seconds, read_cached, write_cached
from services.generator.planner.costs import target_key
from services.generator.types import Prompt, SamplingParams, Sequence

CONTEXT, REPEATS, ALLOWED = 256, 8, 2.0  # tokens, drafts, seconds


def draft_costs(drafters: Mapping[str, Drafter], target: LlamaTarget, cache: Path) -> dict[str, float]:
    """Seconds of a draft by name, of those who have a head; copying costs microseconds and is not asked."""
    found = {}
    for name, drafter in drafters.items():
        if isinstance(drafter, EagleDrafter):
            file = cache / f"drafts-{target_key(target, drafter.shape, drafter.head.config, drafter.head.native is not None)}.json"
            known = read_cached(file)
            found[name] = float(known["seconds"]) if known else draft_seconds(drafter, CONTEXT, REPEATS, time.perf_counter() + ALLOWED)
            if known is None:
                write_cached(file, {"seconds": found[name]})
    return found


@torch.inference_mode()
def draft_seconds(drafter: EagleDrafter, context: int, repeats: int, until: float = float("inf")) -> float:
    """The shortest of `repeats` drafts behind `context` tokens, one new token each."""
    head = drafter.head
    tokens = np.arange(3, 3 + context + repeats + 3, dtype=np.int32)
    sequence = Sequence("measured", Prompt(tuple(tokens.tolist()), (None,) * len(tokens), (), "measured"), SamplingParams())
    features = torch.zeros(context, head.config.feature_size, dtype=head.dtype, device=head.device)
    grown = iter(range(context + 2, len(tokens) + 1))

    def draft() -> None:
        drafter.propose([StepState(sequence, tokens[: next(grown)], features[:1])], drafter.shape.total)

    drafter.start(sequence)
    try:
        drafter.propose([StepState(sequence, tokens[: context + 1], features)], drafter.shape.total)
        return least_seconds(draft, repeats, head.device, until)
    finally:
        drafter.finish(sequence)
