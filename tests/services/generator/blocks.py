"""Random quantised weights of every type, with scales of a size that weights have."""

from __future__ import annotations

import torch

from services.generator.models.files.blocks import KINDS, Blocks

HALVES = {  # where a block of a type has its fp16 numbers
    "Q4_0": (0,), "Q4_1": (0, 2), "Q5_0": (0,), "Q5_1": (0, 2), "Q8_0": (0,), "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,),
}  # fmt: skip


def blocks(name: str, outputs: int = 64, inputs: int = 256, seed: int = 0) -> Blocks:
    generator, kind = torch.Generator().manual_seed(seed), KINDS[name]
    raw = torch.randint(0, 256, (outputs, inputs // kind.size, kind.bytes), generator=generator, dtype=torch.uint8)
    for at in HALVES[name]:
        top = 0.01 / 2 ** (kind.bits - 4) / (32 if kind.shared else 1)
        scale = (torch.rand(outputs, inputs // kind.size, generator=generator) * top).half()
        raw[..., at : at + 2] = (-7.5 * scale if at and not kind.shared else scale).unsqueeze(-1).view(torch.uint8)
    return Blocks(raw.flatten(1), name)
