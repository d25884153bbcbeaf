"""Both forms of the residual stream norm alike, and as transformers does."""

from __future__ import annotations

import pytest
import torch

from services.generator.models.decoder.residual import MirroredResidual, Residual

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("form", [Residual, MirroredResidual])
@pytest.mark.parametrize("mean", [0.0, 30.0])
def test_the_norm_is_the_root_mean_square_norm(form: type[Residual], mean: float) -> None:
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(2, 5, 576, generator=generator) + mean
    weight = torch.rand(576, generator=generator)
    stream = form(x, 1e-5)
    stream.add(y)
    total = (x + y).double()
    expected = total * (total.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * weight
    torch.testing.assert_close(stream.value, x + y)
    torch.testing.assert_close(stream.norm(form.prepared(weight)), expected.float(), atol=1e-5, rtol=1e-5)


def test_the_embedding_it_began_with_is_not_changed() -> None:
    x = torch.ones(2, 8)
    for form in (Residual, MirroredResidual):
        stream = form(x, 1e-5)
        stream.add(torch.ones(2, 8))
        assert torch.equal(x, torch.ones(2, 8))
