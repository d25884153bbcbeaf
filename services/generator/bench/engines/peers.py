"""The engines to compare with: transformers' generate in this process, llama.cpp (llama-cpp-python)
in one of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from services.generator.bench.common.timing import Stopwatch, TimedRun
from services.generator.errors import ModelError
from services.generator.models.files.blocks import Blocks
from services.generator.models.files.checkpoint import Checkpoint
from services.generator.models.loading import gguf_of, model_folder

WORKER = Path(__file__).with_name("llama_worker.py")
LOOKUP = 10  # tokens that transformers' prompt lookup drafts: its documentation's number
# last layers that drafting by early exit leaves out: of a model not trained for it more makes
# drafts that hardly ever hold
LEFT_OUT = 2
LLAMA_LOOKUP = 2  # llama-cpp-python's advice for CPUs; 10, its default, is slower here
LLAMA_AHEAD = 4  # tokens that a smaller model drafts for llama.cpp

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
Generate = Callable[[tuple[int, ...]], TimedRun]  # prompt -> answer


class NoPeer(RuntimeError):
    """The peer cannot be had; the message says why."""


@dataclass(frozen=True, slots=True)
class PeerLimits:
    max_tokens: int
    context: int
    threads: int
    ends: tuple[int, ...]  # tokens at which an answer ends
    clock: str = "wall"  # a name of CLOCKS


def transformers_peer(
    model: str, device: torch.device, dtype: torch.dtype, limits: PeerLimits, small: str | None = None
) -> Iterator[tuple[str, Generate]]:
    """`small`: a smaller model with the same tokenizer, that assists. Raises NoPeer."""
    loaded = _by_transformers(model, device, dtype)
    yield "transformers", lambda prompt: _generate(loaded, prompt, limits)
    yield (
        "transformers, prompt lookup",
        lambda prompt: _generate(loaded, prompt, limits, prompt_lookup_num_tokens=LOOKUP),
    )
    layers = max(1, loaded.config.num_hidden_layers - LEFT_OUT)
    yield "transformers, early exit", lambda prompt: _generate(loaded, prompt, limits, assistant_early_exit=layers)
    if small is not None:
        assistant = _by_transformers(small, device, dtype)
        yield "transformers, small model", lambda prompt: _generate(loaded, prompt, limits, assistant_model=assistant)


def _by_transformers(model: str, device: torch.device, dtype: torch.dtype) -> Any:
    from transformers import AutoConfig, AutoModelForCausalLM

    folder = model_folder(model)
    try:
        loaded: Any = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder), dtype=dtype)
        loaded.load_state_dict(_dense(Checkpoint(folder), loaded), strict=False)
    except (OSError, ValueError, ModelError, RuntimeError) as error:
        raise NoPeer(f"transformers: {error}") from error
    return loaded.to(device).eval()


def _dense(checkpoint: Checkpoint, loaded: Any) -> dict[str, torch.Tensor]:
    """Return the same weights as ours, dequantised; tied ones are taken once."""
    weights = {}
    for name, parameter in loaded.named_parameters():
        weight = checkpoint.take(name, *parameter.shape)
        weights[name] = weight.dense() if isinstance(weight, Blocks) else weight
    return weights


class _Steps:
    """A stopping criterion that never stops: it is asked after every step, and so knows when the
    first tokens came."""

    def __init__(self, prompt: int, watch: Stopwatch) -> None:
        self._prompt, self._watch, self.count = prompt, watch, 0

    def __call__(self, tokens: torch.Tensor, *_: object, **__: object) -> torch.Tensor:
        self.count += 1
        self._watch.came(tokens.shape[1] - self._prompt)
        return torch.zeros(tokens.shape[0], dtype=torch.bool, device=tokens.device)


@torch.inference_mode()
def _generate(loaded: Any, prompt: tuple[int, ...], limits: PeerLimits, **options: Any) -> TimedRun:
    from transformers import StoppingCriteriaList

    tokens = torch.tensor([prompt], device=loaded.device)
    watch = Stopwatch(CLOCKS[limits.clock])
    steps = _Steps(len(prompt), watch)
    written = loaded.generate(
        tokens,
        attention_mask=torch.ones_like(tokens),
        max_new_tokens=limits.max_tokens,
        do_sample=False,
        eos_token_id=list(limits.ends),
        pad_token_id=limits.ends[0],
        stopping_criteria=StoppingCriteriaList([steps]),
        **options,
    )
    return watch.run(tuple(written[0, len(prompt) :].tolist()), steps.count)


@contextlib.contextmanager
def llama_peer(
    model: str, python: str | None, limits: PeerLimits, small: str | None = None
) -> Iterator[list[tuple[str, Generate]]]:
    """Start llama.cpp. `python`: one that has llama-cpp-python; this one when absent. `small`: a
    smaller model that drafts. Raises NoPeer."""
    gguf, ahead = gguf_of(model), gguf_of(small) if small else None
    if gguf is None or (small and ahead is None):
        raise NoPeer("llama.cpp: reads GGUF files only")
    if python is None and find_spec("llama_cpp") is None:
        raise NoPeer(
            "llama.cpp: llama-cpp-python is not installed (extra `peers`, or --peer-python with a Python that has it)"
        )
    with contextlib.ExitStack() as stack:
        named: list[tuple[str, tuple[object, ...]]] = [
            ("llama.cpp", (0,)),
            ("llama.cpp, prompt lookup", (LLAMA_LOOKUP,)),
        ]
        named += [("llama.cpp, small model", (LLAMA_AHEAD, ahead))] if ahead else []
        yield [(name, _Worker(stack, python or sys.executable, gguf, drafted, limits).run) for name, drafted in named]


def others_environment() -> dict[str, str]:
    """Return what another engine is started with: its threads wait as it is built to wait."""
    return {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}


class _Worker:
    def __init__(
        self,
        stack: contextlib.ExitStack,
        python: str,
        file: Path,
        drafted: tuple[object, ...],
        limits: PeerLimits,
    ) -> None:
        command = [python, str(WORKER), str(file), str(limits.context), str(limits.threads), *map(str, drafted)]
        self._limits = limits
        self._process = stack.enter_context(
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=others_environment()
            )
        )
        assert self._process.stdin is not None
        stack.callback(self._process.stdin.close)  # it ends with its input
        self._receive()

    def run(self, prompt: tuple[int, ...]) -> TimedRun:
        assert self._process.stdin is not None
        limits = self._limits
        job = {"prompt": prompt, "max_tokens": limits.max_tokens, "ends": limits.ends, "clock": limits.clock}
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        answer = self._receive()
        return TimedRun(tuple(answer.pop("tokens")), 1, **answer)

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise NoPeer(f"llama.cpp: its process ended with {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer
