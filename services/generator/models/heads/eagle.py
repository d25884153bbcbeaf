"""EAGLE heads: one decoder layer that predicts the target's next features, and from them tokens.

Three published heads, two layers: EAGLE-1 and EAGLE-2 share weights and differ in the tree that is
drafted (drafters/eagle.py); EAGLE-3 reads three residual streams and owns its output layer. Knows
neither trees' origins nor sequences; heads are read by eagle_format.py, their keys kept by
eagle_cache.py. Position i pairs the target's feature of token i with the embedding of token i + 1.
R rows, N tokens, h hidden size, D draft vocabulary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from services.generator.models import FeatureKind
from services.generator.native.head import NativeHead

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(q [R, heads, M, d], k and v [R, kv_heads, N, d], all rotated) -> [R, heads, M, d]: who sees whom
is the caller's business."""


class DraftHead(Protocol):
    """What drafting needs: an EagleHead, or one that is ready for it (eagle_frozen.py)."""

    config: HeadConfig
    target_ids: Tensor
    native: NativeHead | None
    """What computes whole drafts of one row; its keys are those of `__call__`."""

    @property
    def dtype(self) -> torch.dtype: ...

    @property
    def device(self) -> torch.device: ...

    def normed(self, features: Tensor) -> Tensor: ...

    def fuse(self, features: Tensor) -> Tensor: ...

    def __call__(
        self, token_ids: Tensor, hidden: Tensor, positions: Tensor, attend: Attend, ask: Tensor | None = None
    ) -> Tensor: ...

    def logits(self, hidden: Tensor) -> Tensor: ...


class SharesVocabulary(Protocol):
    """What a head borrows from its target (models.Target has all three)."""

    @property
    def embedding(self) -> Tensor:
        """[V, h]"""

    def embed(self, token_ids: Tensor) -> Tensor: ...

    def lm_head(self, hidden: Tensor) -> Tensor: ...


@dataclass(frozen=True, slots=True)
class HeadConfig:
    """`version` is 1 (EAGLE-1 and -2) or 3. Feature width: target_hidden_size, or three of them for
    EAGLE-3."""

    version: int
    vocab_size: int
    draft_vocab_size: int
    hidden_size: int
    target_hidden_size: int
    intermediate_size: int
    heads: int
    kv_heads: int
    head_dim: int
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10000.0
    rope_scaling: Mapping[str, Any] | None = None  # as published; kind "linear" or "llama3"
    fc_bias: bool = False
    qkv_bias: bool = False
    norm_before_residual: bool = False
    # EAGLE-3.1: each of the target's three features normed by itself, and the normed output fed
    # back; norm_before_fc: one norm of all three, as some trainers have it
    fc_norm: bool = False
    norm_before_fc: bool = False
    norm_output: bool = False
    own_embeddings: bool = False

    @property
    def features(self) -> FeatureKind:
        """Which output of the target the head reads."""
        return "streams" if self.version == 3 else "hidden"

    @property
    def feature_size(self) -> int:
        return self.target_hidden_size * (3 if self.version == 3 else 1)


def frequencies(config: HeadConfig) -> Tensor:
    """Return those of the rotary embedding, fp64 [d / 2]."""
    plain = config.rope_theta ** -(torch.arange(0, config.head_dim, 2, dtype=torch.float64) / config.head_dim)
    scaling = config.rope_scaling
    if scaling is None:
        return plain
    if scaling_kind(scaling) == "linear":
        return plain / float(scaling["factor"])
    turns = float(scaling["original_max_position_embeddings"]) * plain / (2 * math.pi)
    low, high = float(scaling["low_freq_factor"]), float(scaling["high_freq_factor"])
    # llama3: short waves are kept, long ones stretched, those between mixed
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return plain * (kept + (1 - kept) / float(scaling["factor"]))


def scaling_kind(scaling: Mapping[str, Any]) -> str:
    return str(scaling.get("rope_type") or scaling.get("type") or "default")


