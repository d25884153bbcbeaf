"""Reads and writes EAGLE heads in their published format: a folder with config.json and
model.safetensors.

The set of keys is checked, since a head with a missing weight still drafts, only badly.
Configurations are read as raw JSON: library configs fill in rotary fields that the head's authors
never wrote (the base is the head's own `rope_theta`, else 10000).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from services.generator.errors import ModelError
from services.generator.models import Target
from services.generator.models.files.convert import how_to_convert, pickles_in
from services.generator.models.heads.eagle import EagleHead, HeadConfig, SharesVocabulary, scaling_kind
from services.generator.models.heads.eagle_frozen import FrozenHead

LAYERS = ("midlayer.", "layers.0.")  # EAGLE-3's published name first, and the one some trainers write
LAYER = "layer."  # ours
NORMS = ("fc_norm", "norm_before_fc", "norm_output")  # EAGLE-3.1's, left out of a config that has none
DRAFTED = 256  # positions beyond the target's context that a draft may reach


class BadHead(ModelError):
    """A folder that is not an EAGLE head this code can run exactly; the message names folder and
    reason."""


def load_head(
    folder: Path, target: SharesVocabulary, *, dtype: torch.dtype = torch.float32, device: torch.device | None = None
) -> EagleHead:
    """Raises BadHead. Weights are converted to `dtype`; embeddings come from the target unless the
    head brings its own."""
    raw = _read_config(folder)
    weights = _read_weights(folder)
    config = head_config(raw, weights, folder)
    offsets = _offsets(config, weights, folder)
    weights = _ours(weights)
    head = EagleHead(config, target)
    _check_keys(config, head, weights, folder)
    head.load_state_dict({key: weights[key] for key in head.state_dict()})
    head.target_ids.copy_(torch.arange(config.draft_vocab_size) + offsets)
    head.requires_grad_(False)
    frequencies = head.inverse_frequencies
    head = head.to(device=device, dtype=dtype).eval()
    head.inverse_frequencies = frequencies.to(head.device)  # stays fp64
    return head


def open_head(folder: Path, target: Target) -> FrozenHead:
    """Return the head ready for drafting beside this target: in the target's number format."""
    head = load_head(folder, target, dtype=target.dtype, device=target.device)
    return FrozenHead(head, target.config.max_positions + DRAFTED)


