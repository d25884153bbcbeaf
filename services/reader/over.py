"""The reader taught over today's score: it learns what Bedside's own choice and decision, made without it, get wrong.

A sentence's share of the score and what the reader says of it are weighed together, over all passages that the product finds, against
"none", which begins as today's decision. Beside it the reader is taught by itself, with altered questions and with the public sets, so
that it does not forget how others ask; what is kept is a running mean of the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from services.reader.examples import Pair, Texts
from services.reader.fit import Schedule, Training, choice
from services.reader.model import ReaderModel, split_rows


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """`passages`: the pairs, best first, each with the numbers of its sentences. `scores`, `right`: of the sentences. `odds`: log-odds by
    today's decision that there is an answer. `learns`: "sum"; "alone", as it was not asked of the product; "public"."""

    passages: tuple[tuple[Pair, tuple[int, ...]], ...]
    scores: NDArray[np.float32]
    right: NDArray[np.bool_]
    answerable: bool
    odds: float = 0.0
    learns: str = "sum"


@dataclass(frozen=True, slots=True, kw_only=True)
class OverOptions(Schedule):
    epochs: int = 4
    learning_rate: float = 4e-4
    warm_up: int = 40
    last: float = 0.03
    questions: int = 12  # of a step; a public one, which has a single passage, counts PUBLIC_SHARE of one
    passages: int = 5  # of a question that an epoch reads: what answers, and what scores best, by chance
    public: int = 3000  # questions of the public sets that an epoch reads
    altered: tuple[float, float] = (0.25, 0.5)  # share of altered questions that an epoch reads: the answerable, the others
    faster: float = 4.0  # how much faster the four numbers of the sum learn
    weight_decay: float = 0.01
    dropout: float = 0.25
    alone: float = 0.5  # weight of the reader by itself in the loss
    mean: float = 0.997  # share of the running mean of the weights that a step keeps
    seed: int = 0


PUBLIC_SHARE = 0.3


class Over(nn.Module):
    """The sum: log-odds of each sentence against "none"."""

    def __init__(self, reader: ReaderModel) -> None:
        super().__init__()
        self.reader = reader
        self.score, self.share = nn.Parameter(torch.tensor(0.76)), nn.Parameter(torch.tensor(0.47))
        self.none = nn.Parameter(torch.tensor([1.5, 1.0]))

    def forward(self, read: Tensor, scores: Tensor, odds: float) -> Tensor:
        scaled = self.score * scores
        return scaled - scaled.logsumexp(0) + self.share * read + self.none[0] + self.none[1] * odds


def loss_of(model: Over, texts: Texts, examples: Sequence[Example], options: OverOptions, chance: np.random.Generator) -> Tensor | None:
    """None where nothing can be learned: what answers was found for none of them."""
    chosen = [some(example, options.passages, chance) for example in examples]
    batch = texts.batch([pair for own in chosen for pair, _ in own])
    read, losses, at = split_rows(model.reader(batch)[:, :, 0], batch.rows), list[Tensor](), 0
    for example, own in zip(examples, chosen, strict=True):
        numbers = [number for _, sentences in own for number in sentences]
        spans, right = torch.cat(list(read[at : at + len(own)])), torch.from_numpy(example.right[numbers])
        at += len(own)
        if example.answerable and not right.any():
            continue
        weight = 0.5 if example.learns == "public" else options.alone
        losses.append(weight * choice(spans, spans[right]))
        if example.learns == "sum":
            odds = model(spans, torch.from_numpy(example.scores[numbers]), example.odds)
            losses.append(choice(odds, odds[right]))
            if example.answerable:
                losses.append(0.5 * (odds.logsumexp(0) - odds[right].logsumexp(0)))
    return torch.stack(losses).sum() / len(examples) if losses else None


def some(example: Example, most: int, chance: np.random.Generator) -> list[tuple[Pair, tuple[int, ...]]]:
    """Return up to `most` passages: what answers first, then by their best score and chance."""
    if len(example.passages) <= most:
        return list(example.passages)
    last = [
        -1e6 * float(example.right[list(own)].any()) - float(example.scores[list(own)].max()) + 2 * chance.gumbel()
        for _, own in example.passages
    ]
    return [example.passages[place] for place in sorted(np.argsort(last)[:most].tolist())]


def epoch_of(examples: Sequence[Example], epoch: int, options: OverOptions) -> list[Example]:
    """Return what an epoch reads: all that were asked, some altered ones, some public ones."""
    chance = np.random.default_rng((options.seed, epoch))
    same, other = options.altered
    found = [e for e in examples if e.learns == "sum" or (e.learns == "alone" and chance.random() < (same if e.answerable else other))]
    public = [e for e in examples if e.learns == "public"]
    return [*found, *(public[n] for n in chance.permutation(len(public))[: options.public])]


def batches_of(examples: Sequence[Example], epoch: int, options: OverOptions) -> Iterator[list[Example]]:
    """Yield about `questions` at a time, of like lengths, in an order by chance."""
    chance = np.random.default_rng((options.seed, epoch, 9))
    order, pool, found = chance.permutation(len(examples)).tolist(), 25 * options.questions, list[list[Example]]()
    for start in range(0, len(order), pool):
        own, count = sorted((examples[n] for n in order[start : start + pool]), key=lambda e: (e.learns == "public", len(e.scores))), 0.0
        found.append([])
        for example in own:
            if count >= options.questions:
                found.append([])
                count = 0.0
            found[-1].append(example)
            count += PUBLIC_SHARE if example.learns == "public" else 1.0
    for place in chance.permutation(len(found)).tolist():
        yield found[place]


class OverFit(Training[Over]):
    def __init__(self, reader: ReaderModel, texts: Texts, examples: Sequence[Example], folder: Path, options: OverOptions) -> None:
        reader.dropout = options.dropout
        model = Over(reader)
        numbers = [model.score, model.share, model.none]
        groups = [
            {"params": list(reader.parameters()), "weight_decay": options.weight_decay, "speed": 1.0},
            {"params": numbers, "weight_decay": 0.0, "speed": options.faster},
        ]
        optimizer = torch.optim.AdamW(groups, lr=options.learning_rate, betas=(0.9, 0.98))
        steps = options.epochs * max(1, len(list(batches_of(epoch_of(examples, 0, options), 0, options))))
        super().__init__(model, optimizer, folder, options, steps)
        self.texts, self.examples, self.options = texts, examples, options
        begin = {name: value.clone() for name, value in model.state_dict().items()}
        self.mean: dict[str, Tensor] = self.resume().get("mean", begin)

    def run(self, until: int | None = None) -> ReaderModel:
        """Train to the end, or to this epoch; return the mean of the weights."""
        while self.goes_on(until):
            torch.manual_seed(self.options.seed * 100 + self.epoch)
            chance, losses = np.random.default_rng((self.options.seed, self.epoch, 7)), list[float]()
            self.model.train()
            for examples in batches_of(epoch_of(self.examples, self.epoch, self.options), self.epoch, self.options):
                loss = loss_of(self.model, self.texts, examples, self.options, chance)
                if loss is not None:
                    losses.append(self._learn(loss))
            self.epoch += 1
            self.save(mean=self.mean)
            self.log({"loss": round(sum(losses) / max(1, len(losses)), 4)})
        self.model.load_state_dict(self.mean)
        return self.model.reader.eval()

    def _learn(self, loss: Tensor) -> float:
        found = self.descend(loss)
        kept = min(self.options.mean, (1 + self.step) / (10 + self.step))
        for name, value in self.model.state_dict().items():
            self.mean[name].mul_(kept).add_(value, alpha=1 - kept)
        return found
