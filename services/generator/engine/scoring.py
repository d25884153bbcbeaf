"""Likelihoods that a model gives continuations of prompts: exact log-probabilities, a batch of
prompts at a time.

A prompt's tokens are computed once, whole blocks of them are taken from the prefix cache and put
there; its continuations are one draft tree below its last token, so that all of them cost one more
step. Nothing is sampled. Knows nothing of text or HTTP.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass

import torch
from torch import Tensor

from services.generator.engine.engine import Engine
from services.generator.errors import BadRequest
from services.generator.models import StepInput
from services.generator.models.decoder.adapters import Active
from services.generator.models.kv_cache import KVCache
from services.generator.speculation import tree
from services.generator.types import DraftTree

AT_ONCE = 8  # prompts in a batch: others' answers wait no longer than it takes


@dataclass(frozen=True, slots=True)
class Scoring:
    """Tokens of a prompt and of each of its continuations; none of them is empty."""

    prompt: tuple[int, ...]
    continuations: tuple[tuple[int, ...], ...]
    active: Active | None = None  # an adapter that works on prompt and continuations


def portions(asked: Seq[Scoring]) -> list[Seq[Scoring]]:
    """Return batches, each for one call of `score`."""
    return [asked[start : start + AT_ONCE] for start in range(0, len(asked), AT_ONCE)]


@torch.inference_mode()
def score(engine: Engine, asked: Seq[Scoring]) -> list[list[float]]:
    """Return log p(continuation | prompt) in nats, for each continuation of each prompt. Raises
    BadRequest for what does not fit."""
    size = max(len(one.prompt) + sum(map(len, one.continuations)) for one in asked)
    if size > engine.context:
        raise BadRequest(f"a prompt and its continuations have {size} tokens; the context is {engine.context}")
    if any(not one.prompt or not all(one.continuations) for one in asked):
        raise BadRequest("a prompt or a continuation is empty")
    cache = engine.target.new_cache(len(asked), size)
    cache.reserve(size)
    adapters = tuple(one.active for one in asked) if any(one.active for one in asked) else ()
    _read(engine, [one.prompt[:-1] for one in asked], cache, adapters)
    trees, paths = zip(*(_tree(one) for one in asked), strict=True)
    lengths = tuple(len(one.prompt) - 1 for one in asked)
    packed = tree.pack(trees, lengths)
    step = StepInput(
        torch.from_numpy(packed.token_ids),
        torch.from_numpy(packed.positions),
        slots=tuple(range(len(asked))),
        lengths=lengths,
        counts=packed.counts,
        tree_mask=None if packed.mask is None else torch.from_numpy(packed.mask),
        adapters=adapters,
    )
    told = engine.target.forward(step, cache).logits.float().log_softmax(-1)
    return [_along(told[row], one, own) for row, (one, own) in enumerate(zip(asked, paths, strict=True))]


def _read(engine: Engine, prompts: Seq[Seq[int]], cache: KVCache, adapters: tuple[Active | None, ...]) -> None:
    """Fill the rows; what the prefix cache knows is not computed again."""
    marks = [one.mark if one else None for one in adapters] or [None] * len(prompts)
    known = [engine.prefixes.load(prompt, cache, row, adapted=marks[row])[0] for row, prompt in enumerate(prompts)]
    todo = [row for row, prompt in enumerate(prompts) if known[row] < len(prompt)]
    while todo:
        counts = [min(engine.options.prefill_chunk, len(prompts[row]) - known[row]) for row in todo]
        width = max(counts)
        token_ids, positions = (
            torch.zeros(len(todo), width, dtype=torch.int64),
            torch.zeros(len(todo), width, dtype=torch.int64),
        )
        for place, (row, count) in enumerate(zip(todo, counts, strict=True)):
            token_ids[place, :count] = torch.tensor(prompts[row][known[row] : known[row] + count])
            positions[place, :count] = torch.arange(known[row], known[row] + count)
        lengths = tuple(known[row] for row in todo)
        own = tuple(adapters[row] for row in todo) if adapters else ()
        step = StepInput(
            token_ids, positions, tuple(todo), lengths, tuple(counts), None, logits_from=width, adapters=own
        )
        engine.target.forward(step, cache)
        for row, count in zip(todo, counts, strict=True):
            known[row] += count
        todo = [row for row in todo if known[row] < len(prompts[row])]
    for row, prompt in enumerate(prompts):
        engine.prefixes.store(prompt, cache, row, {}, adapted=marks[row])


def _tree(one: Scoring) -> tuple[DraftTree, list[list[int]]]:
    """Return the continuations as a tree below the prompt's last token, and of each the nodes at
    which its tokens are told."""
    builder, paths = tree.TreeBuilder(one.prompt[-1]), []
    for tokens in one.continuations:
        node, path = 0, []
        for token in tokens:
            path.append(node)
            node = builder.add(node, token, 1.0, ())
        paths.append(path)
    return DraftTree(
        tuple(builder.token_ids), tuple(builder.parents), tuple(builder.scores), tuple(builder.origins)
    ), paths


def _along(told: Tensor, one: Scoring, paths: Seq[Seq[int]]) -> list[float]:
    """told: log-probabilities [nodes, V]."""
    return [
        float(sum(float(told[node, token]) for node, token in zip(path, tokens, strict=True)))
        for tokens, path in zip(one.continuations, paths, strict=True)
    ]
