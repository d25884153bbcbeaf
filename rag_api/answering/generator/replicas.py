"""Choice of the generator that is asked, of several: by the passages, so that what one keeps of a
prompt is found again; else the least busy.

Every process chooses alike, without knowing of the others: the choice follows from the addresses
and the passages alone. One that does not answer is asked last until it answers again. Knows no
HTTP.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

MARGIN = 2  # answers that the chosen one may be writing more than the least busy, before that one is asked
AGAIN = 1.0  # seconds between two looks at one that is out


@dataclass(slots=True)
class Replica:
    """One generator, as this process knows it."""

    url: str
    writing: int = 0  # answers, of this process
    is_out: bool = False
    next_look: float = 0.0

    @property
    def name(self) -> str:
        """For people and metrics: without what a URL may hold of secrets."""
        address = urlsplit(self.url)
        return f"{address.hostname or self.url}:{address.port}" if address.port else str(address.hostname or self.url)


OnOutcome = Callable[[Replica, str], None]  # given what became of an answer, "out" or "in"


def addresses(given: str) -> tuple[str, ...]:
    """Return the base URLs in a list with commas, each once."""
    return tuple(dict.fromkeys(one.strip().rstrip("/") for one in given.split(",") if one.strip()))


class GeneratorReplicas:
    """Those at `urls`, a list with commas that is asked for anew each time: an own generator has
    another port after a restart."""

    def __init__(self, urls: Callable[[], str], clock: Callable[[], float] = time.monotonic) -> None:
        self._urls, self._clock = urls, clock
        self._known: dict[str, Replica] = {}
        self.tell: OnOutcome = lambda replica, outcome: None

    def all(self) -> list[Replica]:
        """Return them as configured. Raises what asking for the addresses raises."""
        wanted = addresses(self._urls())
        self._known = {url: self._known.get(url) or Replica(url) for url in wanted}
        return list(self._known.values())

    def in_order(self, key: str) -> list[Replica]:
        """Return all, the one to ask first: the one that this key belongs to, or the least busy
        where that one has much to do; those that are out come last."""
        chosen = sorted(self.all(), key=lambda replica: _weight(key, replica.url), reverse=True)
        usable = [replica for replica in chosen if not replica.is_out]
        if usable and usable[0].writing >= min(replica.writing for replica in usable) + MARGIN:
            usable.sort(key=lambda replica: replica.writing)
        return usable + [replica for replica in chosen if replica.is_out]

    @contextmanager
    def writes(self, replica: Replica) -> Iterator[None]:
        replica.writing += 1
        try:
            yield
        finally:
            replica.writing -= 1

    def take_out(self, replica: Replica) -> None:
        was_out, replica.is_out = replica.is_out, True
        replica.next_look = self._clock() + AGAIN
        if not was_out:
            self.tell(replica, "out")

    def take_in(self, replica: Replica) -> None:
        was_out, replica.is_out = replica.is_out, False
        if was_out:
            self.tell(replica, "in")

    def to_look_at(self) -> Sequence[Replica]:
        """Return those that are out and were not looked at for a while; they count as looked at
        now."""
        now = self._clock()
        due = [replica for replica in self._known.values() if replica.is_out and now >= replica.next_look]
        for replica in due:
            replica.next_look = now + AGAIN
        return due


def _weight(key: str, url: str) -> bytes:
    """Rendezvous hashing: without one replica only its own keys go elsewhere, and with it back they
    return."""
    return hashlib.blake2b(f"{url}\0{key}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
