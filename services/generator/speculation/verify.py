"""One rule for every drafter and temperature: the target samples its own token at every node, and
what is accepted follows it.

Whatever proposed the tree, what is emitted is the target's own sample, so the output is the one of
plain decoding. For deterministic drafts this accepts exactly as often as EAGLE's rule at T > 0 (q =
1). Pure: no state, no text.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import replace

import torch
from torch import Tensor

from services.generator.speculation.acceptance import EXACT, Acceptance
from services.generator.speculation.sampling import choose, entropies_at, likeliest, log_probabilities
from services.generator.speculation.tree import depths
from services.generator.types import Accepted, DraftTree, SamplingParams


def verify(
    trees: Seq[DraftTree],
    logits: Tensor,
    samplings: Seq[SamplingParams],
    lengths: Seq[int],
    raw: Tensor | None = None,
    rules: Seq[Acceptance] | None = None,
    entropies: Seq[bool] | None = None,
) -> list[Accepted]:
    """Say what each row's tree becomes, by `rules` (absent: exactly what the target says).

    `logits` fp32 [R, N, V] as the constraint left them, `raw` as the model gave them (for
    log-probabilities; the same when absent); `entropies`: the rows whose accepted nodes' entropies
    are wanted too; `lengths[r]` is the position of row r's root, so the token after a node of depth
    d stands at lengths[r] + d + 1.
    """
    chosen = _choose_all(trees, logits, samplings, lengths)
    rows = chosen.tolist()  # the one download of the step
    rules = rules or [EXACT] * len(trees)
    accepted = [
        rule.accept(tree, rows[row], logits[row]) for row, (rule, tree) in enumerate(zip(rules, trees, strict=True))
    ]
    raw = logits if raw is None else raw
    if entropies is not None:
        accepted = [
            replace(each, entropies=tuple(entropies_at(raw[row], each.path))) if entropies[row] else each
            for row, each in enumerate(accepted)
        ]
    return [
        _with_log_probabilities(taken, raw[row], sampling.logprobs) if sampling.logprobs else taken
        for row, (taken, sampling) in enumerate(zip(accepted, samplings, strict=True))
    ]


def _choose_all(trees: Seq[DraftTree], logits: Tensor, samplings: Seq[SamplingParams], lengths: Seq[int]) -> Tensor:
    """Return int64 [R, N]: the target's token at every node (anything at padding)."""
    chosen = likeliest(logits)
    for row, (tree, sampling, length) in enumerate(zip(trees, samplings, lengths, strict=True)):
        if sampling.temperature > 0:
            positions = [length + depth + 1 for depth in depths(tree)]
            chosen[row, : len(tree)] = choose(logits[row, : len(tree)], sampling, positions)
    return chosen


def _with_log_probabilities(accepted: Accepted, logits: Tensor, alternatives: int) -> Accepted:
    """Add log-probabilities from `logits` [N, V] of the row."""
    nodes = torch.tensor(accepted.path, device=logits.device)
    tokens = torch.tensor(accepted.token_ids, device=logits.device)
    taken, others = log_probabilities(logits[nodes], tokens, alternatives)
    return replace(accepted, logprobs=tuple(taken), alternatives=tuple(others))
