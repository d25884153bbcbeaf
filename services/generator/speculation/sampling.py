"""Logits -> tokens, with noise that depends on (seed, position) alone, so that drafts cannot change
what is sampled.

argmax(logits / T + Gumbel noise) is a sample of softmax(logits / T). The noise is a hash of seed,
position and token: the same on every device, in every batch and for every tree (generator.md,
verification).
"""

from __future__ import annotations

import math
from collections.abc import Sequence as Seq
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from services.generator.types import SamplingParams

_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_MASK = (1 << 64) - 1


def likeliest(logits: Tensor) -> Tensor:
    """Return int64 [...]: the first of the largest along the vocabulary.

    On a CPU not by torch, which shares that work among threads, and they spin for a while
    afterwards in the way of the next step.
    """
    return logits.argmax(-1) if logits.is_cuda else torch.from_numpy(logits.numpy().argmax(-1))


def entropies_at(logits: Tensor, nodes: Seq[int]) -> list[float]:
    """Return the entropies in nats of these of the distributions [N, V]. On a CPU not by torch
    either."""
    if logits.is_cuda:
        log_p = logits[torch.tensor(nodes, device=logits.device)].log_softmax(-1)
        return (-log_p.exp() * log_p).nan_to_num(0.0).sum(-1).tolist()
    rows = logits.numpy()[list(nodes)]
    rows = np.maximum(rows - rows.max(-1, keepdims=True), -1e4)  # what is not allowed counts for nothing
    powers = np.exp(rows)
    total = powers.sum(-1)
    entropies: list[float] = (np.log(total) - (powers * rows).sum(-1) / total).tolist()
    return entropies


def choose(logits: Tensor, sampling: SamplingParams, positions: list[int]) -> Tensor:
    """Return int64 [N]: the token the target takes at each node. `logits` fp32 [N, V];
    `positions[n]`: index of that token in the text."""
    if sampling.temperature == 0:
        return likeliest(logits)
    scaled = nucleus(logits / sampling.temperature, sampling.top_p)
    unique = sorted(set(positions))
    noise = gumbel(sampling.seed, unique, logits.shape[-1], logits.device)
    place = {position: row for row, position in enumerate(unique)}
    if len(unique) < len(positions):
        noise = noise[torch.tensor([place[position] for position in positions], device=logits.device)]
    return scaled.add(noise).argmax(-1)


def nucleus(logits: Tensor, top_p: float) -> Tensor:
    """Set everything outside the smallest set of likeliest tokens with probability `top_p` to -inf;
    ties stay together."""
    if top_p >= 1:
        return logits
    probabilities = logits.softmax(-1)
    size, vocabulary = 64, logits.shape[-1]
    while True:  # sorting 49,152 numbers per node costs more than the forward: look at the likeliest few first
        top = probabilities.topk(min(size, vocabulary), dim=-1).values  # [N, k], descending
        before = top.cumsum(-1) - top
        if size >= vocabulary or bool((before[:, -1] >= top_p).all()):
            break
        size *= 8
    inside = (before < top_p).sum(-1, keepdim=True)  # at least 1
    threshold = top.gather(-1, inside - 1)
    return logits.masked_fill(probabilities < threshold, -math.inf)


def gumbel(seed: int, positions: list[int], vocabulary: int, device: torch.device) -> Tensor:
    """Return fp32 [len(positions), vocabulary] of standard Gumbel noise."""
    keys = torch.tensor([_signed(_hash(_hash(seed) + position)) for position in positions], device=device)
    bits = keys[:, None] + _token_keys(vocabulary, device)
    for shift, factor in ((30, _MIX_1), (27, _MIX_2)):  # splitmix64 in wrapping int64 arithmetic
        bits = (bits ^ _logical_shift(bits, shift)) * _signed(factor)
    bits = _logical_shift(bits ^ _logical_shift(bits, 31), 1)
    # small uniforms become large noise: an integer keeps 24 significant bits there, 1 - u would not
    uniform = bits.to(torch.float32).mul_(2.0**-63).clamp_(min=2.0**-64, max=1 - 2.0**-24)
    return uniform.neg_().log1p_().neg_().log_().neg_()


def log_probabilities(
    logits: Tensor, tokens: Tensor, alternatives: int
) -> tuple[list[float], list[tuple[tuple[int, float], ...]]]:
    """Return those of the tokens taken and of the likeliest `alternatives`, in nats, from the
    model's own logits fp32 [M, V]."""
    log_p = logits.log_softmax(-1)
    taken = log_p.gather(-1, tokens[:, None])[:, 0].tolist()
    values, ids = log_p.topk(alternatives, dim=-1)
    rows = zip(ids.tolist(), values.tolist(), strict=True)
    return taken, [tuple(zip(row_ids, row_values, strict=True)) for row_ids, row_values in rows]


@lru_cache(maxsize=4)
def _token_keys(vocabulary: int, device: torch.device) -> Tensor:
    return torch.arange(1, vocabulary + 1, device=device) * _signed(_GOLDEN)


def _logical_shift(bits: Tensor, by: int) -> Tensor:
    return (bits >> by) & ((1 << (64 - by)) - 1)


def _hash(value: int) -> int:
    """Mix any int by splitmix64, for the few numbers that are mixed on the host."""
    value = (value + _GOLDEN) & _MASK
    value = ((value ^ (value >> 30)) * _MIX_1) & _MASK
    value = ((value ^ (value >> 27)) * _MIX_2) & _MASK
    return value ^ (value >> 31)


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
