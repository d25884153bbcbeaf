"""Policies of who drafts, as other engines decide it: by the length of a match, or in order. Ours,
the first, merges all and weighs each node.

A policy sees what the look-ups of one row found and says what of it is kept, and whether the others
are asked at all. It knows no drafter.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from services.generator.errors import BadRequest
from services.generator.speculation import tree
from services.generator.types import DraftTree


class DraftChoice(NamedTuple):
    kept: list[DraftTree]  # of what was looked up
    others: bool  # whether those who run a model are asked too


class Policy(Protocol):
    def choose(self, looked_up: Seq[DraftTree]) -> DraftChoice: ...

    def beside(self, looked_up: DraftTree, written: Seq[DraftTree]) -> DraftTree:
        """Return what is kept of what was looked up where models drafted as well: all of it."""
        del written
        return looked_up


@dataclass(frozen=True, slots=True)
class Merge(Policy):
    """All drafts in one tree (CASD, section 5.2); what of it is verified is the planner's to
    say."""

    def choose(self, looked_up: Seq[DraftTree]) -> DraftChoice:
        return DraftChoice(list(looked_up), True)


@dataclass(frozen=True, slots=True)
class LongMatch(Policy):
    """A match of at least so many tokens is the whole draft; after a shorter one only the others
    draft."""

    tokens: int

    def choose(self, looked_up: Seq[DraftTree]) -> DraftChoice:
        sure = [tree for tree in looked_up if tree.match >= self.tokens]
        return DraftChoice(sure[:1], not sure)


@dataclass(frozen=True, slots=True)
class InOrder(Policy):
    """The first that finds anything drafts; those who run a model come last."""

    def choose(self, looked_up: Seq[DraftTree]) -> DraftChoice:
        first = [tree for tree in looked_up if len(tree) > 1][:1]
        return DraftChoice(first, not first)


@dataclass(frozen=True, slots=True)
class Agreed(Merge):
    """What was looked up is kept where it begins as a model would, and merged with what the model
    wrote (RASD: pruning by the draft model's chances, fusion by longest prefix)."""

    def beside(self, looked_up: DraftTree, written: Seq[DraftTree]) -> DraftTree:
        if not written:
            return looked_up
        firsts = {
            token for each in written for token, parent in zip(each.token_ids, each.parents, strict=True) if parent == 0
        }
        kept = [True]
        for token, parent in zip(looked_up.token_ids[1:], looked_up.parents[1:], strict=True):
            kept.append(token in firsts if parent == 0 else kept[parent])
        return tree.only(looked_up, kept)


POLICIES: dict[str, Policy] = {
    "merge": Merge(),
    "sam": LongMatch(5),  # SAM-Decoding, section 3.3, by its authors' threshold
    "override": LongMatch(4),  # TensorRT-LLM's suffix automaton beside a neural draft
    "agreed": Agreed(),  # RASD
    "in-order": InOrder(),  # llama.cpp's order of speculation types: n-gram first
}


def policy_of(name: str) -> Policy:
    """Return the policy of this name. Raises BadRequest on another."""
    if name not in POLICIES:
        raise BadRequest(f"no policy {name!r}; there are: {', '.join(POLICIES)}")
    return POLICIES[name]
