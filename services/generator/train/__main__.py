"""python -m services.generator.train prompts | answers | head | measure: `--help` of each says what
it does."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

import torch

from services.generator.errors import GeneratorError
from services.generator.train.answers import AnswerOptions, BadPrompts, collect, read_prompts
from services.generator.train.corpus import AnswerCorpus, BadCorpus


def prompts(argv: list[str]) -> int:
    """Write the demo model's training prompts; with --passages, the second round's, from the
    answers to the first."""
    from services.generator.models.loading import load_tokenizer
    from services.generator.text.codec import Codec
    from services.generator.train import demo_prompts

    parser = argparse.ArgumentParser(prog="train prompts", description=prompts.__doc__)
    parser.add_argument("--out", type=Path, required=True, help="jsonl to write")
    parser.add_argument("--passages", type=Path, help="folder of `train answers` of the first round")
    parser.add_argument("--model", default="demo", help="whose tokenizer reads those answers")
    options = parser.parse_args(argv)
    rows = demo_prompts.first_round()
    if options.passages:
        codec, corpus = Codec(load_tokenizer(options.model)), AnswerCorpus(options.passages)
        said = {
            entry.id: codec.decode(tokens[entry.prompt_length :].tolist())
            for entry, tokens in corpus.tokens(corpus.entries)
        }
        rows = demo_prompts.second_round(said)
    print(f"{demo_prompts.write(rows, options.out)} prompts in {options.out}")
    return 0


def answers(argv: list[str]) -> int:
    """Let the target answer a file of prompts and keep its features; goes on where it was
    stopped."""
    from services.generator.models.loading import load_target, load_tokenizer
    from services.generator.text.codec import Codec

    defaults = AnswerOptions()
    parser = argparse.ArgumentParser(prog="train answers", description=answers.__doc__)
    parser.add_argument("--model", default="demo", help="demo, a GGUF file, a folder or a hub name")
    parser.add_argument(
        "--prompts", type=Path, required=True, help="jsonl: prompt, messages, or question and documents"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for the shards (4 hidden sizes x 2 bytes per token)"
    )
    parser.add_argument("--rows", type=int, default=defaults.rows, help="answers at a time")
    parser.add_argument("--max-tokens", type=int, default=defaults.max_tokens)
    parser.add_argument("--max-length", type=int, default=defaults.max_length, help="longer prompts are left out")
    parser.add_argument(
        "--temperature", type=float, default=defaults.temperature, help="held-out prompts are answered greedily"
    )
    parser.add_argument(
        "--shard", type=int, default=defaults.shard, help="answers per shard: what an interruption can cost"
    )
    parser.add_argument("--limit", type=int, help="only the first LIMIT prompts")
    parser.add_argument("--dtype", default="auto", choices=("auto", "fp32", "bf16"))
    parser.add_argument("--threads", type=int)
    options = parser.parse_args(argv)
    questions = read_prompts(options.prompts, Codec(load_tokenizer(options.model)))[: options.limit]
    target = load_target(options.model, dtype=options.dtype, threads=options.threads)
    wanted = AnswerOptions(options.rows, options.max_tokens, options.max_length, options.temperature, options.shard)
    corpus = collect(target, questions, options.out, wanted)
    print(json.dumps({"answers": len(corpus.entries), "tokens": sum(entry.length for entry in corpus.entries)}))
    return 0


def head(argv: list[str]) -> int:
    """Train an EAGLE head on collected answers and write it in the published format; goes on where
    it was stopped."""
    from services.generator.models.heads.eagle_format import save_head
    from services.generator.models.loading import load_target
    from services.generator.train.fit import Fit, FitOptions

    defaults = FitOptions()
    parser = argparse.ArgumentParser(prog="train head", description=head.__doc__)
    parser.add_argument("--model", default="demo", help="the target, as for `train answers`")
    parser.add_argument("--answers", type=Path, nargs="+", required=True, help="folders of `train answers`")
    parser.add_argument("--work", type=Path, required=True, help="folder for the checkpoint and the learning curve")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for config.json, model.safetensors and training.json"
    )
    parser.add_argument(
        "--version", type=int, choices=(1, 3), default=defaults.version, help="1: EAGLE-1 and -2; 3: EAGLE-3"
    )
    parser.add_argument(
        "--draft-vocabulary", type=int, default=defaults.draft_vocabulary, help="version 1: the tokens its loss is over"
    )
    parser.add_argument("--steps", type=int, default=defaults.steps, help="of the training-time test (version 3)")
    parser.add_argument("--epochs", type=int, default=defaults.epochs)
    parser.add_argument(
        "--minutes", type=float, default=defaults.minutes, help="of training at most, all runs together"
    )
    parser.add_argument("--positions", type=int, default=defaults.positions, help="drafted chains per optimiser step")
    parser.add_argument(
        "--prompt-share", type=float, default=defaults.prompt_share, help="of prompt positions trained on too"
    )
    parser.add_argument("--learning-rate", type=float, default=defaults.learning_rate)
    parser.add_argument("--intermediate", type=int, help="width of the MLP (default 8/3 of the hidden size)")
    parser.add_argument("--normed", action="store_true", help="EAGLE-3.1's norms (version 3)")
    parser.add_argument("--fp32", action="store_true", help="no bf16 in the matrix products")
    parser.add_argument("--threads", type=int)
    options = parser.parse_args(argv)
    names = (
        "version",
        "draft_vocabulary",
        "steps",
        "epochs",
        "minutes",
        "positions",
        "prompt_share",
        "learning_rate",
        "intermediate",
        "normed",
    )
    chosen = {name: getattr(options, name) for name in names}
    target = load_target(options.model, threads=options.threads)
    fit = Fit(target, AnswerCorpus(*options.answers), options.work, FitOptions(**chosen, bf16=not options.fp32))
    trained = fit.run()
    save_head(trained, options.out, target.config.max_positions)
    chosen["minutes"] = min(options.minutes, round(fit.seconds / 60, 1))
    record = {"target": target.config.name, "options": chosen} | fit.summary()
    (options.out / "training.json").write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps({key: value for key, value in record.items() if key != "curve"}))
    return 0


def measure(argv: list[str]) -> int:
    """tau on answers that the target gave greedily: of a head or, without one, of an untrained
    head, and of copying with and without it."""
    from services.generator.drafters import Drafter
    from services.generator.drafters.copies.copy import CopyDrafter
    from services.generator.drafters.eagle import EagleDrafter
    from services.generator.models.heads.eagle_format import load_head
    from services.generator.models.heads.eagle_frozen import FrozenHead
    from services.generator.models.loading import load_target
    from services.generator.speculation.eagle_tree import TreeShape
    from services.generator.train.fit import FitOptions, new_head, output_rows
    from services.generator.train.measure import measure as run

    parser = argparse.ArgumentParser(prog="train measure", description=measure.__doc__)
    parser.add_argument("--model", default="demo")
    parser.add_argument("--answers", type=Path, nargs="+", required=True, help="folders of `train answers`")
    parser.add_argument(
        "--whole",
        action="store_true",
        help="every answer of the folders (nothing of them was trained on), not the held-out ones",
    )
    parser.add_argument("--head", type=Path, help="folder of a head")
    parser.add_argument("--version", type=int, choices=(1, 3), default=3, help="of the untrained head")
    parser.add_argument("--limit", type=int, help="only the first LIMIT answers")
    parser.add_argument("--nodes", type=int, default=60)
    parser.add_argument("--top-k", type=int, default=10)
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--threads", type=int)
    options = parser.parse_args(argv)
    target, corpus = load_target(options.model, threads=options.threads), AnswerCorpus(*options.answers)
    entries = (corpus.entries if options.whole else corpus.testing())[: options.limit]
    if options.head:
        head, name = load_head(options.head, target), str(options.head)
    else:
        token_ids = torch.arange(8192 if options.version == 3 else target.config.vocab_size)
        rows = output_rows(target, token_ids) if options.version == 3 else torch.empty(0)
        head, name = (
            new_head(target, FitOptions(version=options.version), token_ids, rows).requires_grad_(False),
            "untrained",
        )
    frozen, shape = (
        FrozenHead(head, target.config.max_positions + 256),
        TreeShape(options.top_k, options.nodes, options.depth),
    )
    drafters: dict[str, tuple[Drafter, ...]] = {
        name: (EagleDrafter(frozen, shape),),
        "copy": (CopyDrafter(),),
        f"copy + {name}": (CopyDrafter(), EagleDrafter(frozen, shape)),
    }
    for label, together in drafters.items():
        print(
            json.dumps({"drafter": label} | asdict(run(together, map(corpus.read, entries), options.nodes))), flush=True
        )
    return 0


def main(argv: list[str]) -> int:
    commands = {"prompts": prompts, "answers": answers, "head": head, "measure": measure}
    if not argv or argv[0] not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return commands[argv[0]](argv[1:])
    except (BadPrompts, BadCorpus, GeneratorError, OSError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
