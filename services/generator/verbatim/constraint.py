"""The protocol of a constrained request towards the engine. verbatim.py has the one that there
is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from services.generator.types import DraftTree, SamplingParams

if TYPE_CHECKING:
    from torch import Tensor

    from services.generator.models import Target


class Constraint(Protocol):
    """Decides which tokens may follow; drafts for itself, as nobody knows better what must come.
    Others may draft beside it."""

    def draft(self, root: int, nodes: int) -> DraftTree:
        """Draft at most `nodes` nodes, the root included."""

    def allowed(self, tree: DraftTree) -> DraftTree:
        """Return the nodes of another's draft that may follow, all of them."""

    def apply(self, logits: Tensor, tree: DraftTree, sampling: SamplingParams) -> None:
        """Overwrite the logits [N, V] of every node by what is allowed after it."""

    def advance(self, token: int) -> None:
        """Take in that the token was emitted."""


class Preparation(Protocol):
    """Forwards of the target that a constraint needs first, in portions, so that nobody else waits
    for all of it."""

    def advance(self, target: Target) -> Constraint | None:
        """Work off one portion; return the constraint after the last."""
