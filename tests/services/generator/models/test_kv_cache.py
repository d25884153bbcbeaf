"""The cache moves positions and nothing else: every test writes numbers that say where they
were."""

from __future__ import annotations

import pytest
import torch

from services.generator.models.kv_cache import KVCache

pytestmark = pytest.mark.quick


def numbered(rows: int = 2, length: int = 16, limit: int = 64) -> KVCache:
    cache = KVCache(3, rows, 2, 4, limit, dtype=torch.float32, device=torch.device("cpu"), initial=length)
    cache.kv.copy_(torch.arange(cache.kv.numel()).view_as(cache.kv))
    return cache


def test_an_accepted_path_moves_to_the_front() -> None:
    cache = numbered()
    before = cache.kv.clone()
    cache.keep(1, 5, (0, 2, 3, 6))
    assert torch.equal(cache.kv[:, :, 1, :, 5:9], before[:, :, 1][:, :, :, [5, 7, 8, 11]])
    assert torch.equal(cache.kv[:, :, 1, :, :5], before[:, :, 1, :, :5])
    assert torch.equal(cache.kv[:, :, 0], before[:, :, 0])


def test_a_contiguous_path_moves_nothing() -> None:
    cache = numbered()
    before, address = cache.kv.clone(), cache.kv.data_ptr()
    cache.keep(0, 5, (0, 1, 2))
    assert torch.equal(cache.kv, before)
    assert cache.kv.data_ptr() == address


def test_memory_grows_and_keeps_what_was_there() -> None:
    cache = numbered()
    before = cache.kv.clone()
    cache.reserve(17)
    assert cache.length == 32
    assert torch.equal(cache.kv[:, :, :, :, :16], before)
    cache.reserve(60)
    assert cache.length == 64  # never more than the limit


def test_more_than_the_limit_is_never_reserved() -> None:
    with pytest.raises(AssertionError, match="65 positions asked of a cache of 64"):
        numbered().reserve(65)


def test_a_block_read_from_one_row_can_be_written_to_another() -> None:
    cache = numbered()
    block = cache.read_block(0, 4, 12)
    assert block.shape == (3, 2, 2, 8, 4)
    expected = cache.kv[:, :, 0, :, 4:12].clone()
    cache.kv[:, :, 0].zero_()  # a block is a copy
    cache.write_block(1, 4, block)
    assert torch.equal(cache.kv[:, :, 1, :, 4:12], expected)


def test_a_block_beyond_the_memory_makes_it_grow() -> None:
    cache = numbered()
    cache.write_block(0, 24, torch.ones(3, 2, 2, 8, 4))
    assert cache.length == 32
    assert torch.equal(cache.kv[:, :, 0, :, 24:32], torch.ones(3, 2, 2, 8, 4))


def test_a_cache_made_in_inference_mode_can_be_moved_outside_it() -> None:
    with torch.inference_mode():
        cache = numbered()
    cache.keep(0, 0, (0, 2))
    cache.reserve(20)
    cache.write_block(0, 0, cache.read_block(1, 0, 2))


def test_rows_are_added_behind_those_that_are_there() -> None:
    cache = numbered()
    before = cache.kv.clone()
    cache.widen(5)
    assert cache.rows == 5
    assert torch.equal(cache.kv[:, :, :2], before)
    assert not cache.kv[:, :, 2:].any()
    cache.widen(3)
    assert cache.rows == 5
    assert cache.bytes_per_token == 3 * 2 * 2 * 4 * 4
