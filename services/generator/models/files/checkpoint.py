"""The tensors of a checkpoint folder by name: safetensors in any number of shards. Pickles are
refused.

Knows nothing of architectures. Quantised matrices (written by gguf_file.py) are stored as
`<name>.<kind>`, and come back as Blocks.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Mapping
from mmap import PAGESIZE
from pathlib import Path
from typing import Any

import torch

from services.generator.errors import ModelError
from services.generator.models.files.blocks import KINDS, Blocks, Weight
from services.generator.models.files.convert import how_to_convert, pickles_in

MADV_DONTNEED = 4  # of Linux
madvise = ctypes.CDLL(None).madvise
madvise.argtypes, madvise.restype = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int], ctypes.c_int


class Checkpoint:
    """`take` each weight once; `rest` are the names that nobody took."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.name = folder, str(folder)
        self._tensors = _open(folder)
        self._untaken = {
            next((n.removesuffix(f".{kind}") for kind in KINDS if n.endswith(f".{kind}")), n) for n in self._tensors
        }

    def __contains__(self, name: str) -> bool:
        return name in self._tensors or _quantised(name, self._tensors) is not None

    @property
    def rest(self) -> set[str]:
        return self._untaken

    def take(self, name: str, *shape: int) -> Weight:
        """Raises ModelError when the weight is missing or has another shape than the config
        implies."""
        if name not in self:
            raise ModelError(f"{self.folder}: weight {name} is missing")
        weight = self._read(name)
        if tuple(weight.shape) != shape:
            raise ModelError(
                f"{self.folder}: weight {name} has shape {list(weight.shape)}, config.json implies {list(shape)}"
            )
        self._untaken.discard(name)
        return weight

    def _read(self, name: str) -> Weight:
        if name in self._tensors:
            return self._get(name)
        kind = _quantised(name, self._tensors)
        assert kind is not None
        return Blocks(self._get(f"{name}.{kind}"), kind)

    def _get(self, name: str) -> torch.Tensor:
        mapped = self._tensors[name].get_tensor(name)
        tensor: torch.Tensor = mapped.clone()
        _let_go(mapped)
        return tensor


def _let_go(mapped: torch.Tensor) -> None:
    """Take its part of the file out of memory: nobody looks at it there again, and all of it would
    stay as long as one tensor does."""
    pages = range(-(-mapped.data_ptr() // PAGESIZE), (mapped.data_ptr() + mapped.nbytes) // PAGESIZE)
    if pages and sys.platform == "linux":
        madvise(pages.start * PAGESIZE, len(pages) * PAGESIZE, MADV_DONTNEED)


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


def _quantised(name: str, tensors: Mapping[str, Any]) -> str | None:
    return next((kind for kind in KINDS if f"{name}.{kind}" in tensors), None)


def _open(folder: Path) -> Mapping[str, Any]:
    """Map name to tensor, or the open safetensors file that has it (so that one weight at a time is
    in memory)."""
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
