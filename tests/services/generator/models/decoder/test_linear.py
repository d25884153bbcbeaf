"""A block's values are GGUF's, whatever its type, and matrices of blocks are taken apart and joined
without changing one."""

from __future__ import annotations

import pytest
import torch

from services.generator.models.decoder.linear import Linear, dense_kernel, int4_kernel, packed_kernel, planes
from services.generator.models.files.blocks import KINDS, Blocks, four_bits, stack, stacks, take_rows
from tests.services.generator.blocks import blocks

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("name", KINDS)
def test_blocks_have_the_values_of_ggufs_own_decoder(name: str) -> None:
    from gguf import GGMLQuantizationType
    from gguf.quants import dequantize

    made = blocks(name)
    expected = torch.from_numpy(dequantize(made.raw.numpy(), GGMLQuantizationType[name]))
    assert made.shape == expected.shape
    torch.testing.assert_close(made.dense(), expected, atol=0, rtol=1e-6)


def test_four_bits_are_as_near_as_four_bits_can_be() -> None:
    weight = torch.randn(64, 128, generator=torch.Generator().manual_seed(0))
    rounded = four_bits(weight)
    assert (rounded.name, rounded.shape) == ("Q4_1", weight.shape)
    reach = weight.unflatten(1, (-1, 32))
    step = (reach.amax(-1) - reach.amin(-1)) / 15
    assert ((rounded.dense() - weight).abs().unflatten(1, (-1, 32)) <= 0.52 * step.unsqueeze(-1)).all()


@pytest.mark.parametrize("rows", [1, 3, 40])
@pytest.mark.parametrize("bias", [False, True])
def test_the_kernels_of_a_layer_agree_up_to_rounding(rows: int, bias: bool) -> None:
    values = blocks("Q4_1").dense()
    x = torch.randn(rows, 256, generator=torch.Generator().manual_seed(1)).bfloat16()
    offset = torch.linspace(-1, 1, 64).bfloat16() if bias else None
    expected = x.float() @ values.t() + (0 if offset is None else offset.float())
    for kernel in (packed_kernel(values.bfloat16(), offset), dense_kernel(values.bfloat16(), offset)):
        error = (kernel(x).float() - expected).norm() / expected.norm()
        assert error < 0.01, kernel


@pytest.mark.parametrize("name", ["Q4_0", "Q4_1", "Q8_0"])
@pytest.mark.parametrize("bias", [False, True])
def test_torchs_kernel_multiplies_planes_of_four_bits_by_the_values_that_the_layer_shares(
    name: str, bias: bool
) -> None:
    made = blocks(name)
    values = torch.stack([plane.values() for plane in planes(made)]).sum(0)
    assert ((values - made.dense()).norm() / made.dense().norm()) < 0.005
    x = torch.randn(5, 256, generator=torch.Generator().manual_seed(1)).bfloat16()
    offset = torch.linspace(-1, 1, 64) if bias else None
    expected = x.float() @ values.t() + (0 if offset is None else offset)
    assert ((int4_kernel(planes(made), offset)(x).float() - expected).norm() / expected.norm()) < 0.01


@pytest.mark.parametrize("name", sorted({*KINDS} - {"Q4_0", "Q4_1", "Q8_0"}))
def test_other_types_are_no_planes_of_four_bits(name: str) -> None:
    assert planes(blocks(name)) == []


def test_stacked_matrices_answer_as_each_alone() -> None:
    first, second = blocks("Q4_1", 64, seed=1), blocks("Q4_1", 32, seed=2)
    stacked = stack([first, second])
    assert isinstance(stacked, Blocks)
    assert torch.equal(stacked.dense(), torch.cat((first.dense(), second.dense())))
    mixed = stack([first, second.dense()])
    assert isinstance(mixed, torch.Tensor)
    assert torch.equal(mixed, stacked.dense())


def test_matrices_of_several_types_are_joined_by_neighbours() -> None:
    query, key, value = blocks("Q5_0", seed=1), blocks("Q5_0", 32, seed=2), blocks("Q8_0", 32, seed=3)
    found = stacks([query, key, value])
    assert [each.name for each in found if isinstance(each, Blocks)] == ["Q5_0", "Q8_0"]
    whole = stack(found)
    assert isinstance(whole, torch.Tensor)
    assert torch.equal(whole, torch.cat((query.dense(), key.dense(), value.dense())))


def test_rows_of_blocks_are_reordered_with_their_scales() -> None:
    order = torch.tensor([3, 0, 63])
    taken = take_rows(blocks("Q6_K"), order)
    assert isinstance(taken, Blocks)
    assert torch.equal(taken.dense(), blocks("Q6_K").dense()[order])


def test_the_number_of_rows_chooses_the_kernel() -> None:
    linear = Linear({"few": lambda x: x + 1, "many": lambda x: x + 2}, 4, 4, limit=3)
    assert linear(torch.zeros(3, 4))[0, 0] == 1
    assert linear(torch.zeros(4, 4))[0, 0] == 2
