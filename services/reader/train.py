"""Training of the adapter: resumable at every checkpoint, a learning curve written as it goes.

One step is a passage, mostly with neighbours (longer_passages.py), with its questions and some of
other passages. The rate stays constant and falls to zero over the last `cool` steps, so that a
training can be ended when its time is up (`cool` of a resumed run begins where it is).
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from services.reader.adapter import ReadingModel, save
from services.reader.longer_passages import LongerPassages
from services.reader.measure import Examination
from services.reader.packing import Packed, pack
from services.reader.questions import AskedPassage, Foreign
from services.reader.retrieved_questions import retrieved_questions

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Schedule:
    """steps: in all, those before a resumption included. cool: of these, the last ones, over which
    the rate falls to zero."""

    steps: int
    cool: int = 60
    rate: float = 2e-4
    warm: int = 20
    foreign: int = 4  # questions of other passages beside each passage's own
    retrieved: int = 0  # at most so many more for which a search finds the passage
    examine_every: int = 100
    keep_every: int = 10
    seed: int = 1

    def rate_at(self, step: int) -> float:
        return self.rate * min(1.0, (step + 1) / self.warm, max(0.02, (self.steps - step) / max(1, self.cool)))


class Training:
    """A reader that learns. work: the folder of its checkpoint and its curve."""

    def __init__(self, reading: ReadingModel, passages: Sequence[AskedPassage], schedule: Schedule, work: Path) -> None:
        self.reading, self.passages, self.schedule, self.work = reading, passages, schedule, work
        self.foreign = Foreign(passages, retrieved_questions(passages) if schedule.retrieved else None)
        self.longer = LongerPassages(passages)
        self.optimizer = torch.optim.AdamW(reading.trained(), lr=schedule.rate, weight_decay=0.01, betas=(0.9, 0.99))
        self.step = self.asked = 0
        self.seconds = 0.0
        work.mkdir(parents=True, exist_ok=True)

    def resume(self) -> bool:
        """Go on where the last checkpoint was left, if there is one."""
        state = self.work / "state.pt"
        if not state.exists():
            return False
        told = torch.load(state, map_location=self.reading.device, weights_only=True)
        for one, kept in zip(self.reading.trained(), told["weights"], strict=True):
            one.data.copy_(kept)
        self.optimizer.load_state_dict(told["optimizer"])
        self.step, self.asked, self.seconds = told["step"], told["asked"], told["seconds"]
        return True

    def keep(self) -> None:
        told: dict[str, Any] = {
            "weights": [one.detach() for one in self.reading.trained()],
            "optimizer": self.optimizer.state_dict(),
        }
        told |= {"step": self.step, "asked": self.asked, "seconds": self.seconds}
        fresh = self.work / "state.pt.new"
        torch.save(told, fresh)
        fresh.rename(self.work / "state.pt")

    def run(self, examination: Examination | None, on_progress: Callable[[dict[str, Any]], None]) -> None:
        """Learn up to the schedule's last step. on_progress: a line of the curve, which is also in
        curve.jsonl."""
        losses: list[float] = []
        while self.step < self.schedule.steps:
            begun = time.monotonic()
            losses.append(self._one_step())
            self.seconds += time.monotonic() - begun
            self.step += 1
            last = self.step == self.schedule.steps
            if self.step % self.schedule.keep_every == 0 or last:
                self.keep()
            examined = examination is not None and (last or self.step % self.schedule.examine_every == 0)
            if self.step % self.schedule.keep_every == 0 or examined:
                told: dict[str, Any] = {"step": self.step, "asked": self.asked, "seconds": round(self.seconds)}
                told["loss"] = round(sum(losses) / len(losses), 4)
                losses = []
                if examined and examination is not None:
                    told |= examination.of(self.reading).figures()
                with (self.work / "curve.jsonl").open("a") as curve:
                    curve.write(json.dumps(told) + "\n")
                on_progress(told)

    def _one_step(self) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = self.schedule.rate_at(self.step)
        packed = self._pack()
        loss = self.reading.loss(packed)
        loss.backward()
        self.asked += len(packed.first)
        torch.nn.utils.clip_grad_norm_(self.reading.trained(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return float(loss.detach())

    def _pack(self) -> Packed:
        """This step's passage: each pass over the set in an order of its own, the same whenever it
        is resumed. One that is too long with its neighbours is taken without; one that is too long
        alone is left for the next."""
        turn, place = divmod(self.step, len(self.passages))
        order = list(range(len(self.passages)))
        random.Random(self.schedule.seed * 1_000 + turn).shuffle(order)  # noqa: S311
        draw = random.Random(f"{self.schedule.seed} {self.step}")  # noqa: S311
        for own in (self.passages[n] for n in (*order[place:], *order[:place])):
            for passage, inside in (self.longer.of(own, draw), (own, frozenset[str]())):
                asked = [*passage.asked, *self.foreign.of(passage, self.schedule.foreign, draw, inside)]
                asked += self.foreign.retrieved(passage, self.schedule.retrieved, draw, inside)
                draw.shuffle(asked)
                try:
                    return pack(passage, asked, self.reading.vocabulary)
                except ValueError as error:
                    log.warning("left out: %s", error)
        raise ValueError("every passage of the data is too long")

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        save(self.reading, folder, {**card, "steps": self.step, "asked": self.asked, "schedule": asdict(self.schedule)})
