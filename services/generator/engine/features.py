"""The target's hidden states of a request's verified tokens, by kind; every drafter that wants them
reads on from where it was.

Knows nothing of drafters but their names.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from services.generator.models import FeatureKind


class Features:
    """`wanted`: who reads which kind. What nobody reads is not kept."""

    def __init__(self, wanted: Mapping[str, FeatureKind] | None = None) -> None:
        self._wanted = dict(wanted or {})
        self._kept: dict[FeatureKind, list[Tensor]] = {kind: [] for kind in self._wanted.values()}
        self._read = dict.fromkeys(self._wanted, 0)  # of the pieces that were kept

    @property
    def kinds(self) -> frozenset[FeatureKind]:
        return frozenset(self._kept)

    def add(self, kind: FeatureKind, piece: Tensor) -> None:
        """Keep [n, h or 3h] of the tokens that come next."""
        self._kept[kind].append(piece)

    def unread(self, drafter: str) -> Tensor | None:
        """Return what the drafter has not read yet, of all tokens since; None when there is
        nothing, or nothing that it wants."""
        kind = self._wanted.get(drafter)
        if kind is None:
            return None
        pieces = self._kept[kind][self._read[drafter] :]
        self._read[drafter] = len(self._kept[kind])
        return torch.cat(pieces) if pieces else None

    def all(self) -> dict[FeatureKind, Tensor]:
        """Join everything by kind."""
        return {kind: torch.cat(pieces) for kind, pieces in self._kept.items() if pieces}
