"""Every kernel of a layer multiplies by the same values, and a block's values are GGUF's."""

from __future__ import annotations

import pytest
import torch

from services.generator.models.linear import (
    Blocks,
    Linear,
    dense_kernel,
    int4_kernel,
    int8_kernel,
    packed_kernel,
    rounded_like_kernel,
    stack,
    take_rows,
)

pytestmark = pytest.mark.quick


def blocks(outputs: int = 64, inputs: int = 128, seed: int = 0) -> Blocks:
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(0, 16, (outputs, inputs), generator=generator, dtype=torch.uint8)
    scale = torch.rand(outputs, inputs // 32, generator=generator).half() * 0.01
    return Blocks(codes, scale, -torch.rand(outputs, inputs // 32, generator=generator).half() * 0.1)


def test_a_block_is_scale_times_code_plus_minimum() -> None:
    b = blocks()
    assert b.minimum is not None
    row, column = 5, 70
    expected = b.scale[row, 2].float() * b.codes[row, column].float() + b.minimum[row, 2].float()
    assert b.dense()[row, column] == expected


def test_eight_bit_blocks_have_no_minimum() -> None:
    codes = torch.tensor([[-128, 127] + [0] * 30], dtype=torch.int8)
    assert Blocks(codes, torch.tensor([[0.5]]).half(), None).dense()[0, :3].tolist() == [-64.0, 63.5, 0.0]


@pytest.mark.parametrize("rows", [1, 3, 40])
@pytest.mark.parametrize("bias", [False, True])
def test_the_kernels_of_a_layer_agree_up_to_rounding(rows: int, bias: bool) -> None:
    b = blocks()
    x = torch.randn(rows, 128, generator=torch.Generator().manual_seed(1)).bfloat16()
    offset = torch.linspace(-1, 1, 64).bfloat16() if bias else None
    values = rounded_like_kernel(b)
    expected = x.float() @ values.t() + (0 if offset is None else offset.float())
    for kernel in (int4_kernel(b, offset), packed_kernel(values.bfloat16(), offset), dense_kernel(values.bfloat16(), offset)):
        error = (kernel(x).float() - expected).norm() / expected.norm()
        assert error < 0.01, kernel
    assert ((values - b.dense()).norm() / b.dense().norm()) < 0.005


def test_the_int4_kernel_multiplies_by_the_values_that_its_layer_shares() -> None:
    b = blocks()
    identity = torch.eye(128).bfloat16()
    torch.testing.assert_close(int4_kernel(b, None)(identity).float(), rounded_like_kernel(b).t().bfloat16().float(), atol=2e-3, rtol=1e-2)


@pytest.mark.parametrize("rows", [1, 5])
def test_eight_bits_are_multiplied_as_two_planes_of_four(rows: int) -> None:
    codes = torch.arange(-128, 128).to(torch.int8).repeat(64, 1)  # every code there is
    b = Blocks(codes, blocks(64, 256).scale, None)
    x = torch.randn(rows, 256, generator=torch.Generator().manual_seed(1)).bfloat16()
    expected = x.float() @ rounded_like_kernel(b).t()
    assert ((int8_kernel(b)(x).float() - expected).norm() / expected.norm()) < 0.01
    assert ((rounded_like_kernel(b) - b.dense()).norm() / b.dense().norm()) < 0.005


def test_stacked_matrices_answer_as_each_alone() -> None:
    first, second = blocks(seed=1), blocks(32, seed=2)
    stacked = stack([first, second])
    assert isinstance(stacked, Blocks)
    assert torch.equal(stacked.dense(), torch.cat((first.dense(), second.dense())))
    mixed = stack([first, second.dense()])
    assert isinstance(mixed, torch.Tensor)
    assert torch.equal(mixed, stacked.dense())


def test_rows_of_blocks_are_reordered_with_their_scales() -> None:
    order = torch.tensor([3, 0, 63])
    taken = take_rows(blocks(), order)
    assert isinstance(taken, Blocks)
    assert torch.equal(taken.dense(), blocks().dense()[order])


def test_the_number_of_rows_chooses_the_kernel() -> None:
    linear = Linear({"few": lambda x: x + 1, "many": lambda x: x + 2}, 4, 4, limit=3)
    assert linear(torch.zeros(3, 4))[0, 0] == 1
    assert linear(torch.zeros(4, 4))[0, 0] == 2
