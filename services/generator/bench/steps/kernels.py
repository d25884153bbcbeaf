"""A GGUF file's own types in our kernels, the same weights as bf16, and llama.cpp: single steps,
trees' steps, prompts, memory, loading.

As bf16 they are multiplied by our kernels too where rows are few, and by oneDNN where they are
many, as those of other files are. Each engine is a process of its own. They take turns, round by
round, so that a busy machine slows all of them alike; ratios are medians over the rounds, each of
the others against our kernels (above 1: ours are the faster, or the smaller), by the clock and in
processor time.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch

from services.generator.bench.engines.peers import WORKER, others_environment
from services.generator.errors import ModelError
from services.generator.models.decoder.packing import Packing
from services.generator.models.files.architecture import Architecture
from services.generator.models.files.blocks import Blocks, Weight
from services.generator.models.files.checkpoint import Checkpoint, read_json
from services.generator.models.llama import LlamaTarget
from services.generator.models.loading import gguf_of, model_folder
from services.generator.planner.costs import chain

OURS, DENSE, LLAMA = "ours", "as bf16", "llama.cpp"


@dataclass(frozen=True, slots=True)
class EngineTimes:
    """Seconds that loading took, bytes resident at most, and per step (as `Step.name` has it) what
    it took in every round."""

    load_seconds: float
    resident_bytes: int  # files that are mapped count
    seconds: dict[str, list[float]]
    processor: dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class Step:
    """So many tokens behind a context; `all`: logits of each, as a tree's step needs them, else of
    the last."""

    tokens: int
    context: int
    all: bool

    @property
    def name(self) -> str:
        return f"{self.tokens} {'nodes' if self.all else 'tokens of a prompt'}"


SETTLED = 0.1  # seconds after which the threads of the engine before have stopped to wait by spinning


class Peer:
    """A process that answers a step a line."""

    def __init__(self, stack: contextlib.ExitStack, command: list[str]) -> None:
        self._process = stack.enter_context(
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=others_environment()
            )
        )
        assert self._process.stdin is not None
        stack.callback(self._process.stdin.close)  # it ends with its input
        self.load_seconds: float = self._receive()["load_seconds"]

    def run(self, step: Step) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asdict(step)) + "\n")
        self._process.stdin.flush()
        return self._receive()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ModelError(f"an engine's process ended with {self._process.wait()}; what it said stands above")
        answer: dict[str, Any] = json.loads(line)
        return answer


def measure(peers: dict[str, Peer], steps: list[Step], rounds: int) -> dict[str, EngineTimes]:
    clocks = ("seconds", "processor")
    taken = {name: {clock: {step.name: list[float]() for step in steps} for clock in clocks} for name in peers}
    resident = dict.fromkeys(peers, 0)
    for turn in range(rounds + 1):
        for step in steps:
            for name, peer in peers.items():
                time.sleep(SETTLED)
                answer = peer.run(step)
                resident[name] = max(resident[name], answer["resident_bytes"])
                for clock in clocks if turn else ():  # the first round warms up
                    taken[name][clock][step.name].append(answer[clock])
    return {name: EngineTimes(peer.load_seconds, resident[name], **taken[name]) for name, peer in peers.items()}


def ratios(engines: dict[str, EngineTimes]) -> dict[str, dict[str, float]]:
    """Return by engine and step how many times as long as ours it takes; and so of `memory` and
    `loading`."""
    ours = engines[OURS]
    found = {}
    for name, engine in engines.items():
        if name != OURS:
            sizes = {
                "memory": engine.resident_bytes / ours.resident_bytes,
                "loading": engine.load_seconds / ours.load_seconds,
            }
            found[name] = _medians(engine.seconds, ours.seconds) | sizes
            found[f"{name}, processor"] = _medians(engine.processor, ours.processor)
    return found


def _medians(theirs: dict[str, list[float]], ours: dict[str, list[float]]) -> dict[str, float]:
    return {step: median(a / b for a, b in zip(taken, ours[step], strict=True)) for step, taken in theirs.items()}


class Dense(Checkpoint):
    """A checkpoint whose quantised weights are taken as bf16."""

    def take(self, name: str, *shape: int) -> Weight:
        weight = super().take(name, *shape)
        return weight.dense(torch.bfloat16) if isinstance(weight, Blocks) else weight


def loaded(model: str, engine: str, threads: int) -> LlamaTarget:
    torch.set_num_threads(threads)
    folder = model_folder(model)
    architecture = Architecture.from_config(read_json(folder / "config.json"))
    source = (Dense if engine == DENSE else Checkpoint)(folder)
    weights = Packing(source, architecture, torch.device("cpu"), torch.bfloat16, blocks=True).weights()
    return LlamaTarget(architecture, weights, name=model, kv_dtype=torch.bfloat16)


def resident_bytes() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) << 10


def work(model: str, name: str, threads: int, context: int) -> None:
    """One of our engines: a step a line on stdin, its seconds on stdout."""
    began = time.perf_counter()
    target = loaded(model, name, threads)
    print(json.dumps({"load_seconds": time.perf_counter() - began}), flush=True)
    cache = target.new_cache(1, context)
    for line in sys.stdin:
        step = Step(**json.loads(line))
        given = chain(step.tokens, max(step.context, 3), target.device, 0 if step.all else -1)
        began, processor = time.perf_counter(), time.process_time()
        target.forward(given, cache)
        taken = {"seconds": time.perf_counter() - began, "processor": time.process_time() - processor}
        print(json.dumps(taken | {"resident_bytes": resident_bytes()}), flush=True)


@contextlib.contextmanager
def started(options: argparse.Namespace, model: str, context: int) -> Iterator[dict[str, Peer]]:
    with contextlib.ExitStack() as stack:
        module = [
            sys.executable,
            "-m",
            "services.generator.bench",
            "kernels",
            "--model",
            model,
            "--threads",
            str(options.threads),
        ]
        peers = {name: Peer(stack, [*module, "--engine", name, "--room", str(context)]) for name in (OURS, DENSE)}
        if options.peer_python:
            command = [
                options.peer_python,
                str(WORKER),
                str(gguf_of(model)),
                str(context),
                str(options.threads),
                "steps",
            ]
            peers[LLAMA] = Peer(stack, command)
        yield peers


def main(argv: list[str]) -> int:
    options = _options(argv)
    if options.engine:
        work(options.model[0], options.engine, options.threads, options.room)
        return 0
    if missing := next((model for model in options.model if gguf_of(model) is None), None):
        print(f"{missing} is no GGUF file: there are no types of its own to measure", file=sys.stderr)
        return 2
    steps = [Step(nodes, options.context, True) for nodes in options.nodes] + [
        Step(count, 0, False) for count in options.prompts
    ]
    measured = {}
    try:
        for model in options.model:
            with started(options, model, max(step.tokens + step.context for step in steps) + 8) as peers:
                measured[Path(model).name.removesuffix(".gguf")] = measure(peers, steps, options.rounds)
    except ModelError as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(
            json.dumps(
                {
                    m: {"engines": {n: asdict(e) for n, e in engines.items()}, "ratios": ratios(engines)}
                    for m, engines in measured.items()
                }
            )
        )
        return 0
    print(table(measured), end="")
    return 0


def table(measured: dict[str, dict[str, EngineTimes]]) -> str:
    """Return CSV: what ours took, tokens a second of it, and how many times that the others
    took."""
    names = list(dict.fromkeys(name for engines in measured.values() for name in ratios(engines)))
    written = csv.writer(file := io.StringIO(), lineterminator="\n")
    written.writerow(["model", "step", OURS, "tokens/s", *names])
    for model, engines in measured.items():
        ours, found = engines[OURS], ratios(engines)
        said = {
            step: [f"{1e3 * median(seconds):.1f} ms", f"{int(step.split()[0]) / median(seconds):.0f}"]
            for step, seconds in ours.seconds.items()
        }
        said |= {"memory": [f"{ours.resident_bytes / 1e6:.0f} MB", ""], "loading": [f"{ours.load_seconds:.1f} s", ""]}
        for row, own in said.items():
            written.writerow(
                [model, row, *own, *(f"{found[name][row]:.2f}" if row in found.get(name, {}) else "" for name in names)]
            )
    return file.getvalue()


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="kernels", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", nargs="+", default=["demo"], help="GGUF files, or names of some that packages carry (default demo)"
    )
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 4, 8, 16, 32])
    parser.add_argument("--context", type=int, default=350, help="positions before those nodes")
    parser.add_argument("--prompts", type=int, nargs="+", default=[128, 400])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peer-python", help="a Python that has llama-cpp-python; llama.cpp is left out without it")
    # what its own processes are started with
    parser.add_argument("--engine", choices=(OURS, DENSE), help=argparse.SUPPRESS)
    parser.add_argument("--room", type=int, default=4096, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args(argv)
