"""Answers of a target with its features, in shards on disk. Knows nothing of models.

A shard is a safetensors file: per answer `tokens.<n>` int32 [L], `hidden.<n>` [L - 1, h] and
`streams.<n>` [L - 1, 3h] (StepOutput's, of all tokens but the last); ids and prompt lengths stand
in its metadata. A shard is there wholly or not at all.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

HELD_OUT = 20  # one prompt in so many is kept from training


def held_out(prompt: str) -> bool:
    """Decide by the prompt's id, so that a longer prompt file never moves one between the two."""
    return zlib.crc32(prompt.encode()) % HELD_OUT == 0


@dataclass(frozen=True, slots=True)
class CorpusAnswer:
    id: str
    prompt_length: int
    tokens: Tensor  # int64 [L]: prompt and answer
    hidden: Tensor  # [L - 1, h]
    streams: Tensor  # [L - 1, 3h]

    @property
    def answer(self) -> list[int]:
        return self.tokens[self.prompt_length :].tolist()


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """Where an answer is; `length` counts prompt and answer."""

    id: str
    shard: Path
    number: int
    prompt_length: int
    length: int


class BadCorpus(ValueError):
    """Nothing to train on, or not what a checkpoint was trained on; the message says which."""


class AnswerCorpus:
    """The answers of some folders, read when asked for."""

    def __init__(self, *folders: Path) -> None:
        self.folders = folders
        shards = [shard for folder in folders for shard in sorted(folder.glob("answers-*.safetensors"))]
        self.entries = [entry for shard in shards for entry in _entries(shard)]

    def ids(self) -> set[str]:
        return {entry.id for entry in self.entries}

    def training(self) -> list[CorpusEntry]:
        return [entry for entry in self.entries if not held_out(entry.id)]

    def testing(self) -> list[CorpusEntry]:
        return [entry for entry in self.entries if held_out(entry.id)]

    def read(self, entry: CorpusEntry) -> CorpusAnswer:
        with safe_open(entry.shard, "pt") as shard:
            tokens, hidden, streams = (
                shard.get_tensor(f"{name}.{entry.number}") for name in ("tokens", "hidden", "streams")
            )
        return CorpusAnswer(entry.id, entry.prompt_length, tokens.long(), hidden, streams)

    def tokens(self, entries: list[CorpusEntry]) -> Iterator[tuple[CorpusEntry, Tensor]]:
        """Return tokens without features: for counting."""
        for entry in entries:
            with safe_open(entry.shard, "pt") as shard:
                yield entry, shard.get_tensor(f"tokens.{entry.number}")


def _entries(shard: Path) -> list[CorpusEntry]:
    with safe_open(shard, "pt") as opened:
        listed = json.loads(opened.metadata()["answers"])
    return [CorpusEntry(ident, shard, number, prompt, length) for number, (ident, prompt, length) in enumerate(listed)]


def write_shard(folder: Path, answers: list[CorpusAnswer]) -> Path:
    """Write a shard; it appears under its name only when it is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 1 + max((int(path.stem.split("-")[1]) for path in folder.glob("answers-*.safetensors")), default=0)
    tensors: dict[str, Tensor] = {}
    for place, answer in enumerate(answers):
        tensors[f"tokens.{place}"] = answer.tokens.to(torch.int32).contiguous()
        tensors[f"hidden.{place}"] = answer.hidden.to("cpu", torch.bfloat16).contiguous()
        tensors[f"streams.{place}"] = answer.streams.to("cpu", torch.bfloat16).contiguous()
    listed = [(answer.id, answer.prompt_length, len(answer.tokens)) for answer in answers]
    path, partial = folder / f"answers-{number:05d}.safetensors", folder / "partial.tmp"
    save_file(tensors, partial, metadata={"answers": json.dumps(listed)})
    partial.rename(path)
    return path


def draft_vocabulary(corpus: AnswerCorpus, size: int, vocabulary: int) -> tuple[Tensor, float]:
    """Return the `size` most frequent tokens, ascending, and the share of answer tokens they cover.

    A token of an answer counts ten times, since those are drafted. What never occurs is filled up
    from the lowest ids: in most vocabularies the oldest merges, and so the most common strings.
    """
    counts, answers = torch.zeros(vocabulary, dtype=torch.int64), torch.zeros(vocabulary, dtype=torch.int64)
    for entry, tokens in corpus.tokens(corpus.training()):
        counts += torch.bincount(tokens.long(), minlength=vocabulary)
        answers += torch.bincount(tokens[entry.prompt_length :].long(), minlength=vocabulary)
    best = (counts + 9 * answers).sort(descending=True, stable=True).indices[:size].sort().values
    return best, float(answers[best].sum() / answers.sum().clamp(min=1))
