"""Trains the reader on pairs, and holds what its trainings share: schedule, step, checkpoints, learning curve. One that was stopped and is
started again goes on as if it had not been."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import Optimizer

from services.reader.examples import Pair, Texts, batches
from services.reader.model import ReaderModel, split_rows

Model = TypeVar("Model", bound=nn.Module)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    epochs: int
    learning_rate: float
    warm_up: int  # steps
    last: float  # share of the learning rate that is left at the end

    def rate(self, step: int, steps: int) -> float:
        """Warm up, then a line down to `last`."""
        return self.learning_rate * (min(1.0, (step + 1) / self.warm_up) * max(self.last, 1 - step / steps))


class Training(Generic[Model]):
    """Its folder holds state.pt (all that is needed to go on) and curve.jsonl. `steps`: of all epochs together. A group of the optimizer's
    parameters may have a `speed`: how much faster than the schedule it learns."""

    def __init__(self, model: Model, optimizer: Optimizer, folder: Path, schedule: Schedule, steps: int) -> None:
        self.model, self.optimizer, self.folder, self.schedule, self.steps = model, optimizer, folder, schedule, steps
        self.epoch, self.step = 0, 0

    def goes_on(self, until: int | None) -> bool:
        return self.epoch < min(self.schedule.epochs, until or self.schedule.epochs)

    def descend(self, loss: Tensor) -> float:
        rate = self.schedule.rate(self.step, self.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group.get("speed", 1.0)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        return float(loss.detach())

    def save(self, **more: Any) -> None:
        """A stop in the midst leaves what was there."""
        state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": self.epoch, "step": self.step}
        self.folder.mkdir(parents=True, exist_ok=True)
        torch.save(state | more, self.folder / "state.tmp")
        (self.folder / "state.tmp").rename(self.folder / "state.pt")

    def resume(self) -> Mapping[str, Any]:
        """Take up what was kept, and return it; nothing where nothing was."""
        if not (file := self.folder / "state.pt").exists():
            return {}
        state: dict[str, Any] = torch.load(file, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epoch, self.step = state["epoch"], state["step"]
        return state

    def log(self, what: Mapping[str, Any]) -> None:
        with (self.folder / "curve.jsonl").open("a") as curve:
            curve.write(json.dumps({"epoch": self.epoch, "step": self.step} | dict(what)) + "\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class FitOptions(Schedule):
    epochs: int = 4  # more only learn the questions by heart
    learning_rate: float = 1.5e-3
    warm_up: int = 30
    last: float = 0.02
    pairs: int = 64  # of a step
    weight_decay: float = 0.01
    block_share: float = 0.3  # of the loss
    measure_epochs: int = 2
    seed: int = 0


def loss_of(found: Tensor, pairs: Sequence[Pair], rows: Sequence[int], block_share: float) -> Tensor:
    """Return the mean over pairs of -log p(one of the spans that answer), or of -log p(none), whose log-odds are 0; the same over all
    passages of a question together, so that they compare; and of the block's."""
    losses, groups = list[Tensor](), dict[int, list[tuple[Tensor, Pair]]]()
    for own, pair in zip(split_rows(found, rows), pairs, strict=True):
        spans, block = own.unbind(1)
        losses.append(choice(spans, spans[list(pair.answers)]))
        groups.setdefault(pair.question, []).append((spans, pair))
        if pair.block is not None:
            wanted = torch.zeros(len(spans))
            wanted[list(pair.block)] = 1
            losses.append(block_share * F.binary_cross_entropy_with_logits(block, wanted))
    for group in groups.values():
        if len(group) > 1:
            answers = torch.cat([spans[list(pair.answers)] for spans, pair in group])
            losses.append(choice(torch.cat([spans for spans, _ in group]), answers))
    return torch.stack(losses).sum() / len(pairs)


def choice(spans: Tensor, answers: Tensor) -> Tensor:
    """Return -log p(one of the answers), of all spans and "none", whose log-odds are 0; of none where there are no answers."""
    every = torch.logsumexp(F.pad(spans, (0, 1)), 0)
    return every - torch.logsumexp(answers, 0) if len(answers) else every


class Fit(Training[ReaderModel]):
    """`pairs_of(epoch)`: what that epoch reads."""

    def __init__(
        self, model: ReaderModel, texts: Texts, pairs_of: Callable[[int], Sequence[Pair]], folder: Path, options: FitOptions
    ) -> None:
        optimizer = torch.optim.AdamW(model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay)
        super().__init__(model, optimizer, folder, options, options.epochs * max(1, -(-len(pairs_of(0)) // options.pairs)))
        self.texts, self.pairs_of, self.options = texts, pairs_of, options
        self.seconds: float = self.resume().get("seconds", 0.0)

    def run(self, measure: Callable[[ReaderModel], dict[str, Any]] | None = None, until: int | None = None) -> ReaderModel:
        """Train to the end, or to this epoch; what an epoch has learned is kept."""
        while self.goes_on(until):
            began, losses = time.monotonic(), list[float]()
            torch.manual_seed(self.options.seed * 1009 + self.epoch)  # dropout's: the same after a stop
            for pairs in batches(self.pairs_of(self.epoch), self.texts, self.options.pairs, self.options.seed + self.epoch):
                losses.append(self._learn(pairs))
            self.epoch, self.seconds = self.epoch + 1, self.seconds + time.monotonic() - began
            self.save(seconds=self.seconds)
            line: dict[str, Any] = {"seconds": round(self.seconds, 1), "loss": round(sum(losses) / len(losses), 4)}
            if measure is not None and (self.epoch % self.options.measure_epochs == 0 or self.epoch == self.options.epochs):
                line |= measure(self.model.eval())
            self.log(line)
        return self.model.eval()

    def _learn(self, pairs: Sequence[Pair]) -> float:
        batch = self.texts.batch(pairs)
        return self.descend(loss_of(self.model.train()(batch), pairs, batch.rows, self.options.block_share))
