"""Drafters propose continuations. A drafter only proposes; it cannot change what is generated.

One file per drafter with its SPEC, one line each in DRAFTERS (registry.py). Drafters never import
each other, the engine or verify.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from services.generator.datastore.dense import DenseDatastore
from services.generator.datastore.store import Datastore
from services.generator.models import FeatureKind, Target
from services.generator.native.text import TokenKinds
from services.generator.types import Accepted, DraftTree, Sequence


class DraftStage(IntEnum):
    """When a drafter is asked; what a stage found is known when the next one is weighed."""

    LOOKUP = 0  # microseconds: always asked
    MODEL = 1  # runs a model: asked where the planner expects a gain over what was looked up
    SEARCH = 2  # microseconds again: looks up what follows the drafts of the others


@dataclass(frozen=True, slots=True)
class StepState:
    """What a drafter sees of one sequence before a step.

    `context` is prompt + output; its last token is the root of the draft (decided, not yet in the
    target's cache). `features` are those that the drafter wants, of the tokens verified since it
    last proposed, [n, h or 3h]; None when there are none.
    """

    sequence: Sequence
    context: NDArray[np.int32]  # [prompt + output], read-only view
    features: torch.Tensor | None = None
    least: float = 0.0  # chance of a path below which no node pays for its verification, whatever else is drafted
    drafted: DraftTree | None = None  # by the stages before, merged


class Drafter(Protocol):
    """Keeps and learns nothing unless it says how. One that hears the entropy of the target's own
    distributions (Accepted.entropies) has `wants_entropy = True` beside these."""

    name: str  # what its nodes' origins say

    @property
    def stage(self) -> DraftStage: ...

    @property
    def wants_features(self) -> FeatureKind | None: ...

    def start(self, sequence: Sequence) -> None:
        """Begin a sequence that was admitted; its prompt is known."""
        return

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        """Return one tree per state, at most `nodes` nodes each, the root included; a tree of the
        root alone says: nothing."""

    def feedback(self, state: StepState, tree: DraftTree, accepted: Accepted) -> None:
        """Hear what became of the merged tree of this step (not only of this drafter's part)."""
        return

    def finish(self, sequence: Sequence) -> None:
        """Forget a sequence that ended or was cancelled."""
        return


class LookupDrafter(Drafter):
    """One that drafts for each sequence by itself, of what it knows without a model."""

    stage: DraftStage = DraftStage.LOOKUP
    wants_features: FeatureKind | None = None

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        return [self.draft(state, nodes) for state in states]

    @abstractmethod
    def draft(self, state: StepState, nodes: int) -> DraftTree:
        """Return a tree of at most `nodes` nodes, the root included."""


@dataclass(frozen=True, slots=True)
class DrafterContext:
    """What a drafter may need to be opened. With nothing in it: recorded answers, no model."""

    target: Target | None = None
    head: Path | None = None  # folder of the EAGLE head trained for this target
    small: Target | None = None  # a smaller model with the same tokenizer
    dense: DenseDatastore | None = None  # built for this target, of texts that everyone who asks may read
    datastore: Datastore | None = None  # of texts that everyone who asks may read
    kinds: TokenKinds | None = None  # of the target's vocabulary: which tokens are one word, written otherwise


D = TypeVar("D", bound=Drafter)
O = TypeVar("O")  # noqa: E741


def nothing(_: DrafterContext) -> None:
    """Say what a drafter lacks that needs nothing."""


@dataclass(frozen=True, slots=True)
class DrafterSpec(Generic[D, O]):
    """What there is to know of a drafter before it is opened."""

    name: str
    summary: str
    options: type[O]
    open: Callable[[DrafterContext, O | None], D]  # without options: the usual ones for this context
    # what it needs and does not find, in words; None: it can be opened
    lacks: Callable[[DrafterContext], str | None] = nothing
    # what a draft's time depends on beside the target; None: microseconds
    measured_by: Callable[[D], tuple[object, ...]] | None = None
    reads_beside: bool = False  # copies from texts that came beside the prompt, too
