"""The machine's memory is what a process may have of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from services.generator.engine.prefix_cache import KEPT, SHARE, usual_limit
from services.generator.models.machine import memory

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("name", ["memory.max", "memory/memory.limit_in_bytes"])
def test_a_container_has_what_it_was_given_and_no_more_than_there_is(tmp_path: Path, name: str) -> None:
    cpu, file = torch.device("cpu"), tmp_path / name
    whole = memory(cpu, tmp_path)
    assert whole > 1 << 28
    file.parent.mkdir(exist_ok=True)
    for said, expected in (("268435456\n", 1 << 28), ("max\n", whole), (str(2 * whole), whole)):
        file.write_text(said)
        assert memory(cpu, tmp_path) == expected


def test_as_many_passages_of_every_model_are_kept_within_a_share_of_the_memory() -> None:
    assert [usual_limit(each, 1 << 40) for each in (12_288, 28_672)] == [KEPT * 12_288, KEPT * 28_672]
    assert usual_limit(131_072, 8 << 30) == (8 << 30) // SHARE
