"""Costs of one step: a verify step by nodes and context, one level of an EAGLE draft, and the
host's work between forwards.

With --hidden ... or --shape the weights are random, which changes no timing; otherwise a model is
loaded. Times are the shortest of --repeats runs, in milliseconds. A verify step's nodes are one
chain; a tree of as many nodes costs the same.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import torch

from services.generator.drafters.copies.copy import CopyDrafter
from services.generator.drafters.eagle import EagleDrafter
from services.generator.engine.engine import Engine, EngineOptions, Request
from services.generator.errors import ModelError
from services.generator.models import StepInput, StepOutput
from services.generator.models.files.architecture import Architecture, Rope
from services.generator.models.heads.eagle import EagleHead, HeadConfig
from services.generator.models.heads.eagle_frozen import FrozenHead
from services.generator.models.kv_cache import KVCache
from services.generator.models.llama import LlamaTarget
from services.generator.models.loading import load_target, pack_target
from services.generator.models.machine import least_seconds
from services.generator.planner.costs import chain
from services.generator.planner.draft_costs import draft_seconds
from services.generator.speculation.eagle_tree import TreeShape
from services.generator.text.answer_text import Delta
from services.generator.types import Prompt, SamplingParams, Sequence

SHAPES = {
    "llama-3.1-8b": {"hidden": 4096, "layers": 32, "heads": 32, "kv_heads": 8, "intermediate": 14336, "vocab": 128256},
    "llama-3.2-1b": {"hidden": 2048, "layers": 16, "heads": 32, "kv_heads": 8, "intermediate": 8192, "vocab": 128256},
    "smollm2-135m": {"hidden": 576, "layers": 30, "heads": 9, "kv_heads": 3, "intermediate": 1536, "vocab": 49152},
}


@dataclass(frozen=True, slots=True)
class Verify:
    nodes: int
    context: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class StepTimes:
    model: str
    device: str
    dtype: str
    threads: int
    weight_bytes: int  # read by a forward of one row, the embedding table left out
    verify: tuple[Verify, ...]
    prefill_tokens_per_second: float
    draft_level_milliseconds: float | None  # EAGLE-3, top_k 10, a draft vocabulary of 32,000 or the target's
    host_milliseconds: float  # of an engine's step outside the forward: draft by copying, verify, accept, emit


class RandomWeights:
    """A Source: every weight there is, whatever the name, small and random."""

    name = "random weights"

    def __init__(self, device: torch.device, dtype: torch.dtype) -> None:
        self.device, self.dtype = device, dtype

    def __contains__(self, name: str) -> bool:
        return True

    @property
    def rest(self) -> set[str]:
        return set()

    def take(self, name: str, *shape: int) -> torch.Tensor:
        weight = torch.empty(shape, dtype=self.dtype, device=self.device)
        return weight.fill_(1.0) if "norm" in name else weight.normal_(0.0, 0.02)


def random_target(
    shape: dict[str, int], *, device: str, dtype: str, positions: int, threads: int | None = None
) -> LlamaTarget:
    architecture = Architecture(
        name="LlamaForCausalLM",
        vocab_size=shape["vocab"],
        hidden_size=shape["hidden"],
        intermediate_size=shape["intermediate"],
        layers=shape["layers"],
        heads=shape["heads"],
        kv_heads=shape["kv_heads"],
        head_dim=shape.get("head_dim") or shape["hidden"] // shape["heads"],
        max_positions=positions,
        norm_eps=1e-5,
        rope=Rope(theta=500000.0),
    )
    cuda = device.startswith("cuda") or (device == "auto" and torch.cuda.is_available())
    source = RandomWeights(
        torch.device("cuda" if cuda else "cpu"), torch.float32 if dtype == "fp32" else torch.bfloat16
    )
    return pack_target(source, architecture, "random weights", device=device, dtype=dtype, threads=threads)


def measure(target: LlamaTarget, nodes: list[int], contexts: list[int], repeats: int) -> StepTimes:
    contexts = [context for context in contexts if context + max(nodes) <= target.config.max_positions]
    cache = target.new_cache(1, max(contexts) + max(nodes))
    return StepTimes(
        model=target.config.name,
        device=torch.cuda.get_device_name(target.device) if target.device.type == "cuda" else "cpu",
        dtype=str(target.dtype).removeprefix("torch."),
        threads=torch.get_num_threads(),
        weight_bytes=sum(linear.weight_bytes for linear in target.linears()),
        verify=tuple(
            Verify(n, context, _verify(target, cache, n, context, repeats)) for context in contexts for n in nodes
        ),
        prefill_tokens_per_second=_prefill(target, min(512, contexts[-1]), repeats),
        draft_level_milliseconds=_draft_level(target, contexts[0], repeats) if target.config.layers > 3 else None,
        host_milliseconds=_host(target, min(contexts[0], 1024)),
    )


def _verify(target: LlamaTarget, cache: KVCache, nodes: int, context: int, repeats: int) -> float:
    step = chain(nodes, context, target.device)
    return 1e3 * least_seconds(lambda: target.forward(step, cache), repeats, target.device)


def _prefill(target: LlamaTarget, tokens: int, repeats: int) -> float:
    cache, step = target.new_cache(1, tokens), chain(tokens, 0, target.device, logits_from=-1)
    return tokens / least_seconds(lambda: target.forward(step, cache), min(repeats, 3), target.device)


def _draft_level(target: LlamaTarget, context: int, repeats: int) -> float:
    """Return the difference between drafts of six levels and of two, by four."""
    a = target.architecture
    config = HeadConfig(
        version=3,
        vocab_size=a.vocab_size,
        draft_vocab_size=min(32000, a.vocab_size),
        hidden_size=a.hidden_size,
        target_hidden_size=a.hidden_size,
        intermediate_size=a.intermediate_size,
        heads=a.heads,
        kv_heads=a.kv_heads,
        head_dim=a.head_dim,
    )
    head = FrozenHead(EagleHead(config, target).to(target.device, target.dtype))
    shapes = (TreeShape(top_k=10, total=60, depth=depth) for depth in (2, 6))
    few, many = (draft_seconds(EagleDrafter(head, shape), target, context, repeats) for shape in shapes)
    return 1e3 * (many - few) / 4


class TimedTarget:
    """A target that adds up the seconds of its forwards."""

    def __init__(self, target: LlamaTarget) -> None:
        self.target, self.config, self.device, self.dtype = target, target.config, target.device, target.dtype
        self.new_cache, self.embed, self.lm_head = target.new_cache, target.embed, target.lm_head
        self.seconds = 0.0

    def forward(self, step: StepInput, cache: KVCache) -> StepOutput:
        began = time.perf_counter()
        output = self.target.forward(step, cache)
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        self.seconds += time.perf_counter() - began
        return output


class NoText:
    """In place of an AnswerText: random weights have no tokenizer."""

    text = ""

    def add(self, token: int, origins: object) -> bool:
        return False

    def take(self) -> Delta:
        return Delta("", ())

    finish = take


def _host(target: LlamaTarget, context: int, steps: int = 24) -> float:
    """Return the least of an engine's steps less their forwards, copy drafts and all, in
    milliseconds."""
    timed: Any = TimedTarget(target)
    engine = Engine(timed, {"copy": CopyDrafter()}, EngineOptions(rows=1, context=context + 8 * steps, prefix_bytes=0))
    prompt = tuple(3 + i % 97 for i in range(context))  # every continuation has been seen, so every step drafts
    text: Any = NoText()
    sequence = Sequence("bench", Prompt(prompt, (None,) * context, (), "bench"), SamplingParams(max_tokens=8 * steps))
    engine.add(Request(sequence, text, drafters=("copy",)))
    least = float("inf")
    for step in range(steps):
        if not engine.busy:
            break
        timed.seconds, began = 0.0, time.perf_counter()
        engine.step()
        if step > 3:
            least = min(least, time.perf_counter() - began - timed.seconds)
    return 1e3 * least


def main(argv: list[str]) -> int:
    options = _options(argv)
    try:
        target = _target(options)
    except ModelError as error:
        print(error, file=sys.stderr)
        return 2
    times = measure(target, options.nodes, options.context, options.repeats)
    print(json.dumps(asdict(times)) if options.json else _table(times))
    return 0


def _target(options: argparse.Namespace) -> LlamaTarget:
    given = {
        name: getattr(options, name)
        for name in ("hidden", "layers", "heads", "kv_heads", "head_dim", "intermediate", "vocab")
    }
    given = {name: value for name, value in given.items() if value}
    if options.shape or given:
        shape = SHAPES[options.shape or "llama-3.1-8b"] | given
        positions = max(options.context) + max(options.nodes)
        return random_target(
            shape, device=options.device, dtype=options.dtype, positions=positions, threads=options.threads
        )
    return load_target(options.model, device=options.device, dtype=options.dtype, threads=options.threads)


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="step", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", default="demo", help="demo, a folder, a GGUF file or a name on the hub (default demo)"
    )
    parser.add_argument(
        "--shape", choices=sorted(SHAPES), help="random weights of this model's shape; the options below change it"
    )
    for name in ("hidden", "layers", "heads", "kv-heads", "head-dim", "intermediate", "vocab"):
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 8, 16, 32, 64, 128])
    parser.add_argument("--context", type=int, nargs="+", default=[1024, 4096, 8192 - 128])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="auto", choices=["auto", "bf16", "fp32"])
    parser.add_argument("--threads", type=int)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args(argv)


def _table(times: StepTimes) -> str:
    contexts = sorted({entry.context for entry in times.verify})
    by_place = {(entry.nodes, entry.context): entry.milliseconds for entry in times.verify}
    lines = [
        f"{times.model}, {times.device}, {times.dtype}, {times.threads} threads, {times.weight_bytes / 1e6:.0f} MB of "
        f"weights",
        "verify step, ms" + "".join(f"{f'{context} tokens':>15}" for context in contexts),
    ]
    for nodes in sorted({entry.nodes for entry in times.verify}):
        lines.append(f"{nodes:>10} nodes" + "".join(f"{by_place[nodes, context]:>14.2f} " for context in contexts))
    level = "-" if times.draft_level_milliseconds is None else f"{times.draft_level_milliseconds:.2f} ms"
    lines.append(
        f"prefill {times.prefill_tokens_per_second:.0f} tokens/s; EAGLE-3 level {level}; host "
        f"{times.host_milliseconds:.2f} ms a step"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
