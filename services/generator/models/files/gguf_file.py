"""A GGUF file becomes a checkpoint folder, once: config.json, model.safetensors, the tokenizer.
Needs the package `gguf`.

Quantised types that blocks.py knows are kept as they are; F32, F16 and BF16 too; every other type
is dequantised to bf16.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from services.generator.errors import ModelError
from services.generator.models.files.blocks import KINDS

FORMAT = "3"  # of the converted folder; a new number converts anew

ARCHITECTURES = {"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}

NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def converted(file: Path, cache: Path) -> Path:
    """Return the folder in `cache` with the file's contents; made now if it is not there. Safe when
    two processes do it at once."""
    folder = cache / _fingerprint(file)
    if not (folder / "config.json").exists():
        cache.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=cache))
        try:
            _convert(file, made)
            os.replace(made, folder)
        except OSError:
            if not (folder / "config.json").exists():  # else another process was faster
                raise
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return folder


def _fingerprint(file: Path) -> str:
    """Hash the size and both ends: a header names every tensor, and reading gigabytes at every
    start would cost seconds."""
    size = file.stat().st_size
    digest = hashlib.sha256(f"{FORMAT} {size} ".encode())
    with file.open("rb") as stream:
        digest.update(stream.read(1 << 20))
        stream.seek(max(0, size - (1 << 20)))
        digest.update(stream.read())
    return digest.hexdigest()[:32]


def _convert(file: Path, folder: Path) -> None:
    from safetensors.torch import save_file

    try:
        import gguf
    except ImportError as error:
        raise ModelError(f"{file}: reading GGUF files needs the package `gguf`") from error
    try:
        reader = gguf.GGUFReader(str(file))
    except (ValueError, KeyError, IndexError) as error:
        raise ModelError(f"{file}: not a GGUF file ({error})") from error
    fields = {
        name: field.contents() for name, field in reader.fields.items() if not name.startswith("tokenizer.ggml.t")
    }
    config = _config(file, fields)
    tensors: dict[str, torch.Tensor] = {}
    for tensor in reader.tensors:
        if tensor.name == "rope_freqs.weight":
            config["rope_parameters"] |= {
                "rope_type": "factors",
                "factors": np.asarray(tensor.data).reshape(-1).tolist(),
            }
        else:
            tensors |= _tensor(tensor, config)
    config["tie_word_embeddings"] = not any(name.startswith("lm_head.") for name in tensors)
    save_file(tensors, folder / "model.safetensors")
    _save_tokenizer(file, folder)
    (folder / "config.json").write_text(json.dumps(config, indent=1))


def _config(file: Path, fields: dict[str, Any]) -> dict[str, Any]:
    family = fields.get("general.architecture")
    if family not in ARCHITECTURES:
        raise ModelError(f"{file}: GGUF architecture {family} is not supported; supported: {', '.join(ARCHITECTURES)}")

    def field(name: str, default: Any = None) -> Any:
        value = fields.get(f"{family}.{name}", default)
        if value is None:
            raise ModelError(f"{file}: field {family}.{name} is missing")
        return value

    heads = field("attention.head_count")
    return {
        "architectures": [ARCHITECTURES[family]],
        "model_type": family,
        "name": file.stem,
        "vocab_size": fields.get(f"{family}.vocab_size") or len(_tokens(file)),
        "hidden_size": field("embedding_length"),
        "intermediate_size": field("feed_forward_length"),
        "num_hidden_layers": field("block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": field("attention.head_count_kv", heads),
        "head_dim": field("attention.key_length", field("embedding_length") // heads),
        "max_position_embeddings": field("context_length"),
        "rms_norm_eps": field("attention.layer_norm_rms_epsilon"),
        "rope_parameters": {"rope_theta": field("rope.freq_base", 10000.0), **_rope_scaling(field)},
        "eos_token_id": fields.get("tokenizer.ggml.eos_token_id"),
        "bos_token_id": fields.get("tokenizer.ggml.bos_token_id"),
    }


def _rope_scaling(field: Any) -> dict[str, Any]:
    kind = field("rope.scaling.type", "none")
    if kind == "none":
        return {"rope_type": "default"}
    return {
        "rope_type": kind,
        "factor": field("rope.scaling.factor"),
        "original_max_position_embeddings": field("rope.scaling.original_context_length", field("context_length")),
    }


def _tokens(file: Path) -> list[str]:
    import gguf

    return list(gguf.GGUFReader(str(file)).fields["tokenizer.ggml.tokens"].contents())


def _tensor(tensor: Any, config: dict[str, Any]) -> dict[str, torch.Tensor]:
    """Return one GGUF tensor under its Hugging Face name, with llama.cpp's order of q's and k's
    rows undone."""
    name = _name(tensor.name)
    parts = _parts(tensor)
    heads = {"q_proj": config["num_attention_heads"], "k_proj": config["num_key_value_heads"]}.get(name.split(".")[-2])
    if heads and config["model_type"] == "llama":
        parts = {suffix: _half_split_rows(part, heads) for suffix, part in parts.items()}
    return {name + suffix: part.contiguous() for suffix, part in parts.items()}


def _name(name: str) -> str:
    match = re.fullmatch(r"(?:blk\.(\d+)\.)?([a-z_]+)\.(weight|bias)", name)
    if not match or match[2] not in NAMES:
        raise ModelError(f"GGUF tensor {name} is not one that a Llama-family model has")
    prefix = "" if match[1] is None else f"model.layers.{match[1]}."
    return f"{prefix}{NAMES[match[2]]}.{match[3]}"


def _half_split_rows(rows: torch.Tensor, heads: int) -> torch.Tensor:
    """Reorder rows of a head: GGUF's order (0, d/2, 1, d/2 + 1, ...) -> Hugging Face's (0, 1, 2,
    ...)."""
    ordered: torch.Tensor = rows.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)
    return ordered


def _parts(tensor: Any) -> dict[str, torch.Tensor]:
    """Return suffix -> tensor, rows first."""
    kind = tensor.tensor_type.name
    raw: NDArray[Any] = np.array(tensor.data)  # a copy: the file is mapped read-only
    shape = tuple(int(size) for size in reversed(tensor.shape))
    match kind:
        case "F32" | "F16":
            return {"": torch.from_numpy(raw).reshape(shape)}
        case "BF16":
            return {"": torch.from_numpy(raw.view(np.int16)).view(torch.bfloat16).reshape(shape)}
    if kind in KINDS:
        return {f".{kind}": torch.from_numpy(raw.view(np.uint8)).reshape(shape[0], -1)}
    from gguf.quants import dequantize

    return {"": torch.from_numpy(dequantize(raw, tensor.tensor_type)).reshape(shape).bfloat16()}


def _save_tokenizer(file: Path, folder: Path) -> None:
    from transformers import AutoTokenizer

    AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(folder)
