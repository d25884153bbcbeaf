"""Readers who ask while a fault comes and goes, as the page does: what they see, how long they wait
for it, and what is stored of it."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from uuid import uuid4

import httpx

from rag_api.evaluate.judged import HANDBOOK as JUDGED
from rag_api.evaluate.judged import read_judged
from tests.faults.installation import HANDBOOK, Bedside, until
from tests.faults.services import Service

BEFORE = 2.0  # seconds of asking before the fault
READERS = ("sources", "sources", "verbatim")  # the mode of each
PATIENCE = 60.0  # seconds that a reader waits, and that an answer may wait for the database
QUESTIONS = tuple(judged.question for judged in read_judged(JUDGED, "all") if judged.document in HANDBOOK)
# what the page calls a way that is not there, and one that breaks (web/src/api/ask.ts)
OFFLINE, BROKEN = "offline", "stream_broken"
PAUSES = (0.5, 2.0)  # seconds until it asks again, under the same key, where no word has come
RECOVERS = 1.0  # seconds until it looks whether an answer that broke off was stored
NUMBERS = itertools.count()  # each question is one that nobody asked before: nothing of it is remembered anywhere


@dataclass(slots=True)
class Seen:
    """One question as its reader saw it. `clear`: seconds until the first clear state, `silence`:
    the longest between two signs of life."""

    mode: str
    began: float
    answer_id: str = ""
    conversation_id: str = ""
    words: bool = False  # of the answer have come
    again: int = 0  # times that the page asked again by itself
    outcome: str = ""
    notices: frozenset[str] = frozenset()
    clear: float = 0.0
    silence: float = 0.0
    ended: float = 0.0

    @property
    def shown(self) -> bool:
        """The reader has an answer, or sources, to the end."""
        return self.outcome in ("answered", "not_found", "sources_only")

    @property
    def failed(self) -> bool:
        """What is away could not be hidden: an error, or sources without the answer that was
        wanted."""
        return not self.shown or bool(self.notices & {"generator_down", "broken_off"})


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of all of them."""

    asked: int
    shown: int
    outcomes: dict[str, int]
    unclear: dict[str, int]  # ends of which Bedside did not say why
    slowest_failure: float  # seconds that a reader who got less was left without a word
    slowest_sources: float  # seconds until sources were shown, while the fault was there
    again: int  # times that the page asked again by itself
    stored_later: int
    said_unstored: int
    lost: int  # shown, not said to be unstored, and not there
    doubled: int
    well_after: float  # seconds from the fault's end to the next whole answer


@dataclass
class Readers:
    bedside: Bedside
    modes: tuple[str, ...] = READERS
    seen: list[Seen] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def ask_on(self, mode: str) -> None:
        with self.bedside.client(PATIENCE) as client:
            while not self.over.is_set():
                at = next(NUMBERS)
                seen = ask(client, self.bedside.url, f"{QUESTIONS[at % len(QUESTIONS)]} ({at})", mode)
                self.seen.append(seen)
                self.over.wait(0.5 if not seen.shown else 0.1)

    def __enter__(self) -> Readers:
        self.threads = [threading.Thread(target=self.ask_on, args=(mode,), daemon=True) for mode in self.modes]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join(PATIENCE + 5)


def ask(client: httpx.Client, url: str, question: str, mode: str) -> Seen:
    """As the page asks. Never raises: what a reader sees of an error is what is measured."""
    seen, key = Seen(mode, time.monotonic()), str(uuid4())
    for pause in (*PAUSES, None):
        _once(client, url, question, seen, key)
        if seen.outcome != BROKEN or seen.words or pause is None:
            break
        seen.clear = seen.clear or time.monotonic() - seen.began  # the page says that it asks again
        seen.again += 1
        time.sleep(pause)
    if seen.outcome == BROKEN and seen.conversation_id:
        _recover(client, url, seen)
    seen.ended = time.monotonic()
    seen.clear = seen.clear or seen.ended - seen.began
    return seen


