"""The target answers prompts, many at a time, and its features are kept. Stopped and started again,
it goes on.

Prompts are jsonl, each line with an `id` (else its number) and one of: `prompt` (a user's words),
`messages` (a chat; the last one is the user's), or `question` with `documents` [{title, text}] and
perhaps `template` (a name of templates.py).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from services.contract.templates import DEFAULT_TEMPLATE, TEMPLATES, TemplatePiece, render
from services.generator.models import StepInput, Target
from services.generator.models.kv_cache import KVCache
from services.generator.text.codec import Codec
from services.generator.text.prompt import Turn, build_prompt
from services.generator.train.corpus import AnswerCorpus, CorpusAnswer, held_out, write_shard
from services.generator.train.progress import TrainingProgress
from services.generator.types import Passage

CHUNK = 512  # prompt tokens per forward


class BadPrompts(ValueError):
    """A prompt file that cannot be used; the message names file, line and reason."""


@dataclass(frozen=True, slots=True)
class TokenQuestion:
    id: str
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """Held-out prompts are answered greedily whatever `temperature` says: tau is measured on
    them."""

    rows: int = 16
    max_tokens: int = 160
    max_length: int = 2048  # a longer prompt is left out
    temperature: float = 0.7
    shard: int = 64


def read_prompts(path: Path, codec: Codec) -> list[TokenQuestion]:
    """Raises BadPrompts."""
    questions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            turns, passages = _turns(row)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadPrompts(f"{path}:{number}: {type(error).__name__}: {error}") from None
        questions.append(
            TokenQuestion(str(row.get("id", number)), build_prompt(codec, turns, passages, "train").token_ids)
        )
    if not questions:
        raise BadPrompts(f"{path}: no prompts")
    return questions


def _turns(row: dict[str, Any]) -> tuple[list[Turn], list[Passage]]:
    if "prompt" in row:
        return [Turn("user", (TemplatePiece(str(row["prompt"])),))], []
    if "messages" in row:
        return [Turn(message["role"], (TemplatePiece(message["content"]),)) for message in row["messages"]], []
    passages = [Passage(str(place), part.get("title", ""), part["text"]) for place, part in enumerate(row["documents"])]
    template = row.get("template", DEFAULT_TEMPLATE)
    if template not in TEMPLATES:
        raise ValueError(f"template {template!r} is not one of {', '.join(TEMPLATES)}")
    return [Turn("user", render(template, row["question"], passages).pieces)], passages


@dataclass(slots=True)
class _Row:
    """An answer in the making. `logits` are those of the token to come."""

    question: TokenQuestion
    tokens: list[int]
    hidden: list[Tensor]
    streams: list[Tensor]
    noise: torch.Generator


def collect(
    target: Target, questions: list[TokenQuestion], folder: Path, options: AnswerOptions, seed: int = 0
) -> AnswerCorpus:
    """Answer what is not yet in `folder`. An answer depends on its prompt and `seed`, not on what
    it was batched with (up to rounding)."""
    known = AnswerCorpus(folder).ids()
    limit = min(options.max_length, target.config.max_positions)
    todo = [
        question
        for question in questions
        if question.id not in known and len(question.tokens) + options.max_tokens <= limit
    ]
    progress = TrainingProgress("answers", len(todo), "prompts")
    waiting: list[CorpusAnswer] = []
    for done, answer in enumerate(_answers(target, todo, options, limit, seed), start=1):
        waiting.append(answer)
        progress.update(done, len(answer.tokens))
        if len(waiting) == options.shard:
            write_shard(folder, waiting)
            waiting = []
    if waiting:
        write_shard(folder, waiting)
    progress.finish()
    return AnswerCorpus(folder)


def _answers(
    target: Target, questions: list[TokenQuestion], options: AnswerOptions, limit: int, seed: int
) -> Iterator[CorpusAnswer]:
    """Decode, and refill rows as soon as they are free."""
    cache = target.new_cache(options.rows, limit)
    todo = iter(questions)
    active: dict[int, _Row] = {}
    while True:
        for slot in range(options.rows):
            if slot not in active and (question := next(todo, None)) is not None:
                active[slot] = _prefill(target, cache, slot, question, options, seed)
        if not active:
            return
        finished = [slot for slot, row in active.items() if _ended(target, row, options)]
        for slot in finished:
            yield _answer(active.pop(slot))
        if not finished:
            _decode(target, cache, active, options)


def _ended(target: Target, row: _Row, options: AnswerOptions) -> bool:
    return (
        row.tokens[-1] in target.config.eos_token_ids
        or len(row.tokens) - len(row.question.tokens) >= options.max_tokens
    )


def _prefill(
    target: Target, cache: KVCache, slot: int, question: TokenQuestion, options: AnswerOptions, seed: int
) -> _Row:
    noise = torch.Generator().manual_seed(zlib.crc32(f"{seed}:{question.id}".encode()))
    row = _Row(question, list(question.tokens), [], [], noise)
    for start in range(0, len(row.tokens), CHUNK):
        tokens = torch.tensor([question.tokens[start : start + CHUNK]], device=target.device)
        positions = torch.arange(start, start + tokens.shape[1], device=target.device)[None]
        out = target.forward(StepInput(tokens, positions, (slot,), (start,), (tokens.shape[1],), None, -1, True), cache)
        assert out.hidden is not None
        assert out.streams is not None
        row.hidden.append(out.hidden[0].bfloat16())
        row.streams.append(out.streams[0].bfloat16())
    row.tokens.append(_sample(out.logits[0, -1], row, options))
    return row


def _decode(target: Target, cache: KVCache, active: dict[int, _Row], options: AnswerOptions) -> None:
    """Decode one token for every row."""
    slots = tuple(active)
    lengths = tuple(len(active[slot].tokens) - 1 for slot in slots)
    tokens = torch.tensor([[active[slot].tokens[-1]] for slot in slots], device=target.device)
    positions = torch.tensor(lengths, device=target.device)[:, None]
    out = target.forward(StepInput(tokens, positions, slots, lengths, (1,) * len(slots), None, 0, True), cache)
    assert out.hidden is not None
    assert out.streams is not None
    for place, slot in enumerate(slots):
        row = active[slot]
        row.hidden.append(out.hidden[place].bfloat16())
        row.streams.append(out.streams[place].bfloat16())
        row.tokens.append(_sample(out.logits[place, -1], row, options))


def _sample(logits: Tensor, row: _Row, options: AnswerOptions) -> int:
    """Return the target's own word: the argmax of logits with Gumbel noise scaled by the
    temperature."""
    if options.temperature == 0 or held_out(row.question.id):
        return int(logits.argmax())
    noise = torch.empty(logits.shape).exponential_(generator=row.noise).log_().neg_().to(logits.device)
    return int((logits / options.temperature + noise).argmax())


def _answer(row: _Row) -> CorpusAnswer:
    tokens = torch.tensor(row.tokens)
    return CorpusAnswer(
        row.question.id, len(row.question.tokens), tokens, torch.cat(row.hidden), torch.cat(row.streams)
    )
