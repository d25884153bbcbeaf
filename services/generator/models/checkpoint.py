"""The tensors of a checkpoint folder by name: safetensors in any number of shards. Pickles are refused.

Knows nothing of architectures. Quantised matrices (written by gguf_file.py) are stored as `<name>.codes4` or `.codes8`,
`<name>.scale` and `<name>.minimum`, and come back as Blocks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from services.generator.errors import ModelError
from services.generator.models.convert import how_to_convert, pickles_in
from services.generator.models.linear import Blocks, Weight

QUANTISED = (".codes4", ".codes8", ".scale", ".minimum")


class Checkpoint:
    """`take` each weight once; `rest` are the names that nobody took."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.name = folder, str(folder)
        self._tensors: Mapping[str, Any] = _open(folder)
        self._untaken = {_logical(name) for name in self._tensors}

    def __contains__(self, name: str) -> bool:
        return name in self._tensors or f"{name}.scale" in self._tensors

    @property
    def rest(self) -> set[str]:
        return self._untaken

    def take(self, name: str, *shape: int) -> Weight:
        """Raises ModelError when the weight is missing or has another shape than the config implies."""
        if name not in self:
            raise ModelError(f"{self.folder}: weight {name} is missing")
        weight = self._read(name)
        if tuple(weight.shape) != shape:
            raise ModelError(f"{self.folder}: weight {name} has shape {list(weight.shape)}, config.json implies {list(shape)}")
        self._untaken.discard(name)
        return weight

    def _read(self, name: str) -> Weight:
        if name in self._tensors:
            return self._get(name)
        minimum = self._get(f"{name}.minimum") if f"{name}.minimum" in self._tensors else None
        if f"{name}.codes8" in self._tensors:
            return Blocks(self._get(f"{name}.codes8"), self._get(f"{name}.scale"), minimum)
        return Blocks(unpack_nibbles(self._get(f"{name}.codes4")), self._get(f"{name}.scale"), minimum)

    def _get(self, name: str) -> torch.Tensor:
        entry = self._tensors[name]
        return entry if isinstance(entry, torch.Tensor) else entry.get_tensor(name)


def unpack_nibbles(packed: torch.Tensor) -> torch.Tensor:
    """Turn uint8 [out, in / 2], low nibble first, into uint8 [out, in]."""
    return torch.stack((packed & 15, packed >> 4), -1).flatten(1)


def pack_nibbles(codes: torch.Tensor) -> torch.Tensor:
    return codes[:, ::2] | (codes[:, 1::2] << 4)


def read_json(path: Path) -> dict[str, Any]:
    """Raises ModelError when the file is missing or is no JSON object."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ModelError(f"{path.parent}: {path.name} is missing") from error
    except ValueError as error:
        raise ModelError(f"{path}: not JSON ({error})") from error
    if not isinstance(value, dict):
        raise ModelError(f"{path}: not a JSON object")
    return value


def _logical(name: str) -> str:
    return next((name.removesuffix(suffix) for suffix in QUANTISED if name.endswith(suffix)), name)


def _open(folder: Path) -> Mapping[str, Any]:
    """Map name to tensor, or the open safetensors file that has it (so that one weight at a time is in memory)."""
    shards = sorted(folder.glob("*.safetensors"))
    index = folder / "model.safetensors.index.json"
    if index.exists():
        shards = sorted({folder / file for file in read_json(index)["weight_map"].values()})
    if shards:
        return _open_safetensors(shards)
    raise ModelError(f"{folder}: {how_to_convert(folder) if pickles_in(folder) else 'no *.safetensors'}")


def _open_safetensors(shards: list[Path]) -> Mapping[str, Any]:
    from safetensors import SafetensorError, safe_open

    tensors: dict[str, Any] = {}
    for shard in shards:
        try:
            file = safe_open(shard, framework="pt")
        except FileNotFoundError as error:
            raise ModelError(f"{shard.parent}: {shard.name} is missing") from error
        except SafetensorError as error:
            raise ModelError(f"{shard}: not a safetensors file ({error})") from error
        tensors |= dict.fromkeys(file.keys(), file)
    return tensors