def save_head(
    head: EagleHead,
    folder: Path,
    max_positions: int,
    dtype: torch.dtype = torch.bfloat16,
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Write the published format; `extra` goes into config.json beside what the head needs (how it
    was trained, say)."""
    folder.mkdir(parents=True, exist_ok=True)
    config, prefix = head.config, LAYERS[0] if head.config.version == 3 else LAYERS[1]
    weights = {
        (prefix + key.removeprefix(LAYER) if key.startswith(LAYER) else key): weight.to(dtype).contiguous()
        for key, weight in head.state_dict().items()
    }
    if config.draft_vocab_size != config.vocab_size:
        known = torch.zeros(config.vocab_size, dtype=torch.bool)
        known[head.target_ids.cpu()] = True
        weights["d2t"] = head.target_ids.cpu() - torch.arange(config.draft_vocab_size)
        weights["t2d"] = known
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    described = _describe(config, max_positions, dtype) | dict(extra or {})
    (folder / "config.json").write_text(json.dumps(described, indent=2) + "\n")


def _describe(config: HeadConfig, max_positions: int, dtype: torch.dtype) -> dict[str, Any]:
    described: dict[str, Any] = {
        "architectures": ["LlamaForCausalLMEagle3" if config.version == 3 else "LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "num_hidden_layers": 1,
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "vocab_size": config.vocab_size,
        "max_position_embeddings": max_positions,
        "rms_norm_eps": config.rms_norm_eps,
        "rope_theta": config.rope_theta,
        "tie_word_embeddings": False,
        "torch_dtype": str(dtype).removeprefix("torch."),
        "bias": config.fc_bias,
    }
    if config.rope_scaling:
        described["rope_scaling"] = dict(config.rope_scaling)
    if config.version == 3:
        described |= {"draft_vocab_size": config.draft_vocab_size, "norm_before_residual": config.norm_before_residual}
        described |= {"target_hidden_size": config.target_hidden_size}
        described |= {name: True for name in NORMS if getattr(config, name)}
    return described


def head_config(raw: Mapping[str, Any], weights: Mapping[str, Tensor], folder: Path) -> HeadConfig:
    """Return the configuration, checked against the shapes; the version is what the weights are,
    whatever `architectures` says."""
    shape = raw.get("transformer_layer_config") or raw  # some trainers nest the layer's own
    version = 3 if any("hidden_norm" in key or key.startswith(LAYERS[0]) for key in weights) else 1
    if shape.get("hidden_act", "silu") != "silu":
        raise BadHead(f"{folder}: hidden_act {shape['hidden_act']!r}; only silu is known")
    scaling = shape.get("rope_scaling") or None
    if scaling is not None and scaling_kind(scaling) not in ("default", "linear", "llama3"):
        raise BadHead(f"{folder}: rope_scaling {scaling} is not supported in a head")
    try:
        hidden, heads = int(shape["hidden_size"]), int(shape["num_attention_heads"])
        vocabulary = int(shape.get("vocab_size") or raw["vocab_size"])
        intermediate = int(shape["intermediate_size"])
    except KeyError as missing:
        raise BadHead(f"{folder}/config.json: {missing} is missing") from None
    width = weights["fc.weight"].shape[1] if "fc.weight" in weights else None
    fallback = int(raw.get("target_hidden_size") or hidden)
    return HeadConfig(
        version=version,
        vocab_size=vocabulary,
        draft_vocab_size=int(raw.get("draft_vocab_size") or vocabulary) if version == 3 else vocabulary,
        hidden_size=hidden,
        target_hidden_size=fallback if width is None else width // 3 if version == 3 else width - hidden,
        intermediate_size=intermediate,
        heads=heads,
        kv_heads=int(shape.get("num_key_value_heads") or heads),
        head_dim=int(shape.get("head_dim") or hidden // heads),
        rms_norm_eps=float(shape.get("rms_norm_eps", 1e-6)),
        rope_theta=float(shape.get("rope_theta") or 10000.0),
        rope_scaling=None if scaling is None or scaling_kind(scaling) == "default" else dict(scaling),
        fc_bias=bool(raw.get("bias", version == 1)) if version == 1 else "fc.bias" in weights,
        qkv_bias=bool(shape.get("qkv_bias") or shape.get("attention_bias")),
        norm_before_residual=bool(raw.get("norm_before_residual", False)),
        **{name: version == 3 and bool(raw.get(name)) for name in NORMS},
        own_embeddings="embed_tokens.weight" in weights,
    )


def _read_config(folder: Path) -> dict[str, Any]:
    try:
        raw = json.loads((folder / "config.json").read_text())
    except FileNotFoundError:
        raise BadHead(f"{folder}: no config.json") from None
    except json.JSONDecodeError as error:
        raise BadHead(f"{folder}/config.json: {error}") from None
    if not isinstance(raw, dict):
        raise BadHead(f"{folder}/config.json: not an object")
    return raw


def _read_weights(folder: Path) -> dict[str, Tensor]:
    safe = folder / "model.safetensors"
    if not safe.exists():
        raise BadHead(f"{folder}: {how_to_convert(folder) if pickles_in(folder) else 'no model.safetensors'}")
    try:
        return load_file(safe)
    except (SafetensorError, RuntimeError) as error:
        raise BadHead(f"{folder}: unreadable weights: {error}") from None


def _ours(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    prefix = next((name for name in LAYERS if any(key.startswith(name) for key in weights)), LAYERS[0])
    return {
        LAYER + key.removeprefix(prefix) if key.startswith(prefix) else key: weight for key, weight in weights.items()
    }


def _offsets(config: HeadConfig, weights: dict[str, Tensor], folder: Path) -> Tensor:
    """Take d2t and t2d out of `weights`: target token = draft token + d2t[draft token]."""
    offsets, known = weights.pop("d2t", None), weights.pop("t2d", None)
    if offsets is None:
        if config.draft_vocab_size != config.vocab_size:
            raise BadHead(
                f"{folder}: missing keys: d2t (the draft vocabulary is {config.draft_vocab_size} of "
                f"{config.vocab_size})"
            )
        return torch.zeros(config.draft_vocab_size, dtype=torch.int64)
    if offsets.shape != (config.draft_vocab_size,):
        raise BadHead(f"{folder}: d2t has shape {tuple(offsets.shape)}, the draft vocabulary {config.draft_vocab_size}")
    targets = torch.arange(config.draft_vocab_size) + offsets.long()
    if targets.min() < 0 or targets.max() >= config.vocab_size or targets.unique().numel() != targets.numel():
        raise BadHead(f"{folder}: d2t leaves the vocabulary or names a token twice")
    if known is not None and not bool(known.bool()[targets].all() and known.sum() == targets.numel()):
        raise BadHead(f"{folder}: d2t and t2d disagree")
    return offsets.long()


def _check_keys(config: HeadConfig, head: EagleHead, weights: Mapping[str, Tensor], folder: Path) -> None:
    """Refuse missing and unexpected keys and wrong shapes, by their published names."""
    expected, prefix = head.state_dict(), LAYERS[0] if config.version == 3 else LAYERS[1]

    def published(keys: set[str]) -> str:
        return ", ".join(sorted(prefix + key.removeprefix(LAYER) if key.startswith(LAYER) else key for key in keys))

    missing, unexpected = expected.keys() - weights.keys(), weights.keys() - expected.keys()
    wrong = {key for key in expected.keys() & weights.keys() if expected[key].shape != weights[key].shape}
    faults = [
        f"{name}: {published(set(keys))}"
        for name, keys in (("missing keys", missing), ("unexpected keys", unexpected))
        if keys
    ]
    faults += [
        f"wrong shape: {published({key})} is {list(weights[key].shape)}, expected {list(expected[key].shape)}"
        for key in sorted(wrong)
    ]
    if faults:
        raise BadHead(f"{folder}: {'; '.join(faults)}")
