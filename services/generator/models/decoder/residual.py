"""The residual stream and its RMS norm, in the form that is cheap on the device.

On a CPU torch composes rms_norm of nine small kernels, and they were a sixth of a one-token step of
the demo model. LayerNorm is one kernel; of [x, -x], whose mean is 0 and whose variance is
mean(x^2), it is exactly x's RMS norm, in fp32 inside.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F


class Residual:
    """A stream [T, h] that layers add to. `norm` takes the weight that `prepared` made of the
    checkpoint's."""

    __slots__ = ("eps", "x")

    def __init__(self, x: torch.Tensor, eps: float) -> None:
        self.x, self.eps = x.clone(), eps

    @staticmethod
    def prepared(weight: torch.Tensor) -> torch.Tensor:
        return weight

    @property
    def value(self) -> torch.Tensor:
        return self.x

    def add(self, y: torch.Tensor) -> None:
        self.x.add_(y)

    def norm(self, weight: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(self.x, weight.shape, weight, self.eps)


class MirroredResidual(Residual):
    """The stream as [T, 2, h]: x and -x."""

    __slots__ = ("flat", "signs")

    def __init__(self, x: torch.Tensor, eps: float) -> None:
        self.x, self.eps = torch.stack((x, -x), 1), eps
        self.signs = x.new_tensor([[1.0], [-1.0]])
        self.flat = self.x.flatten(1)

    @staticmethod
    def prepared(weight: torch.Tensor) -> torch.Tensor:
        return torch.cat((weight, torch.zeros_like(weight)))

    @property
    def value(self) -> torch.Tensor:
        return self.x[:, 0]

    def add(self, y: torch.Tensor) -> None:
        self.x.addcmul_(y.unsqueeze(1), self.signs)

    def norm(self, weight: torch.Tensor) -> torch.Tensor:
        mirrored = torch.layer_norm(self.flat, weight.shape, weight, None, self.eps)
        return mirrored.narrow(1, 0, weight.shape[0] // 2).contiguous()
