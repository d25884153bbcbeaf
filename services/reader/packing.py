"""A passage with all its questions as one row of tokens: each question sees the passage and itself.

The passage is computed once without gradients (its keys are the base model's); the questions follow
in one row under a tree mask, each at the positions that it would have right behind the passage.
Knows no files and no training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from services.contract.reading_prompt import BECAUSE, LABELS, NONE, REASONS, TO, passage_part, question_part
from services.reader.questions import AskedPassage, TrainingQuestion

IGNORED = -100


class Tokenizer(Protocol):
    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]: ...


class Vocabulary:
    """The few tokens that an answer is made of. Raises ValueError where a label or reason is not
    one token, or two are the same."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.first = [self._one(label) for label in (*LABELS, NONE)]  # [labels + 1]
        self.last = [self._one(f" {label}") for label in LABELS]
        self.reasons = [self._one(word) for word in REASONS.values()]
        self.to, self.because = self._one(TO), self._one(BECAUSE)
        self.none = len(LABELS)  # index in `first`
        for told in (self.first, self.last, self.reasons):
            if len(set(told)) != len(told):
                raise ValueError("this tokenizer gives two labels or reasons the same token")

    def encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def _one(self, text: str) -> int:
        ids = self.encode(text)
        if len(ids) != 1:
            raise ValueError(f"this tokenizer makes {len(ids)} tokens of {text!r}, where one is needed")
        return ids[0]


@dataclass(frozen=True, slots=True)
class Packed:
    """prefix: [P] the passage. tokens, positions: [T] all questions with what they are answered
    (but the last token). mask: [T, P + T], true where a token sees another. The rest: where an
    answer's two parts are told, and what is right, as indices in Vocabulary."""

    prefix: torch.Tensor
    tokens: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    first_at: torch.Tensor  # [items]
    first: torch.Tensor  # [items], index in Vocabulary.first
    second_at: torch.Tensor  # [items]
    last: torch.Tensor  # [items], index in Vocabulary.last, IGNORED where there is none
    reason: torch.Tensor  # [items], index in Vocabulary.reasons, IGNORED where there is an answer


def pack(
    passage: AskedPassage, asked: Sequence[TrainingQuestion], vocabulary: Vocabulary, longest: int = 1_536
) -> Packed:
    """Return the passage with these questions. A passage above `longest` tokens is refused with
    ValueError."""
    prefix = vocabulary.encode(passage_part(passage.title, passage.heading, passage.lines))
    if len(prefix) > longest:
        raise ValueError(f"passage {passage.id} has {len(prefix)} tokens, at most {longest} are read")
    reasons = list(REASONS)
    tokens: list[int] = []
    positions: list[int] = []
    item_of: list[int] = []
    first_at, first, second_at, last, reason = [], [], [], [], []
    for number, one in enumerate(asked):
        ids = vocabulary.encode(question_part(one.question))
        begin = len(tokens)
        first_at.append(begin + len(ids) - 1)
        if one.first is None:
            ids += [vocabulary.first[vocabulary.none], vocabulary.because]
            first.append(vocabulary.none)
            last.append(IGNORED)
            reason.append(reasons.index(one.reason))
        else:
            assert one.last is not None
            ids += [vocabulary.first[one.first], vocabulary.to]
            first.append(one.first)
            last.append(one.last)
            reason.append(IGNORED)
        second_at.append(begin + len(ids) - 1)
        tokens += ids
        positions += range(len(prefix), len(prefix) + len(ids))
        item_of += [number] * len(ids)
    item = torch.tensor(item_of)
    own = (item[:, None] == item[None, :]).tril()
    mask = torch.cat([torch.ones(len(tokens), len(prefix), dtype=torch.bool), own], dim=1)
    whole = torch.tensor
    return Packed(
        whole(prefix),
        whole(tokens),
        whole(positions),
        mask,
        whole(first_at),
        whole(first),
        whole(second_at),
        whole(last),
        whole(reason),
    )
