"""Quantised weights in the blocks of a GGUF file, as the file holds them: what they mean, and how
they are taken apart.

w = scale * code + minimum per group of 16 or 32 inputs; in the types that end in _K eight groups
share what their scales and minima are multiplied by. Checked against the package gguf's own
decoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor

GROUP = 32  # inputs that share a scale in most types, and a scale of the activations in the kernels
PORTION = 1 << 22  # weights that are taken apart at a time


@dataclass(frozen=True, slots=True)
class BlockFormat:
    """`size` inputs lie in `bytes`, with codes of `bits`; `halves`: each 16 of them have a scale,
    else each 32."""

    size: int
    bytes: int
    bits: int
    minimum: bool = False
    halves: bool = False

    @property
    def shared(self) -> bool:
        """Say whether groups' scales have a scale."""
        return self.size > GROUP


KINDS = MappingProxyType(
    {
        "Q4_0": BlockFormat(32, 18, 4),
        "Q4_1": BlockFormat(32, 20, 4, minimum=True),
        "Q5_0": BlockFormat(32, 22, 5),
        "Q5_1": BlockFormat(32, 24, 5, minimum=True),
        "Q8_0": BlockFormat(32, 34, 8),
        "Q4_K": BlockFormat(256, 144, 4, minimum=True),
        "Q5_K": BlockFormat(256, 176, 5, minimum=True),
        "Q6_K": BlockFormat(256, 210, 6, halves=True),
    }
)


@dataclass(frozen=True, slots=True)
class Parts:
    """Of blocks [out, in]: codes less half their range where there is no minimum; scales and minima
    of groups are int8 where shared."""

    codes: Tensor  # int8 [out, in]
    scale: Tensor  # fp16 [out, groups], or of 8 groups
    minimum: Tensor | None
    scales: Tensor | None = None  # int8 [out, groups of 16 or 32]
    minima: Tensor | None = None


