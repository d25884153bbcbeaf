"""LoRA adapters in PEFT's files, plain and activated: what they add to a model's matrices, and from
which token of a prompt on.

An activated one (`alora_invocation_tokens`) works from the last occurrence of its invocation tokens
on; keys and values before it are the base model's. Checked against PEFT's own logits. What would
change another result than PEFT's (DoRA, biases, saved modules) is refused.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from services.generator.errors import BadRequest, ModelError
from services.generator.models.decoder.rope import paired_rows
from services.generator.models.files.architecture import Architecture
from services.generator.models.files.checkpoint import read_json
from services.generator.native.step import MOST_RANK, DeltaStruct, Working

WEIGHT = re.compile(r"base_model\.model\.model\.layers\.(\d+)\.(?:self_attn|mlp)\.(\w+)_proj\.lora_([AB])\.weight")
MATRIX = {"q": "qkv", "k": "qkv", "v": "qkv", "o": "output", "gate": "gate_up", "up": "gate_up", "down": "down"}
REFUSED = (
    "use_dora",
    "lora_bias",
    "modules_to_save",
    "alpha_pattern",
    "trainable_token_indices",
    "target_parameters",
    "fan_in_fan_out",
)


@dataclass(frozen=True, slots=True)
class LowRankDelta:
    """Adds to outputs [first, first + len(up)) of a matrix: x down^T up, `up` times the adapter's
    scale."""

    down: Tensor  # fp32 [r, in]
    up: Tensor  # fp32 [r, out]
    first: int
    place: int  # of its module in MATRIX

    @property
    def fits_kernels(self) -> bool:
        return (
            self.down.shape[0] <= MOST_RANK
            and not self.down.is_cuda
            and self.down.shape[1] % 16 == self.up.shape[1] % 16 == 0
        )


@dataclass(frozen=True)
class Adapter:
    """`deltas`: by layer and matrix of layers.Layer."""

    name: str
    invocation: tuple[int, ...]  # empty: it works from the first token on
    deltas: Mapping[tuple[int, str], tuple[LowRankDelta, ...]]
    layers: int = 0

    @cached_property
    def native(self) -> ctypes.Array[DeltaStruct] | None:
        """Return them as the kernels want them, [layers, 7]; None where one does not fit."""
        if not self.layers or not all(delta.fits_kernels for deltas in self.deltas.values() for delta in deltas):
            return None
        found = (DeltaStruct * (self.layers * len(MATRIX)))()
        for (layer, _), deltas in self.deltas.items():
            for one in deltas:
                rank, outputs = one.up.shape
                found[layer * len(MATRIX) + one.place] = DeltaStruct(
                    one.down.data_ptr(), one.up.data_ptr(), rank, one.first, outputs, 0
                )
        return found

    def start(self, tokens: Sequence[int]) -> int:
        """Return the first token that it works on. Raises BadRequest where it is never called."""
        called = self.invocation
        for at in range(len(tokens) - len(called), -1, -1):
            if not called or tuple(tokens[at : at + len(called)]) == called:
                return at if called else 0
        raise BadRequest(
            f"the adapter {self.name!r} works from its invocation tokens on, and the prompt does not hold them"
        )


@dataclass(frozen=True, slots=True)
class Active:
    """An adapter in a row of a step; `start` is the first position that it works on."""

    adapter: Adapter
    start: int


def mark_of(active: Active | None) -> tuple[str, int] | None:
    """Return what kept keys depend on; None: the model alone."""
    return (active.adapter.name, active.start) if active else None


def of_rows(active: Sequence[Active | None]) -> tuple[Active | None, ...]:
    """Return a step's adapters; none at all where no row has one."""
    return tuple(active) if any(active) else ()


class Deltas:
    """What the adapters of one step's rows add. `counts` and `lengths` as StepInput has them."""

    def __init__(self, active: Sequence[Active | None], lengths: Sequence[int], counts: Sequence[int]) -> None:
        self._parts: list[tuple[Adapter, slice]] = []
        first = 0
        for one, length, count in zip(active, lengths, counts, strict=True):
            if one is not None and (skipped := max(0, one.start - length)) < count:
                self._parts.append((one.adapter, slice(first + skipped, first + count)))
            first += count

    def __bool__(self) -> bool:
        return bool(self._parts)

    @property
    def native(self) -> list[Working] | None:
        """Return each adapter's deltas with the first node that it works on and the one behind the
        last; None where kernels cannot."""
        found = [
            (native, nodes.start, nodes.stop)
            for adapter, nodes in self._parts
            if (native := adapter.native) is not None
        ]
        return found if len(found) == len(self._parts) else None

    def add(self, layer: int, matrix: str, x: Tensor, y: Tensor) -> Tensor:
        """Add to y [T, out] what the adapters make of x [T, in]; nodes that none works on stay as
        they are."""
        for adapter, nodes in self._parts:
            for delta in adapter.deltas.get((layer, matrix), ()):
                y[nodes, delta.first : delta.first + delta.up.shape[1]] += (
                    (x[nodes].float() @ delta.down.t()) @ delta.up
                ).to(y.dtype)
        return y