def normed(features: Tensor, norms: Sequence[Callable[[Tensor], Tensor]]) -> Tensor:
    """Return [..., h * norms], each part by its norm; as they are where there is none."""
    parts = features.chunk(len(norms), dim=-1) if norms else ()
    return torch.cat([norm(part) for norm, part in zip(norms, parts, strict=True)], dim=-1) if parts else features


def take(x: Tensor, ask: Tensor | None) -> Tensor:
    """Pick from x [R, N, ...] by `ask`, int64 [R, M] -> [R, M, ...]; None: all of it."""
    return x if ask is None else x[torch.arange(len(x), device=x.device)[:, None], ask]


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate halves. x [R, heads, N, d]; cos, sin [R, 1, N, d]."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


class SelfAttention(nn.Module):
    """Parameter names are the checkpoints'. `width` is what q, k and v read: 2h in EAGLE-3, token
    and feature side by side."""

    def __init__(self, config: HeadConfig, width: int) -> None:
        super().__init__()
        self.config = config
        self.q_proj = nn.Linear(width, config.heads * config.head_dim, bias=config.qkv_bias)
        self.k_proj = nn.Linear(width, config.kv_heads * config.head_dim, bias=config.qkv_bias)
        self.v_proj = nn.Linear(width, config.kv_heads * config.head_dim, bias=config.qkv_bias)
        self.o_proj = nn.Linear(config.heads * config.head_dim, config.hidden_size, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, attend: Attend, ask: Tensor | None) -> Tensor:
        """Attend: x [R, N, width]; cos, sin [R, N, d] -> [R, M, h] at `ask`; keys and values are
        made of all N."""
        k = self._heads(self.k_proj(x), cos, sin)
        v = self.v_proj(x).unflatten(2, (-1, self.config.head_dim)).transpose(1, 2)
        q = self._heads(self.q_proj(take(x, ask)), take(cos, ask), take(sin, ask))
        mixed: Tensor = self.o_proj(attend(q, k, v).transpose(1, 2).flatten(2))
        return mixed

    def _heads(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Turn [R, N, heads * d] into rotated [R, heads, N, d]"""
        return rotate(x.unflatten(2, (-1, self.config.head_dim)).transpose(1, 2), cos[:, None], sin[:, None])


class GatedMLP(nn.Module):
    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
        return out


class DecoderLayer(nn.Module):
    """EAGLE-1's layer has no norm before its attention; EAGLE-3's has one per half of its input."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.config = config
        self.self_attn = SelfAttention(config, config.hidden_size * (2 if config.version == 3 else 1))
        self.mlp = GatedMLP(config)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        if config.version == 3:
            self.input_layernorm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
            self.hidden_norm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)

    def forward(
        self,
        embedded: Tensor | None,
        hidden: Tensor,
        cos: Tensor,
        sin: Tensor,
        attend: Attend,
        ask: Tensor | None = None,
    ) -> Tensor:
        """Compute: hidden [R, N, h], and for EAGLE-3 the embedded tokens beside it -> [R, M, h] at
        `ask`."""
        residual = attended = hidden
        if embedded is not None:
            feature = self.hidden_norm(hidden)
            residual = feature if self.config.norm_before_residual else hidden
            attended = torch.cat((self.input_layernorm(embedded), feature), dim=-1)
        x = take(residual, ask) + self.self_attn(attended, cos, sin, attend, ask)
        out: Tensor = x + self.mlp(self.post_attention_layernorm(x))
        return out


