"""The reader's commands: `python -m services.reader train | measure | gate | weigh`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import torch

from rag_api.errors import BedsideError
from services.reader.adapter import open_model
from services.reader.measure import Examination
from services.reader.questions import AskedPassage, read_passages
from services.reader.train import Schedule, Training


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m services.reader", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser(
        "train", help="teach a model to point to the lines that answer; stopped and started again, it goes on"
    )
    measure = commands.add_parser("measure", help="right lines and near misses on passages that are given")
    gate = commands.add_parser(
        "gate", help="the product as it is beside an adapter that reads, on documents and questions of yours"
    )
    weigh = commands.add_parser(
        "weigh", help="when a reader that must agree lets an answer through, fitted on questions of yours"
    )
    for one in (train, measure):
        one.add_argument(
            "--data", required=True, type=Path, nargs="+", help="questions on passages (JSON Lines, .gz or plain)"
        )
    for one in (train, measure, gate, weigh):
        one.add_argument("--model", required=True, help="a causal language model: a folder, or a name of a hub")
        one.add_argument("--threads", type=int, default=0, help="of a CPU; 0: as many as torch takes")
        one.add_argument(
            "--dtype", choices=("float32", "bfloat16"), help="default: bfloat16 on a GPU, float32 on a CPU"
        )
    train.add_argument("--work", required=True, type=Path, help="folder of the checkpoint and the learning curve")
    train.add_argument("--out", required=True, type=Path, help="folder of the adapter (PEFT's form)")
    train.add_argument("--begin", type=Path, help="an adapter that was trained, from whose weights to begin")
    train.add_argument("--steps", type=int, default=600)
    train.add_argument(
        "--cool", type=int, default=60, help="of these, the last ones, over which the rate falls to zero"
    )
    train.add_argument("--rate", type=float, default=2e-4)
    train.add_argument("--foreign", type=int, default=4, help="questions of other passages beside each passage's own")
    train.add_argument(
        "--retrieved", type=int, default=0, help="at most so many more for which a search finds the passage"
    )
    train.add_argument("--rank", type=int, default=16)
    train.add_argument(
        "--activated",
        action="store_true",
        help="the adapter works from the question on: passages keep the model's own keys",
    )
    train.add_argument("--layers", type=int, default=16, help="the upper ones, which get an adapter")
    train.add_argument("--examine", type=int, default=20, help="passages of the validate part, examined as it goes")
    train.add_argument("--examine-every", type=int, default=100, help="steps")
    measure.add_argument("--adapter", type=Path, help="folder of an adapter; without one: the model as it is")
    measure.add_argument("--split", nargs="+", default=["test", "test_trades"])
    measure.add_argument("--most", type=int, default=0, help="passages, evenly drawn; 0: all")
    gate.add_argument("--adapter", type=Path, required=True)
    gate.add_argument("--documents", type=Path, required=True, help="a folder")
    gate.add_argument("--questions", type=Path, required=True, help="CSV: id, question, kind, before, document, answer")
    gate.add_argument("--near-misses", type=Path, required=True, help="CSV: id, question; nothing answers them")
    gate.add_argument("--json", type=Path, help="file for the figures and every answer")
    gate.add_argument("--name", default="", help="whose shipped weights of agreement hold, as `bedside doctor` says it")
    weigh.add_argument("--adapter", type=Path, required=True)
    weigh.add_argument("--collections", type=Path, help="CSV: collection, documents, questions, near_misses")
    weigh.add_argument(
        "--data", type=Path, nargs="+", default=[], help="questions on passages: their validate part, as documents"
    )
    weigh.add_argument("--most", type=int, default=200, help="questions of --data, and as many near misses; 0: all")
    options = parser.parse_args(words)
    if options.threads:
        torch.set_num_threads(options.threads)
    try:
        return {"train": _train, "measure": _measure, "gate": _gate, "weigh": _weigh}[options.command](options)
    except (OSError, ValueError) as error:
        print(f"{error}", file=sys.stderr)
        return 1
    except BedsideError as error:
        print(error.message, file=sys.stderr)
        return 1


def _train(options: argparse.Namespace) -> int:
    dtype = getattr(torch, options.dtype) if options.dtype else None
    reading = open_model(
        options.model,
        rank=options.rank,
        layers=options.layers,
        activated=options.activated,
        adapter=options.begin,
        dtype=dtype,
    )
    passages = read_passages(options.data, ("train",))
    schedule = Schedule(
        options.steps,
        options.cool,
        options.rate,
        foreign=options.foreign,
        retrieved=options.retrieved,
        examine_every=options.examine_every,
    )
    training = Training(reading, passages, schedule, options.work)
    if training.resume():
        print(f"goes on at step {training.step} of {options.steps}")
    examined = _drawn(read_passages(options.data, ("validate",)), options.examine)
    training.run(Examination(examined) if examined else None, lambda line: print(json.dumps(line), flush=True))
    training.save(options.out, {"model": Path(options.model).name, "data": [file.name for file in options.data]})
    print(f"written: {options.out}")
    return 0


def _measure(options: argparse.Namespace) -> int:
    dtype = getattr(torch, options.dtype) if options.dtype else None
    reading = open_model(options.model, adapter=options.adapter, dtype=dtype)
    passages = _drawn(read_passages(options.data, options.split), options.most)
    print(json.dumps(Examination(passages, kept=0).of(reading).figures(), indent=1))
    return 0


def _gate(options: argparse.Namespace) -> int:
    from services.reader import gate

    reading = open_model(
        options.model, adapter=options.adapter, dtype=getattr(torch, options.dtype) if options.dtype else None
    )
    figures = gate.measure(options.documents, options.questions, options.near_misses, reading, _asked, options.name)
    gate.write(figures, options.json)
    return 0


def _weigh(options: argparse.Namespace) -> int:
    from services.reader import weigh
    from services.reader.gate import InProcess

    reading = open_model(
        options.model, adapter=options.adapter, dtype=getattr(torch, options.dtype) if options.dtype else None
    )
    reader = InProcess(reading)
    with tempfile.TemporaryDirectory(prefix="bedside-weigh-") as folder:
        collections = weigh.collections_of(options.collections) if options.collections else []
        if options.data:
            collections.append(("passages", *weigh.written_out(options.data, Path(folder), options.most)))
        found = [weigh.collected(*own, reader, _asked) for own in collections]
    rows = {weight: [row for own in found for row in own[weight]] for weight in weigh.WEIGHTS}
    for weight, own in rows.items():
        fit = asdict(weigh.fitted({weight: own}))
        print(f"weight {weight}: {sum(row.right for row in own)} right; {json.dumps(fit)}", file=sys.stderr)
    print(json.dumps(asdict(weigh.fitted(rows)), indent=1))
    return 0


def _asked(done: int) -> None:
    print(f"asked {done}", file=sys.stderr, flush=True)


def _drawn(items: list[AskedPassage], most: int) -> list[AskedPassage]:
    return items if not most or most >= len(items) else [items[n * len(items) // most] for n in range(most)]


if __name__ == "__main__":
    sys.exit(main())
