"""The pace of steps: how much longer they take than the measured costs say. Knows nothing of trees
or drafters."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Pace:
    """How much longer steps take than the table says, by nodes: the host's work, and what a busy
    machine measured wrongly at start."""

    weight: float = 0.05  # of the latest step
    least: int = 12  # steps of a size before its own factor is believed
    _all: float = 1.0
    _factors: dict[int, float] = field(default_factory=dict)
    _steps: dict[int, int] = field(default_factory=dict)

    def learn(self, nodes: int, factor: float) -> None:
        size = nodes.bit_length()
        known, steps = self._factors.get(size, factor), self._steps.get(size, 0) + 1
        seen = min(max(factor, known / 2), known * 2)  # an interruption is no cost of the nodes
        self._factors[size] = known + max(self.weight, 1 / steps) * (seen - known)
        self._steps[size] = steps
        self._all += self.weight * (min(max(factor, self._all / 2), self._all * 2) - self._all)

    def factor(self, nodes: int) -> float:
        """Return the factor; of sizes that were hardly seen: what all steps have shown."""
        size = nodes.bit_length()
        return self._factors[size] if self._steps.get(size, 0) >= self.least else self._all
