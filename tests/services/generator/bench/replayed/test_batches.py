"""Costs of rows of different lengths in a batch: zeros counted by hand, and keys that are moved
together."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from services.generator.bench.__main__ import main
from services.generator.bench.replayed import batches
from services.generator.bench.replayed.batches import measure
from tests.services.generator.tiny import CORPUS, tiny_tokenizer

pytestmark = pytest.mark.quick

ONE, TWO = (0,), (0, 1)


def test_one_width_for_all_rows_leaves_zeros_until_they_are_moved_together() -> None:
    """Of 4, 8 and, moved together after the second step, 8 places 1, 2 and none are zeros; else 2
    of 10 at last."""
    told = measure([[TWO, ONE, ONE], [ONE, TWO, ONE]], rows=2, every=2)
    assert told.steps == 3
    assert told.zeros == pytest.approx((1 / 4 + 2 / 8) / 3)
    assert told.never == pytest.approx((1 / 4 + 2 / 8 + 2 / 10) / 3)


def test_a_row_that_ended_is_not_counted() -> None:
    assert measure([[TWO, TWO], [ONE]], rows=2, every=9).zeros == pytest.approx((1 / 4 + 0) / 2)


def test_what_is_rearranged_stands_together_in_its_order() -> None:
    cache = batches.empty_cache(2, 6)
    cache.kv[:] = torch.arange(6)[:, None]
    batches.rearrange(cache, [np.array([0, 2, 5]), np.array([0, 1, 2])])
    assert cache.kv[0, 0, :, 0, :3, 0].tolist() == [[0, 2, 5], [0, 1, 2]]


def test_the_command_prints_every_size_of_batch_and_refuses_too_few_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny_tokenizer().save_pretrained(tmp_path)
    rows = [{"source": " ".join(CORPUS[:4]), "answer": CORPUS[number % 4]} for number in range(4)]
    (tmp_path / "said.jsonl").write_text("\n".join(map(json.dumps, rows)))
    arguments = ["batches", "--data", str(tmp_path / "said.jsonl"), "--tokenizer", str(tmp_path)]
    assert main([*arguments, "--rows", "2", "4", "--json"]) == 0
    assert [one["rows"] for one in json.loads(capsys.readouterr().out)] == [2, 4]
    assert main([*arguments, "--rows", "2"]) == 0
    assert "rearrange" in capsys.readouterr().out
    assert main([*arguments, "--rows", "8"]) == 2
    assert "fewer than 8 answers" in capsys.readouterr().err
