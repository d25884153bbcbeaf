"""python -m services.generator.datastore build | dense | show: `--help` of each says what it
does."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from services.generator.datastore.build import build as build_store
from services.generator.datastore.store import BadDatastore, fingerprint, read, write
from services.generator.errors import GeneratorError


def build(argv: list[str]) -> int:
    """Build a datastore of text files and jsonl, for the drafters `rest`, `blend` and `reader`.

    Everything in it can be drafted into everyone's answers: build it of what all who ask may read.
    A file with .jsonl holds objects with `answer` or `text` (what the model itself has written
    drafts best); every other file is one text.
    """
    parser = argparse.ArgumentParser(prog="datastore build", description=build.__doc__)
    parser.add_argument("folder", type=Path, help="to write")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument(
        "--model", default="demo", help="whose tokenizer it is for: demo, a GGUF file, a folder or a hub name"
    )
    options = parser.parse_args(argv)
    from services.generator.models.loading import load_tokenizer
    from services.generator.text.codec import Codec

    codec = Codec(load_tokenizer(options.model))
    texts = (codec.encode(text)[0] for file in options.files for _, text in _rows(file))
    store = build_store(texts, fingerprint(codec.hf.get_vocab()))
    write(options.folder, store)
    print(f"{store.manifest.texts} texts of {store.manifest.tokens} tokens in {options.folder}")
    return 0


def dense(argv: list[str]) -> int:
    """Build a dense datastore, for the drafter `dresd`: the model reads every text, and its state
    at each token is kept.

    It belongs to this model alone, and everything in it can be drafted into everyone's answers.
    Files as for `build`; what the model itself has written drafts best. A row of a jsonl may have a
    `prompt` beside its `answer`: it is read before it, and not drafted from.
    """
    parser = argparse.ArgumentParser(prog="datastore dense", description=dense.__doc__)
    parser.add_argument("folder", type=Path, help="to write")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--model", default="demo", help="demo, a GGUF file, a folder or a hub name")
    options = parser.parse_args(argv)
    from services.generator.datastore import dense as of_states
    from services.generator.models.loading import load_target, load_tokenizer
    from services.generator.text.codec import Codec

    codec, target = Codec(load_tokenizer(options.model)), load_target(options.model)
    rows = (row for file in options.files for row in _rows(file))
    texts = ([codec.encode(part)[0] for part in (prompt, text)] for prompt, text in rows)
    store = of_states.build(target, (((*prompt, *text), len(prompt)) for prompt, text in texts))
    of_states.write(options.folder, store)
    print(f"{len(store.places)} tokens with their states in {options.folder}")
    return 0


def show(argv: list[str]) -> int:
    """Say what a datastore holds, and whether it is this model's."""
    parser = argparse.ArgumentParser(prog="datastore show", description=show.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="demo")
    options = parser.parse_args(argv)
    from services.generator.models.loading import load_tokenizer

    print(json.dumps(asdict(read(options.folder, fingerprint(load_tokenizer(options.model).get_vocab())).manifest)))
    return 0


def _rows(file: Path) -> Iterator[tuple[str, str]]:
    """Yield texts, each with what is read before it."""
    try:
        if file.suffix != ".jsonl":
            yield "", file.read_text(encoding="utf-8")
            return
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            row = json.loads(line) if line.strip() else {"text": ""}
            text = row.get("answer", row.get("text")) if isinstance(row, dict) else None
            if not isinstance(text, str) or not isinstance(row.get("prompt", ""), str):
                raise BadDatastore(f"{file}:{number}: wants an object with the text `answer` or `text`")
            yield row.get("prompt", ""), text
    except (OSError, ValueError) as error:
        raise BadDatastore(f"{file}: cannot be read: {error}") from error


COMMANDS = {"build": build, "dense": dense, "show": show}


def main(argv: list[str]) -> int:
    if not argv or argv[0] not in COMMANDS:
        print(__doc__, file=sys.stderr)
        return 0 if argv in (["-h"], ["--help"]) else 2
    try:
        return COMMANDS[argv[0]](argv[1:])
    except GeneratorError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
