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
from services.generator.types import DraftTree


class DraftChoice(NamedTuple):
    kept: list[DraftTree]  # of what was looked up
    others: bool  # whether those who run a model are asked too


class Policy(Protocol):
    def choose(self, looked_up: Seq[DraftTree]) -> DraftChoice: ...


@dataclass(frozen=True, slots=True)
class Merge:
    """All drafts in one tree (CASD, section 5.2); what of it is verified is the planner's to
    say."""

    def choose(self, looked_up: Seq[DraftTree]) -> DraftChoice:
        return DraftChoice(list(looked_up), True)


@dataclass(frozen=True, slots=True)
class LongMatch:
    """A match of at least so many tokens is the whole draft; after a shorter one only the others
    draft."""

    tokens: int

    def choose(self, looked_up: Seq[DraftTree]) -> DraftChoice:
        sure = [tree for tree in looked_up if tree.match >= self.tokens]
        return DraftChoice(sure[:1], not sure)


@dataclass(frozen=True, slots=True)
class InOrder:
    """The first that finds anything drafts; those who run a model come last."""

    def choose(self, looked_up: Seq[DraftTree]) -> DraftChoice:
        first = [tree for tree in looked_up if len(tree) > 1][:1]
        return DraftChoice(first, not first)


POLICIES: dict[str, Policy] = {
    "merge": Merge(),
    "sam": LongMatch(5),  # SAM-Decoding, section 3.3, by its authors' threshold
    "override": LongMatch(4),  # TensorRT-LLM's suffix automaton beside a neural draft
    "in-order": InOrder(),  # llama.cpp's order of speculation types: n-gram first
}


def policy_of(name: str) -> Policy:
    """Return the policy of this name. Raises BadRequest on another."""
    if name not in POLICIES:
        raise BadRequest(f"no policy {name!r}; there are: {', '.join(POLICIES)}")
    return POLICIES[name]