@dataclass(frozen=True, slots=True)
class Blocks:
    raw: Tensor  # uint8 [out, in / size * bytes]
    name: str  # of the kind

    @property
    def kind(self) -> BlockFormat:
        return KINDS[self.name]

    @property
    def shape(self) -> torch.Size:
        return torch.Size((self.raw.shape[0], self.raw.shape[1] // self.kind.bytes * self.kind.size))

    def rows(self, order: Tensor) -> Blocks:
        return Blocks(self.raw[order], self.name)

    def dense(self, dtype: torch.dtype = torch.float32) -> Tensor:
        """Return [out, in]; exact in fp32."""
        outputs, inputs = self.shape
        values = torch.empty(outputs, inputs, dtype=dtype)
        step = max(1, PORTION // inputs)
        for start in range(0, outputs, step):
            values[start : start + step] = _dense(Blocks(self.raw[start : start + step], self.name).parts())
        return values

    def parts(self) -> Parts:
        """Take them apart."""
        blocks = self.raw.unflatten(1, (-1, self.kind.bytes))  # [out, blocks, bytes]
        if self.name == "Q8_0":
            return Parts(_joined(blocks[..., 2:].view(torch.int8)), _halves(blocks[..., :2]), None)
        if self.name == "Q6_K":
            return Parts(
                _joined(_six_bits(blocks) - 32),
                _halves(blocks[..., 208:]),
                None,
                _joined(blocks[..., 192:208].view(torch.int8)),
            )
        if self.kind.shared:
            scales, minima = _six_bit_scales(blocks[..., 4:16])
            codes = _by_32(blocks[..., -128:].unflatten(2, (4, 32)))
            if self.kind.bits == 5:
                codes = codes | (_bits(blocks[..., 16:48], 8).transpose(2, 3) << 4).flatten(2)
            taken = -_halves(blocks[..., 2:4])
            return Parts(
                _joined(codes.to(torch.int8)), _halves(blocks[..., :2]), taken, _joined(scales), _joined(minima)
            )
        codes = _by_32(blocks[..., -16:].unsqueeze(2))
        if self.kind.bits == 5:
            at = 4 if self.kind.minimum else 2
            codes = codes | (_bits(blocks[..., at : at + 4], 8).flatten(2) << 4)
        scale, minimum = _halves(blocks[..., :2]), _halves(blocks[..., 2:4]) if self.kind.minimum else None
        return Parts(
            _joined(codes.to(torch.int8) - (0 if self.kind.minimum else 1 << (self.kind.bits - 1))), scale, minimum
        )


Weight = Tensor | Blocks


def take_rows(weight: Weight, order: Tensor) -> Weight:
    return weight.rows(order) if isinstance(weight, Blocks) else weight[order]


def stacks(weights: Sequence[Weight]) -> list[Weight]:
    """Return as few matrices as there can be: one where all are quantised alike or not all are,
    else neighbours of a kind together."""
    if not all(isinstance(weight, Blocks) for weight in weights):
        return [torch.cat([weight.dense() if isinstance(weight, Blocks) else weight for weight in weights])]
    found: list[Blocks] = []
    for weight in weights:
        assert isinstance(weight, Blocks)
        if found and found[-1].name == weight.name:
            found[-1] = Blocks(torch.cat((found[-1].raw, weight.raw)), weight.name)
        else:
            found.append(weight)
    return list(found)


def stack(weights: Sequence[Weight]) -> Weight:
    """Return one matrix; quantised only when all of them are, and in the same way."""
    found = stacks(weights)
    return found[0] if len(found) == 1 else torch.cat([w.dense() if isinstance(w, Blocks) else w for w in found])


def four_bits(weight: Tensor) -> Blocks:
    """Return a matrix rounded to 4 bits, with a scale and a minimum per group."""
    groups = weight.float().unflatten(1, (-1, GROUP))
    low, high = groups.amin(-1), groups.amax(-1)
    scale = ((high - low) / 15).half()
    codes = (
        ((groups - low.half().float().unsqueeze(-1)) / scale.float().clamp(min=1e-7).unsqueeze(-1)).round().clamp(0, 15)
    )
    return four_bit_blocks(codes.to(torch.uint8).flatten(1), scale, low.half())


def four_bit_blocks(codes: Tensor, scale: Tensor, minimum: Tensor) -> Blocks:
    """Return Q4_1 of codes 0 to 15 [out, in], fp16 scales and minima [out, in / 32]."""
    low, high = codes.unflatten(1, (-1, 2, GROUP // 2)).unbind(2)
    numbers = torch.stack((scale, minimum), -1).contiguous().view(torch.uint8)
    return Blocks(torch.cat((numbers, low | (high << 4)), -1).flatten(1), "Q4_1")


def _dense(parts: Parts) -> Tensor:
    scale, minimum = parts.scale.float(), None if parts.minimum is None else parts.minimum.float()
    if parts.scales is not None:
        scale = _multiplied(scale, parts.scales)
        minimum = None if minimum is None or parts.minima is None else _multiplied(minimum, parts.minima)
    groups = parts.codes.unflatten(1, (scale.shape[1], -1)).float() * scale.unsqueeze(-1)
    values: Tensor = groups if minimum is None else groups.add_(minimum.unsqueeze(-1))
    return values.flatten(1)


def _multiplied(whole: Tensor, each: Tensor) -> Tensor:
    scaled: Tensor = whole.unsqueeze(-1) * each.unflatten(1, (whole.shape[1], -1))
    return scaled.flatten(1)


def _joined(blocks: Tensor) -> Tensor:
    return blocks.flatten(1)


def _halves(pairs: Tensor) -> Tensor:
    """Turn bytes [out, blocks, 2] into fp16 [out, blocks]."""
    return pairs.contiguous().view(torch.float16).squeeze(-1)


def _by_32(nibbles: Tensor) -> Tensor:
    """Turn [..., runs, n] into codes [..., runs * 2n]: of each run the low nibbles, then the high
    ones."""
    return torch.cat((nibbles & 15, nibbles >> 4), -1).flatten(-2)


def _bits(packed: Tensor, count: int) -> Tensor:
    """Turn bytes [..., n] into their lowest `count` bits [..., n, count]."""
    return (packed.unsqueeze(-1) >> torch.arange(count, dtype=torch.uint8)) & 1


def _six_bit_scales(packed: Tensor) -> tuple[Tensor, Tensor]:
    """Turn 12 bytes into 8 scales and 8 minima; the high bits of the last four lie above those of
    the first."""
    first, second, third = packed.split(4, -1)
    scales = torch.cat((first & 63, (third & 15) | (first >> 6 << 4)), -1)
    minima = torch.cat((second & 63, (third >> 4) | (second >> 6 << 4)), -1)
    return scales.to(torch.int8), minima.to(torch.int8)


def _six_bits(blocks: Tensor) -> Tensor:
    """Return the codes of Q6_K [out, blocks, 256], 0 to 63: of each 128 four runs of 32."""
    low = blocks[..., :128].unflatten(2, (2, 64))
    high = (
        blocks[..., 128:192].unflatten(2, (2, 1, 32)) >> torch.tensor([0, 2, 4, 6], dtype=torch.uint8).unsqueeze(-1) & 3
    )
    nibbles = torch.cat((low & 15, low >> 4), -1).unflatten(3, (4, 32))
    codes: Tensor = nibbles | (high << 4)
    return codes.flatten(2).to(torch.int8)
