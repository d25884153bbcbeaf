"""Requests that go into the engine and outputs that come out of it. Behaviour is in engine.py."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from services.generator.engine.features import Features
from services.generator.models.decoder.adapters import Active
from services.generator.planner.planner import Plan
from services.generator.planner.rates import AcceptanceRates
from services.generator.speculation.acceptance import EXACT, Acceptance
from services.generator.text.answer_text import AnswerText
from services.generator.types import CopySpan, FinishReason, Sequence
from services.generator.verbatim.constraint import Constraint, Preparation


@dataclass(frozen=True, slots=True)
class EngineOptions:
    rows: int = 4  # requests decoded at a time
    context: int = 4096  # tokens of prompt and answer together
    queue: int = 64  # requests that may wait
    nodes: int = 64  # of a tree at most, the root included; the planner takes what pays
    readings: int = 8  # prompts scored at a time, beside those rows
    prefill_chunk: int = 512  # prompt tokens per step: what others wait for between two of their steps
    prefix_bytes: int = 256 << 20


@dataclass(frozen=True, slots=True)
class Output:
    """What one step gave one request. `tokens` and log-probabilities are this step's."""

    sequence: Sequence
    text: str
    spans: tuple[CopySpan, ...]
    tokens: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    alternatives: tuple[tuple[tuple[int, float], ...], ...] = ()
    finish: FinishReason | None = None  # of this step: the sequence itself may be further by the time this is read
    error: Exception | None = None


@dataclass(slots=True)
class Request:
    """A sequence on its way, with what the engine keeps beside it. A constrained one drafts for
    itself; others' drafts must fit it."""

    sequence: Sequence
    answer: AnswerText
    drafters: tuple[str, ...] = ()
    acceptance: Acceptance = EXACT  # of what is drafted
    drafting: bool = True  # of the constraint; drafters are named above
    preparation: Preparation | None = None  # work before the first step that yields a constraint
    constraint: Constraint | None = None
    scope: str = ""  # kept prefixes are shared within it
    active: Active | None = None  # an adapter that works on prompt and answer
    # prompt + output, room for the rest
    context: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    tokens: int = 0  # of context that are decided; the last of them is the next root
    length: int = 0  # of context that are in the KV cache
    features: Features = field(default_factory=Features)
    plan: Plan = field(default_factory=lambda: Plan(AcceptanceRates()))
    started: float = 0.0  # when admitted, then when decoding began
    came: int = 0  # tokens of prompts that the engine had computed when admitted

    @property
    def decided(self) -> NDArray[np.int32]:
        return self.context[: self.tokens]

    @property
    def missing(self) -> int:
        """Tokens to be computed before it decodes; the last one is the first root."""
        return max(0, self.tokens - 1 - self.length)

    @property
    def prefilled(self) -> bool:
        return not self.missing and self.preparation is None