class EagleHead(nn.Module):
    """`target` lends embeddings and, to EAGLE-1, its output layer; it is not a part of the head's
    weights."""

    native: NativeHead | None = None
    inverse_frequencies: Tensor
    target_ids: Tensor  # int64 [D]: the target's token of each draft token (the checkpoint's d2t holds the differences)

    def __init__(self, config: HeadConfig, target: SharesVocabulary) -> None:
        super().__init__()
        self.config = config
        self._target = (target,)  # in a tuple: a target that is a Module must not become a submodule
        width = config.feature_size if config.version == 3 else config.hidden_size + config.target_hidden_size
        self.fc = nn.Linear(width, config.hidden_size, bias=config.fc_bias)
        self.layer = DecoderLayer(config)
        if config.own_embeddings:
            self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        if config.version == 3:
            self.norm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
            self.lm_head = nn.Linear(config.hidden_size, config.draft_vocab_size, bias=False)
        if config.fc_norm:
            streams = config.feature_size // config.target_hidden_size
            self.fc_norm = nn.ModuleList(
                nn.RMSNorm(config.target_hidden_size, eps=config.rms_norm_eps) for _ in range(streams)
            )
        if config.norm_before_fc:
            self.input_norm = nn.RMSNorm(config.feature_size, eps=config.rms_norm_eps)
        self.register_buffer("inverse_frequencies", frequencies(config), persistent=False)
        self.register_buffer("target_ids", torch.arange(config.draft_vocab_size), persistent=False)

    @property
    def dtype(self) -> torch.dtype:
        return self.fc.weight.dtype

    @property
    def device(self) -> torch.device:
        return self.fc.weight.device

    def embed(self, token_ids: Tensor) -> Tensor:
        embedded = self.embed_tokens(token_ids) if self.config.own_embeddings else self._target[0].embed(token_ids)
        return embedded.to(self.dtype)

    def fuse(self, features: Tensor) -> Tensor:
        """Turn the target's features [R, N, h or 3h] into what the layer reads, [R, N, h]. The
        head's own output is fed back without it."""
        if self.config.version != 3:
            return features.to(self.dtype)
        fused: Tensor = self.fc(self.normed(features))
        return fused

    def normed(self, features: Tensor) -> Tensor:
        """Turn the target's features [..., 3h] into what `fc` reads."""
        return normed(features.to(self.dtype), self.feature_norms)

    @property
    def feature_norms(self) -> Sequence[nn.RMSNorm]:
        """Norms of equal parts of the target's features, before they are fused."""
        if self.config.fc_norm:
            return [cast(nn.RMSNorm, norm) for norm in self.fc_norm]
        return [self.input_norm] if self.config.norm_before_fc else []

    def angles(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Turn positions int64 [R, N] into cos, sin [R, N, d]: computed in fp64, since bf16 cannot
        tell 300 from 301."""
        angles = positions.to(torch.float64)[:, :, None] * self.inverse_frequencies.to(torch.float64)
        angles = torch.cat((angles, angles), dim=-1)
        return angles.cos().to(self.dtype), angles.sin().to(self.dtype)

    def forward(
        self, token_ids: Tensor, hidden: Tensor, positions: Tensor, attend: Attend, ask: Tensor | None = None
    ) -> Tensor:
        """Compute: token_ids, positions int64 [R, N]; hidden [R, N, h], fused or the head's own ->
        the next hidden, [R, N, h].

        With `ask`, int64 [R, M], only those are computed, [R, M, h]; the rest gives keys and
        values, which is all that later tokens want of it: one layer's keys depend on the target's
        features alone.
        """
        embedded = self.embed(token_ids)
        cos, sin = self.angles(positions)
        if self.config.version == 3:
            out: Tensor = self.layer(embedded, hidden, cos, sin, attend, ask)
            if self.config.norm_output:
                out = self.norm(out)
        else:
            out = self.layer(None, self.fc(torch.cat((embedded, hidden), dim=-1)), cos, sin, attend, ask)
        return out

    def logits(self, hidden: Tensor) -> Tensor:
        """Turn [..., h] into fp32 [..., D]: over draft tokens; `target_ids` says which tokens they
        are."""
        if self.config.version == 3:
            logits: Tensor = self.lm_head(hidden if self.config.norm_output else self.norm(hidden)).float()
            return logits
        return self._target[0].lm_head(hidden).float()
