"""One line that says how far a long piece of work is: rewritten on a terminal, repeated every half
minute in a log."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import TextIO


@dataclass(slots=True)
class TrainingProgress:
    """`done` of `total` units, `tokens` beside them for the rate. `limit`: seconds after which the
    work stops anyway."""

    label: str
    total: int
    unit: str
    limit: float | None = None
    out: TextIO = field(default_factory=lambda: sys.stderr)
    began: float = field(default_factory=time.monotonic)
    _shown: float = 0.0
    _first: int | None = None
    _tokens: int = 0

    def update(self, done: int, tokens: int, note: str = "", *, force: bool = False) -> None:
        """Show progress.

        `tokens` are new ones. Rate and time left count from the first call's `done`, so that
        resumed work is not flattered.
        """
        now = time.monotonic()
        self._first = done if self._first is None else self._first
        self._tokens += tokens
        if not force and now - self._shown < (0.5 if self.out.isatty() else 30.0):
            return
        self._shown = now
        seconds = max(now - self.began, 1e-9)
        left = seconds * (self.total - done) / max(done - self._first, 1)
        left = left if self.limit is None else min(left, self.limit - seconds)
        rate = self._tokens / seconds
        line = (
            f"{self.label} {done}/{self.total} {self.unit} | {rate:.0f} tokens/s | {max(left, 0) / 60:.0f} min left "
            f"{note}"
        )
        print(
            f"\r{line:<110}" if self.out.isatty() else line,
            end="" if self.out.isatty() else "\n",
            file=self.out,
            flush=True,
        )

    def finish(self) -> None:
        if self.out.isatty():
            print(file=self.out)
