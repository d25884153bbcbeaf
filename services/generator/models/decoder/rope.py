"""Rotary position embedding: one complex table per model, and the order of a head's dimensions that
makes it one multiply.

Published checkpoints pair dimension i with i + d/2. Here pairs lie side by side, (0, d/2, 1, d/2 +
1, ...), so that a head viewed as complex numbers is rotated by one multiplication. Queries and keys
are permuted alike, so their products do not change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch

from services.generator.models.files.architecture import Architecture, Rope


def paired(head_dim: int) -> torch.Tensor:
    """Return the order in which a head's rows of the q and k matrices are loaded: [head_dim]."""
    return torch.arange(head_dim).view(2, head_dim // 2).t().reshape(-1)


def paired_rows(size: int, head_dim: int) -> torch.Tensor:
    """Return that order for all heads of a q or k matrix: [size]."""
    return (torch.arange(0, size, head_dim).unsqueeze(1) + paired(head_dim)).flatten()


def rotations(architecture: Architecture) -> torch.Tensor:
    """Return e^(i position frequency), times the attention factor of yarn: complex64
    [max_positions, head_dim / 2]."""
    frequencies, factor = _frequencies(architecture.rope, architecture.head_dim)
    angles = torch.outer(torch.arange(architecture.max_positions, dtype=torch.float32), frequencies)
    return torch.polar(torch.full_like(angles, factor), angles)


def _frequencies(rope: Rope, dim: int) -> tuple[torch.Tensor, float]:
    plain = 1.0 / rope.theta ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim)
    match rope.kind:
        case "linear":
            return plain / rope.parameters["factor"], 1.0
        case "llama3":
            return _llama3(plain, rope), 1.0
        case "factors":
            return plain / torch.tensor(rope.factors), 1.0
        case "yarn":
            return _yarn(rope, dim)
        case _:  # "dynamic" changes nothing within max_positions, and nothing goes beyond it here
            return plain, 1.0


def _llama3(plain: torch.Tensor, rope: Rope) -> torch.Tensor:
    """Do as Llama 3.1: long waves are stretched by `factor`, short ones kept, those between
    interpolated."""
    p = rope.parameters
    turns = p["original_max_position_embeddings"] * plain / (2 * math.pi)  # in the context it was first trained with
    smooth = ((turns - p["low_freq_factor"]) / (p["high_freq_factor"] - p["low_freq_factor"])).clamp(0, 1)
    return plain * (smooth + (1 - smooth) / p["factor"])


def _yarn(rope: Rope, dim: int) -> tuple[torch.Tensor, float]:
    """Do as YaRN (arXiv 2309.00071), section 3.2 and equation 22; field names as in published
    configs."""
    p = rope.parameters
    factor, original = p["factor"], p["original_max_position_embeddings"]

    def dimension(turns: float) -> float:
        return dim * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(rope.theta))

    low, high = dimension(p.get("beta_fast") or 32.0), dimension(p.get("beta_slow") or 1.0)
    if p.get("truncate", 1.0):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    ramp = ((torch.arange(dim // 2, dtype=torch.float32) - low) / max(high - low, 0.001)).clamp(0, 1)
    plain = 1.0 / rope.theta ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim)
    return plain / factor * ramp + plain * (1 - ramp), p.get("attention_factor") or _yarn_attention(factor, p)


def _yarn_attention(factor: float, p: Mapping[str, float]) -> float:
    def scale(weight: float) -> float:
        return 1.0 if factor <= 1 else 0.1 * weight * math.log(factor) + 1.0

    if p.get("mscale") and p.get("mscale_all_dim"):
        return scale(p["mscale"]) / scale(p["mscale_all_dim"])
    return scale(1.0)
