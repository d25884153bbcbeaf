"""python -m services.reader.train: trains the reader and writes its weights; stopped and started again, it goes on.

It begins with the public sets (left out without `--public`), then learns from WardQA's training part, and with `--over` at last what
Bedside's own choice and decision get wrong of it. `--curve` trains on parts of the documents too, for what more of them would bring.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from rag_api.embed.e5.encoder import E5Encoder
from rag_api.readers.network import Sizes
from services.reader.examples import Pair, Texts
from services.reader.fit import Fit, FitOptions
from services.reader.model import ReaderModel
from services.reader.over import Example, OverFit, OverOptions
from services.reader.product import asked, examples_of, public_examples
from services.reader.public import public_pairs
from services.reader.ward import Ward
from services.reader.weights import pack

LAYERS = 8  # of the encoder, whose states the reader compares; those of all 12 were worse, .704 for .727 of the area under the curve
RATE = 1e-3  # of learning, on WardQA
PUBLIC = FitOptions(epochs=3, last=0.2)


@dataclass(frozen=True, slots=True)
class Learning:
    """Everything that networks learn from, its states computed."""

    encoder: E5Encoder
    texts: Texts
    public: list[Pair]
    train: Ward
    validate: Ward
    over: list[Example]  # of the product's own passages


def learning(work: Path, public: Path | None, *, over: bool = False) -> Learning:
    encoder = E5Encoder()
    texts = Texts(encoder, LAYERS)
    train, validate = Ward(["train"], texts, taught=True), Ward(["validate"], texts)
    pairs = public_pairs(public, texts) if public else []
    examples = [*examples_of(asked(work / "asked.json.gz"), texts), *public_examples(pairs, texts)] if over else []
    say(f"{len(texts.questions)} questions and {len(texts.passages)} passages; computing their states")
    texts.compute(work / "states.npy", lambda done, of: say(f"  {done} of {of}"))
    return Learning(encoder, texts, pairs, train, validate, examples)


def begun(of: Learning, work: Path) -> ReaderModel:
    """Return a network that has read the public sets, or nothing."""
    model = ReaderModel(Sizes())
    model.standardise(of.texts.some_states())
    return Fit(model, of.texts, lambda epoch: of.public, work / "public", PUBLIC).run() if of.public else model


def network(of: Learning, begin: ReaderModel, folder: Path, share: float, options: FitOptions) -> ReaderModel:
    """Train one on this share of WardQA's documents, or go on with it."""
    ward = of.train.part(share)
    fit = Fit(copy.deepcopy(begin), of.texts, lambda epoch: ward.pairs(epoch, options.seed), folder, options)
    return fit.run(of.validate.measure)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m services.reader.train", description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder for states, checkpoints and learning curves")
    parser.add_argument("--out", type=Path, help="reader.npz to write")
    parser.add_argument("--public", type=Path, help="folder with squad/ and qa/ to begin with")
    parser.add_argument("--epochs", type=int, default=FitOptions().epochs)
    parser.add_argument("--curve", type=float, nargs="*", default=[], help="shares of the training documents, for example .25 .5")
    parser.add_argument("--over", action="store_true", help="go on over Bedside's own score, which it is asked for once: ten minutes")
    parser.add_argument("--over-epochs", type=int, default=OverOptions().epochs)
    parser.add_argument("--seed", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(argv)
    torch.set_num_threads(options.threads)
    of = learning(options.work, options.public, over=options.over)
    begin = begun(of, options.work)
    fit = FitOptions(epochs=options.epochs, learning_rate=RATE, seed=options.seed)
    for share in options.curve:
        say(f"{share:.0%} of the documents")
        network(of, begin, options.work / f"share-{share}", share, fit)
    say("all documents")
    model = network(of, begin, options.work / "all", 1.0, fit)
    say(json.dumps(of.validate.measure(model)))
    if options.over:
        model = OverFit(model, of.texts, of.over, options.work / "over", OverOptions(epochs=options.over_epochs)).run()
        say(json.dumps(of.validate.measure(model)))
    if options.out:
        options.out.write_bytes(pack(of.encoder.name, LAYERS, model.arrays()))
        say(f"{options.out}: {options.out.stat().st_size:,} bytes")
    return 0


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
