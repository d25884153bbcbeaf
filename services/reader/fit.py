"""Trains the reader on pairs: steps, schedule, checkpoints, learning curve. Stopped and started again, it goes on as if it had not been."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from services.reader.examples import Pair, Texts, batches
from services.reader.model import ReaderModel, split_rows


@dataclass(frozen=True, slots=True)
class FitOptions:
    epochs: int = 4  # more only learn the questions by heart
    pairs: int = 64  # of a step
    learning_rate: float = 1.5e-3
    warm_up: int = 30  # steps
    last: float = 0.02  # share of the learning rate that is left at the end
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


def keep(folder: Path, state: Mapping[str, Any]) -> None:
    """Write what a training needs to go on; a stop in the midst leaves what was there."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(dict(state), folder / "state.tmp")
    (folder / "state.tmp").rename(folder / "state.pt")


def kept(folder: Path) -> dict[str, Any] | None:
    """Return that; None where nothing was kept."""
    file = folder / "state.pt"
    state: dict[str, Any] | None = torch.load(file, weights_only=True) if file.exists() else None
    return state


class Fit:
    """One training; its folder holds state.pt (all that is needed to go on) and curve.jsonl. `pairs_of(epoch)`: what that epoch reads."""

    def __init__(
        self, model: ReaderModel, texts: Texts, pairs_of: Callable[[int], Sequence[Pair]], folder: Path, options: FitOptions
    ) -> None:
        self.model, self.texts, self.pairs_of, self.folder, self.options = model, texts, pairs_of, folder, options
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay)
        self.epoch, self.step, self.seconds = 0, 0, 0.0
        self._per_epoch = max(1, -(-len(pairs_of(0)) // options.pairs))
        self._resume()

    def run(self, measure: Callable[[ReaderModel], dict[str, Any]] | None = None, until: int | None = None) -> ReaderModel:
        """Train to the end, or to this epoch; what an epoch has learned is kept."""
        while self.epoch < min(self.options.epochs, until or self.options.epochs):
            began, losses = time.monotonic(), list[float]()
            torch.manual_seed(self.options.seed * 1009 + self.epoch)  # dropout's: the same after a stop
            for pairs in batches(self.pairs_of(self.epoch), self.texts, self.options.pairs, self.options.seed + self.epoch):
                losses.append(self._learn(pairs))
            self.epoch, self.seconds = self.epoch + 1, self.seconds + time.monotonic() - began
            self.save()
            line: dict[str, Any] = {"loss": round(sum(losses) / len(losses), 4)}
            if measure is not None and (self.epoch % self.options.measure_epochs == 0 or self.epoch == self.options.epochs):
                line |= measure(self.model.eval())
            self._log(line)
        return self.model.eval()

    def _learn(self, pairs: Sequence[Pair]) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = self.options.learning_rate * self._schedule()
        batch = self.texts.batch(pairs)
        loss = loss_of(self.model.train()(batch), pairs, batch.rows, self.options.block_share)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        return float(loss.detach())

    def _schedule(self) -> float:
        """Warm up, then a line down to `last`."""
        left = 1 - self.step / (self.options.epochs * self._per_epoch)
        return min(1.0, (self.step + 1) / self.options.warm_up) * max(self.options.last, left)

    def save(self) -> None:
        counts = {"epoch": self.epoch, "step": self.step, "seconds": self.seconds}
        keep(self.folder, {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), **counts})

    def _resume(self) -> None:
        if (state := kept(self.folder)) is not None:
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.epoch, self.step, self.seconds = state["epoch"], state["step"], state["seconds"]

    def _log(self, what: dict[str, Any]) -> None:
        with (self.folder / "curve.jsonl").open("a") as curve:
            curve.write(json.dumps({"epoch": self.epoch, "step": self.step, "seconds": round(self.seconds, 1)} | what) + "\n")
