"""Trains a head on a corpus: steps, schedule, checkpoints, learning curve. Stopped and started
again, it goes on."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from services.generator.models import Target
from services.generator.models.heads.eagle import EagleHead, HeadConfig
from services.generator.train.chains import Batch, Recipe, chain_loss, make_batch
from services.generator.train.corpus import AnswerCorpus, BadCorpus, CorpusEntry, draft_vocabulary
from services.generator.train.progress import TrainingProgress


@dataclass(frozen=True, slots=True)
class FitOptions:
    version: int = 3
    draft_vocabulary: int = 8192  # EAGLE-3; for EAGLE-1 the tokens that the loss is over
    steps: int = 4  # of the training-time test
    epochs: int = 3
    minutes: float = math.inf  # of training, all runs together; the schedule ends when epochs or minutes do
    positions: int = 1024  # chains per optimiser step
    prompt_share: float = 0.05
    learning_rate: float = 1e-3
    warm_up: int = 40  # steps
    intermediate: int | None = None  # 8/3 of the hidden size
    normed: bool = False  # EAGLE-3.1: features normed before they are fused, and what is fed back
    bf16: bool = True
    save_minutes: float = 2.0
    seed: int = 0


def output_rows(target: Target, token_ids: Tensor) -> Tensor:
    """Return the target's output layer at these tokens, fp32 [D, h], whatever kernel holds it: it
    is linear, so unit vectors show it."""
    unit = torch.eye(target.config.hidden_size, device=target.device)
    return torch.cat([target.lm_head(part)[:, token_ids].float() for part in unit.split(64)]).t().clone()


def new_head(
    target: Target, options: FitOptions, token_ids: Tensor, rows: Tensor, rope_theta: float = 10000.0
) -> EagleHead:
    """Make one, random but for EAGLE-3's output layer, which begins as the target's."""
    config = HeadConfig(
        version=options.version,
        vocab_size=target.config.vocab_size,
        draft_vocab_size=len(token_ids) if options.version == 3 else target.config.vocab_size,
        hidden_size=target.config.hidden_size,
        target_hidden_size=target.config.hidden_size,
        intermediate_size=options.intermediate or target.config.hidden_size * 8 // 3,
        heads=target.config.heads,
        kv_heads=target.config.kv_heads,
        head_dim=target.config.head_dim,
        rope_theta=rope_theta,
        fc_bias=False,
        fc_norm=options.normed,
        norm_output=options.normed,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(options.seed)
        head = EagleHead(config, target).to(target.device)
    if options.version == 3:
        head.lm_head.weight.data.copy_(rows)
        head.target_ids.copy_(token_ids)
    return head


class Fit:
    """One training; its folder holds state.pt (all that is needed to go on) and curve.jsonl."""

    def __init__(self, target: Target, corpus: AnswerCorpus, folder: Path, options: FitOptions) -> None:
        if not corpus.training():
            raise BadCorpus(f"{', '.join(map(str, corpus.folders))}: no answers to train on")
        self.target, self.corpus, self.folder, self.options = target, corpus, folder, options
        self.recipe = Recipe.published(options.version, options.steps)
        token_ids, self.covered = draft_vocabulary(corpus, options.draft_vocabulary, target.config.vocab_size)
        self.token_ids = token_ids.to(target.device)
        self.rows = output_rows(target, self.token_ids)
        self.head = new_head(target, options, self.token_ids, self.rows)
        self.optimizer = torch.optim.AdamW(
            self.head.parameters(), lr=options.learning_rate, betas=(0.9, 0.95), weight_decay=0.01
        )
        self.step, self.seconds, self.tokens, self.epoch, self.place = 0, 0.0, 0, 0, 0
        if not self._resume():
            self._scale()

    def run(self) -> EagleHead:
        """Train until epochs or minutes are over; the head as it then is."""
        options, saved, began = self.options, time.monotonic(), time.monotonic()
        limit = options.minutes * 60
        order = len(self.corpus.training())
        progress = TrainingProgress(f"EAGLE-{options.version}", options.epochs * order, "answers", limit - self.seconds)
        before = self.seconds
        while self.epoch < options.epochs and self.seconds < limit:
            for entries in self._batches():
                agreement = self._learn(entries)
                self.place += len(entries)
                self.seconds = before + time.monotonic() - began
                progress.update(self.epoch * order + self.place, sum(entry.length for entry in entries), agreement)
                if time.monotonic() - saved > options.save_minutes * 60:
                    self.save()
                    saved = time.monotonic()
                if self.seconds > limit:
                    break
            else:
                self.epoch, self.place = self.epoch + 1, 0
        self.save()
        progress.finish()
        return self.head.eval()

    def _batches(self) -> Iterator[list[CorpusEntry]]:
        """Return the rest of this epoch's answers, in its own order, as many at a time as give
        `positions` chains."""
        entries = self.corpus.training()
        order = torch.randperm(
            len(entries), generator=torch.Generator().manual_seed(self.options.seed + self.epoch)
        ).tolist()
        batch: list[CorpusEntry] = []
        chains = 0.0
        for number in order[self.place :]:
            entry = entries[number]
            batch.append(entry)
            chains += entry.length - entry.prompt_length + self.options.prompt_share * entry.prompt_length
            if chains >= self.options.positions:
                yield batch
                batch, chains = [], 0.0
        if batch:
            yield batch

    def _learn(self, entries: list[CorpusEntry]) -> str:
        """Take one optimiser step; return how often the head agreed with the target, per step of
        the chains."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.options.learning_rate * self.schedule()
        self.head.train()
        with torch.autocast(self.target.device.type, torch.bfloat16, enabled=self.options.bf16):
            loss = chain_loss(self.head, self._batch(entries), self.rows, self.recipe)
        self.optimizer.zero_grad()
        loss.total.backward()
        torch.nn.utils.clip_grad_norm_(self.head.parameters(), 0.5)
        self.optimizer.step()
        self.step += 1
        self.tokens += sum(entry.length for entry in entries)
        agreed = [round(yes / of, 3) for yes, of in zip(loss.agreed, loss.counted, strict=True)]
        self._log({"loss": round(float(loss.total.detach()), 4), "agreed": agreed})
        return f"loss {float(loss.total.detach()):.2f} agreed {agreed}"

    def _batch(self, entries: list[CorpusEntry]) -> Batch:
        choose = torch.Generator().manual_seed(self.options.seed + self.step)
        answers = [self.corpus.read(entry) for entry in entries]
        return make_batch(answers, self.options.version, self.options.prompt_share, choose, self.target.device)

    def schedule(self) -> float:
        """Warm up, then a cosine down to a twentieth, over whatever ends first: epochs or
        minutes."""
        answers = len(self.corpus.training())
        done = max(
            (self.epoch * answers + self.place) / (self.options.epochs * answers),
            self.seconds / 60 / self.options.minutes,
        )
        return min(1.0, (self.step + 1) / self.options.warm_up) * (
            0.05 + 0.95 * (1 + math.cos(math.pi * min(done, 1.0))) / 2
        )

    @torch.no_grad()
    def evaluate(self, answers: int = 16) -> list[float]:
        """Measure on held-out answers how often the head's likeliest token is the target's, per
        step of the chains."""
        entries = self.corpus.testing()[:answers]
        if not entries:
            return []
        self.head.eval()
        agreed, counted = [0] * self.options.steps, [0] * self.options.steps
        recipe = Recipe(self.options.steps)
        for entry in entries:
            batch = make_batch(
                [self.corpus.read(entry)], self.options.version, 0.0, torch.Generator(), self.target.device
            )
            loss = chain_loss(self.head, batch, self.rows, recipe)
            for number, (yes, of) in enumerate(zip(loss.agreed, loss.counted, strict=True)):
                agreed[number], counted[number] = agreed[number] + yes, counted[number] + of
        return [round(yes / max(of, 1), 4) for yes, of in zip(agreed, counted, strict=True)]

    def summary(self) -> dict[str, Any]:
        """Return what the head was trained on and how it went: every held-out point of the curve
        and about fifty of the others."""
        lines = [json.loads(line) for line in (self.folder / "curve.jsonl").read_text().splitlines()]
        losses = [line for line in lines if "loss" in line]
        thinned = losses[:: max(len(losses) // 50, 1)]
        entries = self.corpus.training()
        return {
            "answers": len(entries),
            "answer_tokens": sum(entry.length - entry.prompt_length for entry in entries),
            "prompt_tokens": sum(entry.prompt_length for entry in entries),
            "held_out_answers": len(self.corpus.testing()),
            "covered_by_draft_vocabulary": round(self.covered, 4),
            "tokens_seen": self.tokens,
            "epochs": round(self.epoch + self.place / len(entries), 2),
            "curve": sorted(thinned + [line for line in lines if "loss" not in line], key=lambda line: line["step"]),
        }

    def save(self) -> None:
        self._log({"held_out_agreed": self.evaluate()})
        self.folder.mkdir(parents=True, exist_ok=True)
        counts = {name: getattr(self, name) for name in ("step", "seconds", "tokens", "epoch", "place")}
        state = {
            "head": self.head.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "counts": counts,
            "token_ids": self.token_ids,
        }
        torch.save(state, self.folder / "state.tmp")
        (self.folder / "state.tmp").rename(self.folder / "state.pt")

    def _resume(self) -> bool:
        path = self.folder / "state.pt"
        if not path.exists():
            return False
        state: dict[str, Any] = torch.load(path, map_location=self.target.device, weights_only=True)
        if not torch.equal(state["token_ids"], self.token_ids):
            if len(state["token_ids"]) != len(self.token_ids):
                raise BadCorpus(
                    f"{path}: trained with a draft vocabulary of {len(state['token_ids'])}, not {len(self.token_ids)}"
                )
            self.token_ids = state["token_ids"]  # answers came in since; the head keeps the tokens it began with
            self.rows = output_rows(self.target, self.token_ids)
            if self.options.version == 3:
                self.head.target_ids.copy_(self.token_ids)
        self.head.load_state_dict(state["head"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name, value in state["counts"].items():
            setattr(self, name, value)
        return True

    @torch.no_grad()
    def _scale(self) -> None:
        """Begin with fused features of the size of the target's last ones, and in EAGLE-3 with a
        final norm like the target's.

        Residual streams of different targets differ a hundredfold, and a text's first token a
        thousandfold from the others: hence the median over positions.
        """
        batch = self._batch(self.corpus.training()[:4])
        size = (
            (batch.features if self.options.version == 1 else torch.ones_like(batch.hidden))
            .pow(2)
            .mean(dim=-1)
            .sqrt()
            .median()
        )
        fused = (
            self.head.fuse(batch.features)
            if self.options.version == 3
            else self.head.fc(torch.cat((self.head.embed(batch.tokens), batch.features), dim=-1))
        )
        self.head.fc.weight.mul_(size / fused.pow(2).mean(dim=-1).sqrt().median())
        if self.options.version == 3:
            self.head.norm.weight.copy_(batch.hidden.pow(2).mean(dim=0).sqrt())

    def _log(self, what: dict[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        line = {"step": self.step, "epoch": self.epoch, "seconds": round(self.seconds, 1), "tokens": self.tokens} | what
        with (self.folder / "curve.jsonl").open("a") as curve:
            curve.write(json.dumps(line) + "\n")
