"""python -m services.reader.train: trains the reader and writes its weights; stopped and started again, it goes on.

Each of `--seeds` networks begins with the public sets (left out without `--public`), then learns from WardQA's training part; the shipped
weights are those of all of them, whose scores are averaged. `--curve` trains on parts of the documents, for what more of them would bring.
"""

from __future__ import annotations

import argparse
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
from services.reader.public import public_pairs
from services.reader.ward import Ward
from services.reader.weights import pack

LAYERS = 12  # of the encoder, whose states the reader compares


@dataclass(frozen=True, slots=True)
class Learning:
    """Everything that networks learn from, its states computed."""

    encoder: E5Encoder
    texts: Texts
    public: list[Pair]
    train: Ward
    validate: Ward


def learning(work: Path, public: Path | None) -> Learning:
    encoder = E5Encoder()
    texts = Texts(encoder, LAYERS)
    train, validate = Ward(["train"], texts), Ward(["validate"], texts)
    pairs = public_pairs(public, texts) if public else []
    say(f"{len(texts.questions)} questions and {len(texts.passages)} passages; computing their states")
    texts.compute(work / "states.npy", lambda done, of: say(f"  {done} of {of}"))
    return Learning(encoder, texts, pairs, train, validate)


def network(of: Learning, folder: Path, seed: int, share: float, options: FitOptions) -> ReaderModel:
    """Train one, or go on with it."""
    model = ReaderModel(Sizes(), seed=seed)
    model.standardise(of.texts.some_states())
    if of.public:
        Fit(model, of.texts, lambda epoch: of.public, folder / "public", FitOptions(epochs=3, last=0.2, seed=seed)).run()
    ward = of.train.part(share)
    return Fit(model, of.texts, lambda epoch: ward.pairs(epoch, seed), folder / "ward", options).run(of.validate.measure)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m services.reader.train", description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder for states, checkpoints and learning curves")
    parser.add_argument("--out", type=Path, help="reader.npz to write")
    parser.add_argument("--public", type=Path, help="folder with squad/ and qa/ to begin with")
    parser.add_argument("--seeds", type=int, default=3, help="networks whose scores are averaged")
    parser.add_argument("--epochs", type=int, default=FitOptions().epochs)
    parser.add_argument("--curve", type=float, nargs="*", default=[], help="shares of the training documents, for example .25 .5")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(argv)
    torch.set_num_threads(options.threads)
    of = learning(options.work, options.public)
    for share in options.curve:
        say(f"{share:.0%} of the documents")
        network(of, options.work / f"share-{share}", 0, share, FitOptions(epochs=options.epochs))
    models = []
    for seed in range(options.seeds):
        say(f"network {seed + 1} of {options.seeds}")
        models.append(network(of, options.work / f"seed-{seed}", seed, 1.0, FitOptions(epochs=options.epochs, seed=seed)))
    say(json.dumps(of.validate.measure(models)))
    if options.out:
        options.out.write_bytes(pack(of.encoder.name, LAYERS, [model.arrays() for model in models]))
        say(f"{options.out}: {options.out.stat().st_size:,} bytes")
    return 0


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