def _once(client: httpx.Client, url: str, question: str, seen: Seen, key: str) -> None:
    """`silence` is the longest in all tries."""
    heard, there, seen.outcome = time.monotonic(), False, ""
    body = {"question": question, "mode": seen.mode, "personal_data": "keep"}
    headers = {"Accept": "text/event-stream", "Idempotency-Key": key}
    try:
        with client.stream("POST", f"{url}/ask", json=body, headers=headers) as response:
            there = True
            if response.status_code != 200:
                problem = json.loads(response.read())
                seen.outcome = f"{response.status_code} {problem['code']}"
            for name, data in _events(response) if response.status_code == 200 else ():
                now = time.monotonic()
                heard, seen.silence = now, max(seen.silence, now - heard)
                _take(seen, name, data, now)
    except (httpx.HTTPError, ValueError, KeyError):
        seen.outcome = seen.outcome or (BROKEN if there else OFFLINE)
    seen.silence = max(seen.silence, time.monotonic() - heard)
    seen.outcome = seen.outcome or BROKEN


def _recover(client: httpx.Client, url: str, seen: Seen) -> None:
    time.sleep(RECOVERS)
    try:
        answers = client.get(f"{url}/conversations/{seen.conversation_id}").raise_for_status().json()["answers"]
    except (httpx.HTTPError, ValueError, KeyError):
        return
    for answer in answers:
        if answer["id"] == seen.answer_id:
            seen.outcome, seen.notices = (
                str(answer["status"]),
                frozenset(str(notice["code"]) for notice in answer["notices"]),
            )


def _take(seen: Seen, name: str, data: dict[str, object], now: float) -> None:
    if name == "found":
        seen.clear = seen.clear or now - seen.began
        seen.answer_id, seen.conversation_id = str(data["answer_id"]), str(data["conversation_id"])
    seen.words = seen.words or name == "token"
    if name in ("done", "failed"):
        answer = data.get("answer")
        found = answer if isinstance(answer, dict) else {}
        seen.answer_id = str(found.get("id", ""))
        seen.notices = frozenset(str(notice["code"]) for notice in found.get("notices", ()))
        seen.outcome = str(found["status"]) if name == "done" else f"failed {data['code']}"


def _events(response: httpx.Response) -> Iterator[tuple[str, dict[str, object]]]:
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def answer_through(
    bedside: Bedside, service: Service, fault: Callable[[Service], AbstractContextManager[None]], felt: float = 0.0
) -> Answered:
    """`felt`: for so many seconds at most the fault goes on until a reader has felt it, however
    slow the machine is."""
    before = bedside.query("select count(*) from answers")
    with Readers(bedside) as asking:
        time.sleep(BEFORE)
        with fault(service):
            begun = time.monotonic()
            until(lambda: any(one.failed and one.ended > begun for one in asking.seen), felt)
        ended = time.monotonic()
        until(
            lambda: all(
                any(s.shown and not s.failed and s.mode == m and s.began > ended for s in asking.seen)
                for m in set(READERS)
            ),
            PATIENCE,
        )
    return _sum(bedside, asking.seen, int(str(before[0][0])), begun, ended)


def _sum(bedside: Bedside, seen: list[Seen], before: int, begun: float, ended: float) -> Answered:
    shown = {one.answer_id for one in seen if one.shown and "not_stored" not in one.notices}
    until(lambda: shown <= _stored(bedside), PATIENCE)
    stored = _stored(bedside)
    during = [one for one in seen if one.ended > begun and one.began < ended]
    well = [one.ended - ended for one in seen if one.began > ended and one.shown and not one.failed]
    return Answered(
        asked=len(seen),
        shown=sum(one.shown for one in seen),
        outcomes=dict(Counter(one.outcome for one in seen)),
        unclear=dict(Counter(one.outcome for one in seen if not _is_clear(one))),
        slowest_failure=round(max((one.silence for one in during if one.failed), default=0.0), 1),
        slowest_sources=round(max((one.clear for one in during), default=0.0), 1),
        again=sum(one.again for one in seen),
        stored_later=sum("stored_later" in one.notices for one in seen),
        said_unstored=sum("not_stored" in one.notices for one in seen),
        lost=len(shown - stored),
        doubled=max(0, len(stored) - before - len(seen)),
        well_after=round(min(well, default=PATIENCE), 1),
    )


def _stored(bedside: Bedside) -> set[str]:
    return {str(answer_id) for (answer_id,) in bedside.query("select id from answers")}


def _is_clear(seen: Seen) -> bool:
    """An answer, an error with a code that names what is away, a time to come back; or nobody
    there, which the page says at once."""
    return seen.shown or (seen.outcome != BROKEN and "internal" not in seen.outcome)
