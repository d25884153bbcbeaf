"""Weights that were published as a pickle, made safetensors of: `python -m
services.generator.models.files.convert FOLDER`.

Done once and by hand. A pickle can run code, so nothing that serves reads one. Here torch's
weights_only reader does, which refuses whatever is more than tensors; do it where nothing is lost
should that reader have a hole.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

from services.generator.errors import ModelError

PICKLES = ("pytorch_model*.bin", "*.pt", "*.pth")


def pickles_in(folder: Path) -> list[Path]:
    return sorted(path for pattern in PICKLES for path in folder.glob(pattern))


def how_to_convert(folder: Path) -> str:
    """Return the sentence for whoever has a folder with nothing but pickles."""
    names = ", ".join(path.name for path in pickles_in(folder))
    command = f"python -m services.generator.models.files.convert {folder}"
    return (
        f"its weights are pickles ({names}), which can run code, and are refused; `{command}` makes safetensors of them"
    )


def convert(folder: Path) -> Path:
    """Write model.safetensors beside the pickles. Raises ModelError for what is more than
    tensors."""
    from safetensors.torch import save_file

    tensors: dict[str, torch.Tensor] = {}
    for path in pickles_in(folder):
        tensors |= _tensors(path)
    if not tensors:
        raise ModelError(f"{folder}: no {' or '.join(PICKLES)}")
    target = folder / "model.safetensors"
    save_file(
        {name: tensor.contiguous().clone() for name, tensor in tensors.items()}, target, metadata={"format": "pt"}
    )
    return target


def _tensors(path: Path) -> Mapping[str, torch.Tensor]:
    try:
        loaded = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
        raise ModelError(f"{path}: refused, it is not tensors only ({error})") from error
    if not isinstance(loaded, dict) or not all(isinstance(tensor, torch.Tensor) for tensor in loaded.values()):
        raise ModelError(f"{path}: refused, it holds more than a table of tensors")
    return loaded


def main(arguments: Sequence[str]) -> int:
    try:
        print(convert(Path(arguments[0])))
    except (ModelError, IndexError) as error:
        print(error if isinstance(error, ModelError) else __doc__, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
