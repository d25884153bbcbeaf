"""A head made ready for drafting: the same function as EagleHead's, with fewer and faster kernels.
No gradients.

A level of a draft is a forward over a handful of rows, so what costs is reading weights and
starting kernels: q, k and v are one matrix, gate and up another, cosines come from a table, norms
are one kernel; in bf16 on a CPU the matrices are packed once, and an EAGLE-3 head's drafts are one
call into C (`native`).
"""

from __future__ import annotations

from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from services.generator.models.decoder import tiles
from services.generator.models.decoder.linear import Kernel, dense_kernel, packed_kernel
from services.generator.models.files.blocks import GROUP, four_bits
from services.generator.models.heads.eagle import Attend, DecoderLayer, EagleHead, normed, rotate, take
from services.generator.native.head import HeadWeights, NativeHead
from services.generator.native.matrix import PackedMatrix
from services.generator.native.step import NODES, DecoderSize, NativeLayer

MATRICES = 6  # of an EAGLE-3 head: fc, qkv, output, gate and up, down, lm_head
MOST = 128  # dimensions of a head that the kernels take


class FrozenHead:
    """Made of an EagleHead, whose weights it copies where they are joined or packed; the head
    itself can be dropped."""

    def __init__(self, head: EagleHead, positions: int = 8192) -> None:
        """Copy, join and pack weights. `positions`: how many there are angles for; drafts reach
        some way beyond the target's context."""
        self.config, self.dtype, self.device = head.config, head.dtype, head.device
        self.target_ids = head.target_ids
        self._target = head._target[0]
        self._own_embeddings = head.embed_tokens.weight if head.config.own_embeddings else None
        layer: DecoderLayer = head.layer
        attention, mlp = layer.self_attn, layer.mlp
        self._matrices: list[PackedMatrix | None] = []  # of `_kernel`, in this order
        self._fc = self._kernel(head.fc)
        self._qkv = self._kernel(attention.q_proj, attention.k_proj, attention.v_proj)
        self._out = self._kernel(attention.o_proj)
        self._gate_up, self._down = self._kernel(mlp.gate_proj, mlp.up_proj), self._kernel(mlp.down_proj)
        self._post = self._norm(layer.post_attention_layernorm)
        if head.config.version == 3:
            self._input, self._hidden = self._norm(layer.input_layernorm), self._norm(layer.hidden_norm)
            self._features = [self._norm(norm) for norm in head.feature_norms]
            self._final, self._lm_head = self._norm(head.norm), self._kernel(head.lm_head)
        cos, sin = head.angles(torch.arange(positions, device=self.device)[None])
        self._cos, self._sin = cos[0], sin[0]  # [positions, d]
        self.native = self._native(head, positions)

    def embed(self, token_ids: Tensor) -> Tensor:
        own = self._own_embeddings
        return (self._target.embed(token_ids) if own is None else F.embedding(token_ids, own)).to(self.dtype)

    def fuse(self, features: Tensor) -> Tensor:
        """Do as EagleHead.fuse."""
        if self.config.version != 3:
            return features.to(self.dtype)
        return self._fc(self.normed(features))

    def normed(self, features: Tensor) -> Tensor:
        """Do as EagleHead.normed."""
        return normed(features.to(self.dtype), self._features)

    def __call__(
        self, token_ids: Tensor, hidden: Tensor, positions: Tensor, attend: Attend, ask: Tensor | None = None
    ) -> Tensor:
        """Do as EagleHead.forward."""
        config, embedded = self.config, self.embed(token_ids)
        if config.version == 3:
            feature = self._hidden(hidden)
            residual = feature if config.norm_before_residual else hidden
            attended = torch.cat((self._input(embedded), feature), dim=-1)
        else:
            residual = attended = self._fc(torch.cat((embedded, hidden), dim=-1))
        x = take(residual, ask) + self._out(self._attention(attended, positions, attend, ask))
        gate, up = self._gate_up(self._post(x)).chunk(2, -1)
        out = x + self._down(F.silu(gate).mul_(up))
        return self._final(out) if config.norm_output else out

    def logits(self, hidden: Tensor) -> Tensor:
        """Do as EagleHead.logits."""
        if self.config.version == 3:
            return self._lm_head(hidden if self.config.norm_output else self._final(hidden)).float()
        return self._target.lm_head(hidden).float()

    def _attention(self, x: Tensor, positions: Tensor, attend: Attend, ask: Tensor | None) -> Tensor:
        config = self.config
        cos, sin = self._cos[positions][:, None], self._sin[positions][:, None]
        heads = self._qkv(x).unflatten(2, (-1, config.head_dim)).transpose(1, 2)  # [R, H + 2 kv, N, d]
        turned = rotate(heads[:, : config.heads + config.kv_heads], cos, sin)
        q, k, v = turned[:, : config.heads], turned[:, config.heads :], heads[:, config.heads + config.kv_heads :]
        q = q if ask is None else take(q.transpose(1, 2), ask).transpose(1, 2)
        return attend(q, k, v).transpose(1, 2).flatten(2)

    def _kernel(self, *layers: nn.Linear) -> Kernel:
        weight = (
            layers[0].weight.detach() if len(layers) == 1 else torch.cat([layer.weight.detach() for layer in layers])
        )
        bias: Any = None if layers[0].bias is None else torch.cat([layer.bias.detach() for layer in layers])
        if self.device.type != "cpu" or self.dtype != torch.bfloat16 or not torch.backends.mkldnn.is_available():
            return dense_kernel(weight, bias)
        many = packed_kernel(weight, bias)
        # a draft need not be exact, and what is read costs
        few = tiles.pack(four_bits(weight), bias) if tiles.fits(weight) else None
        self._matrices.append(few)
        return many if few is None else lambda x: few(x) if x.numel() <= NODES * x.shape[-1] else many(x)

    def _native(self, head: EagleHead, positions: int) -> NativeHead | None:
        config, layer = self.config, head.layer
        fits = (
            config.version == 3
            and config.hidden_size % GROUP == config.head_dim % GROUP == 0
            and config.head_dim <= MOST
        )
        table = head.embed_tokens.weight.detach() if config.own_embeddings else self._target.embedding if fits else None
        if table is None or table.dtype != torch.bfloat16 or len(self._matrices) < MATRICES or None in self._matrices:
            return None
        norms = (layer.input_layernorm, layer.hidden_norm, head.norm, layer.post_attention_layernorm)
        tokens, features, final, post = (norm.weight.detach().float().contiguous() for norm in norms)
        fuse, qkv, output, gate_up, down, logits = cast(list[PackedMatrix], self._matrices)
        angles = torch.outer(torch.arange(positions, dtype=torch.float64), head.inverse_frequencies.double())
        rotations = torch.stack((angles.cos(), angles.sin()), -1).float()
        weights = HeadWeights(
            NativeLayer(post, post, None, None, qkv, output, gate_up, down),
            fuse, logits, tokens, features, final, table.contiguous(), self.target_ids, rotations,
            config.norm_before_residual, config.norm_output,
        )  # fmt: skip
        size = DecoderSize(
            config.hidden_size,
            config.intermediate_size,
            config.heads,
            config.kv_heads,
            config.head_dim,
            config.rms_norm_eps,
        )
        return NativeHead(size, weights)

    def _norm(self, norm: nn.RMSNorm) -> Kernel:
        """Norm in one kernel: on a CPU rms_norm is nine kernels and layer_norm one: that of (x,
        -x), whose mean is 0, is x's RMS norm."""
        weight, width, eps = norm.weight.detach(), norm.normalized_shape[0], norm.eps or 0.0
        if self.device.type != "cpu":
            return lambda x: F.rms_norm(x, (width,), weight, eps)
        twice = torch.cat((weight, weight))
        return lambda x: F.layer_norm(torch.cat((x, -x), dim=-1), (2 * width,), twice, None, eps)[..., :width]
