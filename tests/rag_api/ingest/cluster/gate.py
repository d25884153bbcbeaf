"""Messages between a test and the actors of a run, as files of the folder that they share: how much
may be written, who is where."""

from __future__ import annotations

import time
import uuid
from pathlib import Path

EVERY = 0.05  # seconds between two looks
LONGEST = 300.0  # seconds: whoever is forgotten at a gate is the run's end, not the machine's


class Gate:
    """Lets as many tables through as there are passes, or all of them once it is open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "gate"
        self._folder.mkdir(exist_ok=True)

    def let(self) -> None:
        """One more, when nobody who was let has still to go."""
        if not [*self._folder.glob("pass-*")]:
            (self._folder / f"pass-{uuid.uuid4().hex}").touch()

    def open(self) -> None:
        (self._folder / "open").touch()

    def wait(self) -> None:
        deadline = time.monotonic() + LONGEST
        while not (self._folder / "open").exists() and not self._taken():
            if time.monotonic() > deadline:
                raise TimeoutError("nobody opened the gate")
            time.sleep(EVERY)

    def _taken(self) -> bool:
        for one in self._folder.glob("pass-*"):
            try:
                one.unlink()
            except FileNotFoundError:  # another was faster
                continue
            return True
        return False

    def note(self, node: str, kind: str) -> None:
        (self._folder / f"node-{node}-{kind}").touch()

    def on(self, node: str) -> list[str]:
        """The kinds of actors that were on a node."""
        return sorted(path.name.rpartition("-")[2] for path in self._folder.glob(f"node-{node}-*"))
