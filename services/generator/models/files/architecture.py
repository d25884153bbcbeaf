"""The architecture in a Llama-family checkpoint's config.json, checked once. Reads both spellings
of the RoPE fields.

The raw JSON is read instead of transformers' config objects: those fill fields in, and cost seconds
to import.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from services.generator.errors import ModelError

SUPPORTED = ("LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM")


@dataclass(frozen=True, slots=True)
class Rope:
    kind: str = "default"  # default, linear, dynamic, llama3, yarn or factors
    theta: float = 10000.0
    parameters: Mapping[str, float] = field(default_factory=dict)  # of the scaling: factor, low_freq_factor, ...
    factors: tuple[float, ...] = ()  # "factors" (GGUF): what each frequency is divided by


@dataclass(frozen=True, slots=True)
class Architecture:
    name: str  # of the class in `architectures`
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    max_positions: int
    norm_eps: float
    rope: Rope
    qkv_bias: bool = False
    output_bias: bool = False
    mlp_bias: bool = False
    qk_norm: bool = False
    tied: bool = False
    eos_token_ids: tuple[int, ...] = ()

    @property
    def q_size(self) -> int:
        return self.heads * self.head_dim

    @property
    def kv_size(self) -> int:
        return self.kv_heads * self.head_dim

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], generation: Mapping[str, Any] = MappingProxyType({})
    ) -> Architecture:
        """Read config.json; `generation` is generation_config.json, which may know more tokens that
        end an answer.

        Raises ModelError on an architecture or option whose result would not be transformers'.
        """
        name = next(iter(config.get("architectures") or ()), "none")
        if name not in SUPPORTED:
            raise ModelError(f"architecture {name} is not supported; supported: {', '.join(SUPPORTED)}")
        if config.get("hidden_act", "silu") != "silu":
            raise ModelError(f"{name}: hidden_act {config['hidden_act']} is not supported, only silu")
        if config.get("quantization_config"):
            raise ModelError(
                f"{name}: quantised Hugging Face checkpoints are not supported; a GGUF file or the plain weights are"
            )
        family = name.removesuffix("ForCausalLM").lower()
        bias = bool(config.get("attention_bias", False))
        heads, hidden = int(config["num_attention_heads"]), int(config["hidden_size"])
        kv_heads = int(config.get("num_key_value_heads") or (8 if family == "mistral" else heads))
        if heads % kv_heads:
            raise ModelError(f"{name}: {heads} heads do not divide into {kv_heads} key/value heads")
        return cls(
            name=name,
            vocab_size=int(config["vocab_size"]),
            hidden_size=hidden,
            intermediate_size=int(config["intermediate_size"]),
            layers=int(config["num_hidden_layers"]),
            heads=heads,
            kv_heads=kv_heads,
            head_dim=int(config.get("head_dim") or (128 if family == "qwen3" else hidden // heads)),
            max_positions=_max_positions(config),
            norm_eps=float(config.get("rms_norm_eps", 1e-6)),
            rope=_rope(config),
            qkv_bias=family == "qwen2" or (family in ("llama", "qwen3") and bias),
            output_bias=family in ("llama", "qwen3") and bias,
            mlp_bias=family == "llama" and bool(config.get("mlp_bias", False)),
            qk_norm=family == "qwen3",
            tied=bool(config.get("tie_word_embeddings", False)),
            eos_token_ids=tuple(dict.fromkeys(_ids(generation.get("eos_token_id")) + _ids(config.get("eos_token_id")))),
        )


def _ids(value: int | list[int] | None) -> tuple[int, ...]:
    return () if value is None else (value,) if isinstance(value, int) else tuple(value)


def _max_positions(config: Mapping[str, Any]) -> int:
    """Honour a sliding window by not going beyond it: within it, windowed and full attention are
    the same."""
    positions = int(config.get("max_position_embeddings", 2048))
    uses_window = config.get("use_sliding_window", True)  # the Qwens have a switch, Mistral has not
    # transformers' default
    window = config.get("sliding_window", 4096 if config.get("model_type") == "mistral" else None)
    return min(positions, int(window)) if window and uses_window else positions


def _rope(config: Mapping[str, Any]) -> Rope:
    """Read both spellings: transformers 5 writes `rope_parameters`; what was published before has
    `rope_theta` and `rope_scaling`."""
    fields = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
    theta = float(fields.pop("rope_theta", None) or config.get("rope_theta") or 10000.0)
    kind = str(fields.pop("rope_type", None) or fields.pop("type", None) or "default")
    fields.pop("type", None)
    if kind not in ("default", "linear", "dynamic", "llama3", "yarn", "factors"):
        raise ModelError(f"RoPE scaling {kind} is not supported")
    if float(config.get("partial_rotary_factor") or fields.get("partial_rotary_factor") or 1.0) != 1.0:
        raise ModelError("partial_rotary_factor is not supported")
    numbers = {key: float(value) for key, value in fields.items() if isinstance(value, int | float)}
    numbers.setdefault("original_max_position_embeddings", float(config.get("max_position_embeddings", 2048)))
    return Rope(kind, theta, numbers, tuple(fields.get("factors", ())))
