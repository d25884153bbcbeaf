"""Trees drafted by an EAGLE head: the candidates that are likeliest, whatever their shape.

A drafter only proposes. The head's cache holds verified features alone: drafted nodes are written
behind them and forgotten. R rows, K = top_k, P pool, h hidden size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from services.generator.drafters import Drafter, DrafterContext, DrafterSpec, DraftStage, StepState
from services.generator.models import FeatureKind
from services.generator.models.heads.eagle import DraftHead
from services.generator.models.heads.eagle_cache import HeadCache
from services.generator.models.heads.eagle_format import open_head
from services.generator.native.head import NativeHead
from services.generator.speculation.eagle_tree import Pool, TreeShape, select, to_tree
from services.generator.speculation.tree import root_only
from services.generator.types import DraftTree, Sequence

ALONE = 32  # features; a row that brings more is read apart from the others


def usual_shape(device: torch.device) -> TreeShape:
    """Return EAGLE-2's and -3's published tree where rows are nearly free; on a CPU, where every
    row is computed, a small one."""
    return TreeShape() if device.type == "cuda" else TreeShape(top_k=2, total=5, depth=3, least=0.3)


class Frontier(NamedTuple):
    """The K nodes of each row whose children come next."""

    tokens: Tensor  # int64 [R, K]
    scores: Tensor  # fp32 [R, K]: log-probability of the path
    pool: Tensor  # int64 [R, K]: their places in the pool
    hidden: Tensor  # [R, K, h]: the head's output at their parents
    ancestors: Tensor  # bool [R, K, K * level]: which drafted keys each sees, itself included


@dataclass(slots=True)
class EagleDrafter(Drafter):
    """One head for all sequences; rows of its cache are lent to them from start to finish."""

    head: DraftHead
    shape: TreeShape = field(default_factory=TreeShape)
    name: str = "eagle"
    stage: DraftStage = DraftStage.MODEL
    capacity: int = 1024  # keys per row to begin with
    _cache: HeadCache = field(init=False)
    # of the cache, by the sequences that are being written
    rows: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._cache = HeadCache.empty(self.head, 1, self.capacity)

    @property
    def wants_features(self) -> FeatureKind:
        return self.head.config.features

    def start(self, sequence: Sequence) -> None:
        taken = set(self.rows.values())
        row = next(number for number in range(len(taken) + 1) if number not in taken)
        self._cache.reserve(row, self.capacity)
        self._cache.lengths[row] = self._cache.origins[row] = 0
        self.rows[sequence.id] = row

    def finish(self, sequence: Sequence) -> None:
        self.rows.pop(sequence.id, None)

    @torch.inference_mode()
    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        """Read the new features of every state, also when `nodes` leaves no room to draft."""
        trees = [root_only(int(state.context[-1])) for state in states]
        ready = [place for place, state in enumerate(states) if state.features is not None and len(state.features)]
        if ready:  # a prompt of one token has no features yet
            for place, tree in zip(ready, self._draft([states[place] for place in ready], nodes), strict=True):
                trees[place] = tree
        return trees

    def _draft(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        rows = [self.rows[state.sequence.id] for state in states]
        total = min(self.shape.total, nodes)
        if self.head.native is not None:
            return [
                self._draft_natively(self.head.native, row, state, total)
                for row, state in zip(rows, states, strict=True)
            ]
        hidden = self._read(rows, states)
        roots = [int(state.context[-1]) for state in states]
        if total <= 1:
            return [root_only(root) for root in roots]
        pool = self._grow(rows, hidden, total)
        chosen = select(pool, total - 1)
        picked = (chosen, *(part.gather(1, chosen) for part in pool))
        places, tokens, scores, parents = torch.stack([part.double() for part in picked]).cpu().tolist()  # one download
        return [
            to_tree(root, places[row], tokens[row], scores[row], parents[row], self.name)
            for row, root in enumerate(roots)
        ]

    def _draft_natively(self, native: NativeHead, row: int, state: StepState, total: int) -> DraftTree:
        """Draft by one call into C; paths that are less likely than `least` are not followed."""
        assert state.features is not None
        context, features = state.context, state.features
        if len(features) > ALONE:  # a prompt: torch computes many rows faster
            self._read([row], [replace(state, context=context[:-1], features=features[:-1])])
            features = features[-1:]
        fresh, cache, shape = len(features), self._cache, self.shape
        self._make_room(row, len(context) - 1 - fresh, fresh)
        drafted = native.draft(
            cache.kv, row, cache.lengths[row], cache.origins[row], self.head.normed(features),
            torch.from_numpy(context[-fresh:].astype("int64")),
            top_k=shape.top_k, depth=min(shape.depth, max(total - 2, 0)), least=math.log(shape.least) if shape.least > 0 else -math.inf,
        )  # fmt: skip
        cache.lengths[row] += fresh
        # stable, as in `select`
        best = sorted(range(len(drafted.scores)), key=drafted.scores.__getitem__, reverse=True)[: total - 1]
        places = sorted(best)
        tokens, scores, parents = (
            [part[place] for place in places] for part in (drafted.tokens, drafted.scores, drafted.parents)
        )
        return to_tree(int(context[-1]), places, tokens, scores, parents, self.name)

    def _make_room(self, row: int, first: int, count: int) -> None:
        """Make room for `count` features, of which the first is at position `first`, and a draft
        behind them."""
        cache = self._cache
        if cache.lengths[row] == 0:
            cache.origins[row] = first
        assert cache.origins[row] + cache.lengths[row] == first, "features do not continue what the head has seen"
        cache.reserve(row, cache.lengths[row] + count + self._drafted)

    def _read(self, rows: list[int], states: Seq[StepState]) -> Tensor:
        """Read features of newly verified tokens into the cache -> the head's output at each row's
        last one, [R, h].

        A row that brings its whole prompt is read alone, so that the others are not padded to it.
        """
        counts = [len(state.features) for state in states if state.features is not None]
        groups = [[place] for place, count in enumerate(counts) if count > ALONE]
        groups += [together] if (together := [place for place, count in enumerate(counts) if count <= ALONE]) else []
        last = torch.empty((len(rows), self.head.config.hidden_size), dtype=self.head.dtype, device=self.head.device)
        for group in groups:
            last[group] = self._read_group([rows[place] for place in group], [states[place] for place in group])
        return last

    def _read_group(self, rows: list[int], states: Seq[StepState]) -> Tensor:
        cache, device = self._cache, self.head.device
        features = pad_sequence([state.features for state in states], batch_first=True)  # type: ignore[misc]  # [R, N, h or 3h]
        counts = [len(state.features) for state in states if state.features is not None]
        widest = features.shape[1]
        tokens = torch.zeros((len(rows), widest), dtype=torch.int64)
        for place, (row, count, state) in enumerate(zip(rows, counts, states, strict=True)):
            self._make_room(row, len(state.context) - 1 - count, widest)
            tokens[place, :count] = torch.from_numpy(state.context[-count:].astype("int64"))
        starts = [cache.lengths[row] for row in rows]
        start, last, up_to = self._tensor(starts), self._tensor(counts) - 1, max(starts) + widest
        visible = torch.arange(up_to, device=device) <= (start + last)[:, :, None]  # [R, 1, up to]
        positions = start + self._tensor([cache.origins[row] for row in rows]) + torch.arange(widest, device=device)
        fused = self.head.fuse(features.to(device))
        hidden = self.head(tokens.to(device), fused, positions, cache.attend(rows, starts, visible), ask=last)
        for row, count in zip(rows, counts, strict=True):
            cache.lengths[row] += count
        return hidden[:, 0]

    @property
    def _drafted(self) -> int:
        """Keys that a draft writes behind the verified ones."""
        return self.shape.top_k * self.shape.depth

    def _tensor(self, values: list[int]) -> Tensor:
        """Turn [R] into int64 [R, 1] on the head's device."""
        return torch.tensor(values, device=self.head.device)[:, None]

    def _grow(self, rows: list[int], hidden: Tensor, total: int) -> Pool:
        """Expand the best K of each level by the probability of their paths; every child goes into
        the pool."""
        top_k = self.shape.top_k
        depth = min(self.shape.depth, total - 2)
        tokens, scores = self._children(hidden[:, None])  # [R, 1, K]
        count, device = len(rows), self.head.device
        pool = [Pool(tokens[:, 0], scores[:, 0], torch.full_like(tokens[:, 0], -1))]
        eye = torch.eye(top_k, dtype=torch.bool, device=device).expand(count, -1, -1)
        places = torch.arange(top_k, device=device).expand(count, -1)
        frontier = Frontier(tokens[:, 0], scores[:, 0], places, hidden[:, None].expand(-1, top_k, -1), eye)
        for level in range(depth):
            if self.shape.least > 0 and float(frontier.scores.max()) < math.log(self.shape.least):
                break
            out = self.draft_level(rows, frontier, level)
            tokens, scores = self._children(out)
            scores = scores + frontier.scores[:, :, None]
            pool.append(Pool(tokens.flatten(1), scores.flatten(1), frontier.pool.repeat_interleave(top_k, dim=1)))
            best = scores.flatten(1).topk(top_k, dim=1).indices  # [R, K] of the K * K children
            parents = best // top_k
            ancestors = frontier.ancestors.gather(1, parents[:, :, None].expand(-1, -1, frontier.ancestors.shape[2]))
            frontier = Frontier(
                tokens.flatten(1).gather(1, best),
                scores.flatten(1).gather(1, best),
                best + top_k + level * top_k * top_k,
                out.gather(1, parents[:, :, None].expand(-1, -1, out.shape[2])),
                torch.cat((ancestors, eye), dim=2),
            )
        return Pool(*(torch.cat(part, dim=1) for part in zip(*pool, strict=True)))

    def _children(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Turn [R, n, h] into tokens and log-probabilities of the K likeliest, [R, n, K] each.
        Never above 0: no child beats its parent."""
        logits = self.head.logits(hidden)
        top = logits.topk(self.shape.top_k, dim=-1)
        scores = (top.values - logits.logsumexp(dim=-1, keepdim=True)).clamp(max=0.0)
        return self.head.target_ids[top.indices], scores

    def draft_level(self, rows: list[int], frontier: Frontier, level: int) -> Tensor:
        """Compute one forward over the frontier: each node sees the verified keys and its drafted
        ancestors -> [R, K, h]."""
        cache, device, top_k = self._cache, self.head.device, self.shape.top_k
        lengths, drafted = [cache.lengths[row] for row in rows], top_k * (level + 1)
        # [R, up to]; negative: verified
        behind = torch.arange(max(lengths) + drafted, device=device) - self._tensor(lengths)
        own = frontier.ancestors.gather(2, behind.clamp(0, drafted - 1)[:, None].expand(-1, top_k, -1))
        visible = (behind < 0)[:, None] | (own & (behind < drafted)[:, None])
        positions = self._tensor(
            [length + cache.origins[row] + level for row, length in zip(rows, lengths, strict=True)]
        )
        attend = cache.attend(rows, [length + top_k * level for length in lengths], visible)
        return self.head(frontier.tokens, frontier.hidden, positions.expand(-1, top_k), attend)


def _open(context: DrafterContext, options: TreeShape | None) -> EagleDrafter:
    assert context.target is not None
    assert context.head is not None
    return EagleDrafter(open_head(context.head, context.target), options or usual_shape(context.target.device))


def _lacks(context: DrafterContext) -> str | None:
    return "a model and an EAGLE head trained for it" if context.target is None or context.head is None else None


def _measured_by(drafter: EagleDrafter) -> tuple[object, ...]:
    return drafter.shape, drafter.head.config, drafter.head.native is not None


SPEC = DrafterSpec("eagle", "trees of an EAGLE-1, -2 or -3 head", TreeShape, _open, _lacks, _measured_by)
