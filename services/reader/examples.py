"""What the reader learns from: questions, passages, and pairs of them with the spans that answer; their states are computed once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rag_api.embed.e5.encoder import E5Encoder
from rag_api.readers.text import BEGIN, END, Tokenized, leads, passage_tokens, question_tokens, rarities, segments
from rag_api.retrieval.reader import Passage
from services.reader.model import Batch

MOST_AT_ONCE = 512  # texts whose states are computed between two reports


@dataclass(frozen=True, slots=True)
class Pair:
    """Numbers of a question and a passage. `answers`: the spans that answer, any of them; none: it does not. `block`: all spans of the
    whole answer; None: not known."""

    question: int
    passage: int
    answers: tuple[int, ...] = ()
    block: tuple[int, ...] | None = None


@dataclass(eq=False)
class Texts:
    """Questions and passages, each once, and the states that the encoder gives them."""

    encoder: E5Encoder
    layers: int  # of the encoder, from below
    questions: list[Tokenized] = field(default_factory=list)
    passages: list[Tokenized] = field(default_factory=list)
    _numbers: dict[object, int] = field(default_factory=dict)
    _states: dict[tuple[int, ...], NDArray[np.float16]] = field(default_factory=dict)

    def question(self, text: str) -> int:
        if (found := self._numbers.get(text)) is None:
            found = self._numbers[text] = len(self.questions)
            self.questions.append(question_tokens(text, self.encoder.tokens))
        return found

    def passage(self, passage: Passage) -> int:
        if (found := self._numbers.get(passage)) is None:
            found = self._numbers[passage] = len(self.passages)
            self.passages.append(passage_tokens(passage, self.encoder.tokens))
        return found

    def compute(self, kept: Path, tell: Callable[[int, int], None] = lambda done, of: None) -> None:
        """Compute the states that are not known; `kept`: a file that remembers them."""
        wanted = list(dict.fromkeys(text.ids for text in (*self.questions, *self.passages)))
        mark = hashlib.sha256(repr((self.encoder.name, self.layers, wanted)).encode()).hexdigest()
        ends = np.cumsum([len(ids) + 2 for ids in wanted])
        if kept.with_suffix(".sha256").exists() and kept.with_suffix(".sha256").read_text() == mark:
            rows = np.load(kept, mmap_mode="r")
        else:
            rows = self._computed(wanted, int(ends[-1]), tell)
            kept.parent.mkdir(parents=True, exist_ok=True)
            np.save(kept, rows)
            kept.with_suffix(".sha256").write_text(mark)
        self._states = dict(zip(wanted, np.split(rows, ends[:-1]), strict=True))

    def _computed(self, wanted: Sequence[tuple[int, ...]], tokens: int, tell: Callable[[int, int], None]) -> NDArray[np.float16]:
        below = self.encoder.layers(range(self.layers))
        rows, at = np.empty((tokens, self.encoder.dim), np.float16), 0
        for start in range(0, len(wanted), MOST_AT_ONCE):
            for states in self.encoder.states_of(wanted[start : start + MOST_AT_ONCE], below):
                rows[at : at + len(states)] = states
                at += len(states)
            tell(start, len(wanted))
        return rows

    def some_states(self, passages: int = 400) -> Tensor:
        """Return the states of the first passages, for their mean and spread."""
        return torch.from_numpy(np.concatenate([self._states[own.ids] for own in self.passages[:passages]]).astype(np.float32))

    def length(self, pair: Pair) -> int:
        return len(self.questions[pair.question].ids) + len(self.passages[pair.passage].ids) + 4

    def batch(self, pairs: Sequence[Pair]) -> Batch:
        questions, passages = [self.questions[pair.question] for pair in pairs], [self.passages[pair.passage] for pair in pairs]
        most = max(len(passage.spans) for passage in passages)
        return Batch(
            question=_padded([self._states[question.ids] for question in questions], np.float32, 0),
            passage=_padded([self._states[passage.ids] for passage in passages], np.float32, 0),
            question_ids=_padded([np.array([BEGIN, *question.ids, END]) for question in questions], np.int64, -1),
            passage_ids=_padded([np.array([BEGIN, *passage.ids, END]) for passage in passages], np.int64, -2),
            rarity=_padded([rarities(question, self.encoder) for question in questions], np.float32, 0),
            segments=_padded([segments(passage, most) for passage in passages], np.int64, most + 1),
            leads=_padded([np.array(leads(passage, most), np.int64) for passage in passages], np.int64, most, most),
            most=most,
            rows=tuple(len(passage.spans) for passage in passages),
        )


def _padded(rows: Sequence[NDArray[Any]], kind: type[Any], value: float, least: int = 0) -> Tensor:
    padded = np.full((len(rows), max(least, *map(len, rows)), *rows[0].shape[1:]), value, kind)
    for at, row in enumerate(rows):
        padded[at, : len(row)] = row
    return torch.from_numpy(padded)


def batches(pairs: Sequence[Pair], texts: Texts, size: int, seed: int, pool: int = 50) -> Iterable[list[Pair]]:
    """Return all pairs, about `size` at a time, in an order of this seed: a question's side by side, batches of like lengths."""
    chance = np.random.default_rng(seed)
    by_question: dict[int, list[Pair]] = {}
    for pair in pairs:
        by_question.setdefault(pair.question, []).append(pair)
    groups = list(by_question.values())
    groups = [groups[n] for n in chance.permutation(len(groups))]
    found = [batch for start in range(0, len(groups), pool * size) for batch in _filled(groups[start : start + pool * size], texts, size)]
    return [found[n] for n in chance.permutation(len(found))]


def _filled(groups: Sequence[list[Pair]], texts: Texts, size: int) -> list[list[Pair]]:
    found: list[list[Pair]] = []
    for group in sorted(groups, key=lambda own: max(map(texts.length, own))):
        if not found or len(found[-1]) >= size:
            found.append([])
        found[-1] += group
    return found
