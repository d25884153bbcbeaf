"""The cost of a draft is measured once per machine, head and shape."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from services.generator.drafters import Drafter
from services.generator.drafters.copies.copy import CopyDrafter
from services.generator.drafters.eagle import EagleDrafter
from services.generator.planner import draft_costs as measured
from services.generator.planner.draft_costs import draft_costs
from services.generator.speculation.eagle_tree import TreeShape
from services.generator.train.fit import FitOptions, new_head, output_rows
from tests.services.generator.engines import tiny_target

pytestmark = pytest.mark.quick


def drafter(depth: int) -> EagleDrafter:
    target, ids = tiny_target(), torch.arange(tiny_target().config.vocab_size)
    head = new_head(target, FitOptions(version=3), ids, output_rows(target, ids)).eval().requires_grad_(False)
    return EagleDrafter(head, TreeShape(2, 8, depth))


def test_heads_are_measured_and_copying_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drafters: dict[str, Drafter] = {"copy": CopyDrafter(), "eagle": drafter(2)}
    first = draft_costs(drafters, tiny_target(), tmp_path)
    assert set(first) == {"eagle"}
    assert first["eagle"] > 0
    assert drafters["eagle"].rows == {}  # type: ignore[attr-defined]
    monkeypatch.setattr(measured, "draft_seconds", lambda *_: 7.0)
    assert draft_costs(drafters, tiny_target(), tmp_path) == first
    # another shape is another draft
    assert draft_costs({"eagle": drafter(3)}, tiny_target(), tmp_path) == {"eagle": 7.0}
