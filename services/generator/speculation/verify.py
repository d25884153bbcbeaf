"""One rule for every drafter and temperature: the target samples its own token at every node, and the walk follows it.

Whatever proposed the tree, what is emitted is the target's own sample, so the output is the one of plain decoding. For
deterministic drafts this accepts exactly as often as EAGLE's rule at T > 0 (q = 1). Pure: no state, no text.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq

import torch
from torch import Tensor

from services.generator.speculation.sampling import choose, likeliest, log_probabilities
from services.generator.speculation.tree import depths
from services.generator.types import Accepted, DraftTree, SamplingParams


def verify(
    trees: Seq[DraftTree], logits: Tensor, samplings: Seq[SamplingParams], lengths: Seq[int], raw: Tensor | None = None
) -> list[Accepted]:
    """What each row's tree becomes.

    `logits` fp32 [R, N, V] as the constraint left them, `raw` as the model gave them (for log-probabilities; the same when absent);
    `lengths[r]` is the position of row r's root, so the token after a node of depth d stands at lengths[r] + d + 1.
    """
    chosen = _choose_all(trees, logits, samplings, lengths)
    rows = chosen.tolist()  # the one download of the step
    accepted = [walk(tree, row) for tree, row in zip(trees, rows, strict=True)]
    raw = logits if raw is None else raw
    return [
        _with_log_probabilities(one, raw[row], sampling.logprobs) if sampling.logprobs else one
        for row, (one, sampling) in enumerate(zip(accepted, samplings, strict=True))
    ]


def walk(tree: DraftTree, chosen: Seq[int]) -> Accepted:
    """Descend from the root while the target's token is a child; the token that is not one is the bonus token."""
    children = {edge: node for node, edge in enumerate(zip(tree.parents, tree.token_ids, strict=True))}
    path = [0]
    while (node := children.get((path[-1], chosen[path[-1]]))) is not None:
        path.append(node)
    return Accepted(tuple(path), tuple(chosen[node] for node in path))


def _choose_all(trees: Seq[DraftTree], logits: Tensor, samplings: Seq[SamplingParams], lengths: Seq[int]) -> Tensor:
    """int64 [R, N]: the target's token at every node (anything at padding)."""
    chosen = likeliest(logits)
    for row, (tree, sampling, length) in enumerate(zip(trees, samplings, lengths, strict=True)):
        if sampling.temperature > 0:
            positions = [length + depth + 1 for depth in depths(tree)]
            chosen[row, : len(tree)] = choose(logits[row, : len(tree)], sampling, positions)
    return chosen


def _with_log_probabilities(accepted: Accepted, logits: Tensor, alternatives: int) -> Accepted:
    """`logits` [N, V] of the row."""
    nodes = torch.tensor(accepted.path, device=logits.device)
    tokens = torch.tensor(accepted.token_ids, device=logits.device)
    taken, others = log_probabilities(logits[nodes], tokens, alternatives)
    return Accepted(accepted.path, accepted.token_ids, tuple(taken), tuple(others))