def read_adapters(setting: str, architecture: Architecture, device: torch.device) -> dict[str, Adapter]:
    """Return them by name. Raises ModelError."""
    folders = adapter_folders(setting)
    return {name: read_adapter(name, folder, architecture, device) for name, folder in folders.items()}


def adapter_folders(setting: str) -> dict[str, Path]:
    """Return them by name: `name=folder` with commas between, or a folder of folders. Raises
    ModelError."""
    pairs = [part.strip() for part in setting.split(",") if part.strip()]
    if len(pairs) == 1 and "=" not in pairs[0]:
        folder = Path(pairs[0]).expanduser()
        if not folder.is_dir():
            raise ModelError(f"{folder}: no folder of adapters")
        return {path.parent.name: path.parent for path in sorted(folder.glob("*/adapter_config.json"))}
    if bad := next((pair for pair in pairs if "=" not in pair), None):
        raise ModelError(f"{bad!r} is no name=folder of an adapter")
    return {name.strip(): Path(path.strip()).expanduser() for name, path in (pair.split("=", 1) for pair in pairs)}


def read_adapter(name: str, folder: Path, architecture: Architecture, device: torch.device) -> Adapter:
    """Read adapter_config.json and adapter_model.safetensors. Raises ModelError."""
    config = read_json(folder / "adapter_config.json")
    _check(folder, config)
    alpha = float(config["lora_alpha"])
    halves: dict[tuple[int, str], dict[str, Tensor]] = {}
    for key, tensor in _tensors(folder / "adapter_model.safetensors").items():
        match = WEIGHT.fullmatch(key)
        if not match or match[2] not in MATRIX or int(match[1]) >= architecture.layers:
            raise ModelError(
                f"{folder}: weight {key} has no place in a {architecture.name} of {architecture.layers} layers"
            )
        halves.setdefault((int(match[1]), match[2]), {})[match[3]] = tensor.to(device, torch.float32)
    deltas: dict[tuple[int, str], tuple[LowRankDelta, ...]] = {}
    for (layer, module), pair in sorted(halves.items()):
        first, outputs, inputs = place_in(module, architecture)
        down, up = pair.get("A"), pair.get("B")
        if down is None or up is None or (down.shape[1], up.shape[0], up.shape[1]) != (inputs, outputs, down.shape[0]):
            raise ModelError(f"{folder}: {module}_proj of layer {layer} does not fit [{outputs}, {inputs}]")
        rank = down.shape[0]
        if module in ("q", "k"):
            up = up[paired_rows(outputs, architecture.head_dim)]
        scaled = up.t() * (alpha / (math.sqrt(rank) if config.get("use_rslora") else rank))
        delta = LowRankDelta(down.contiguous(), scaled.contiguous(), first, list(MATRIX).index(module))
        at = (layer, MATRIX[module])
        deltas[at] = (*deltas.get(at, ()), delta)
    return Adapter(name, tuple(config.get("alora_invocation_tokens") or ()), deltas, architecture.layers)


def place_in(module: str, a: Architecture) -> tuple[int, int, int]:
    """Return its first output among those of the joined matrix, its outputs and its inputs."""
    inner = a.intermediate_size
    return {
        "q": (0, a.q_size, a.hidden_size),
        "k": (a.q_size, a.kv_size, a.hidden_size),
        "v": (a.q_size + a.kv_size, a.kv_size, a.hidden_size),
        "o": (0, a.hidden_size, a.q_size),
        "gate": (0, inner, a.hidden_size),
        "up": (inner, inner, a.hidden_size),
        "down": (0, a.hidden_size, inner),
    }[module]


def _check(folder: Path, config: Mapping[str, Any]) -> None:
    if config.get("peft_type") != "LORA" or "lora_alpha" not in config:
        raise ModelError(f"{folder}: only LoRA adapters are supported, this is {config.get('peft_type')}")
    if config.get("bias", "none") != "none" or (wrong := next((name for name in REFUSED if config.get(name)), None)):
        raise ModelError(
            f"{folder}: an adapter with {'bias' if config.get('bias', 'none') != 'none' else wrong} is not supported"
        )


def _tensors(file: Path) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(file)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{file}: no adapter that can be read ({error})") from error
