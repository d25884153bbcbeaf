"""Verification that the trail is as it was written: every entry hashed anew, every sealed part
compared with its digest, every anchor looked up.

What was altered, put in, taken out or put elsewhere breaks the chain where it happened. What is
missing at the end, or a chain that was made anew from somewhere on, only an anchor shows: a number
and hash that were written down elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag_api.audit.entry import FIRST, chained
from rag_api.db import Database
from rag_api.db.audit import Head, Stored, TrailQuery, erasures, head, stream
from rag_api.errors import InvalidInput

PARTS = ("who", "about", "question")
WHYS = ("missing", "previous", "hash", "erased", *PARTS, "cut_off", "anchor")  # what may be wrong
_ANCHOR = re.compile(r"(\d+)[: ]([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Bad:
    """The first entry that is not as it was written. `why` is a stable word, `what` a sentence."""

    sequence: int
    why: str  # one of WHYS
    what: str


@dataclass(frozen=True, slots=True)
class Verified:
    entries: int
    head: Head | None
    anchors: int  # that were found in their places
    bad: Bad | None = None


def said_of(found: Verified) -> dict[str, Any]:
    """Return what an entry of the trail says of a verification, whoever asked for it."""
    bad = {"bad": found.bad.sequence, "why": found.bad.why} if found.bad else {"bad": 0}
    return {"entries": found.entries, "anchors": found.anchors, **bad}


def anchor_of(text: str) -> Head:
    """Read "NUMBER:HASH", as `bedside audit head` says it. Raises InvalidInput."""
    match = _ANCHOR.fullmatch(text.strip())
    if match is None:
        raise InvalidInput(f"{text!r} is no anchor: NUMBER:HASH, as `bedside audit head` and the log say it.")
    return Head(int(match[1]), bytes.fromhex(match[2]))


def verify(db: Database, anchors: Iterable[Head] = ()) -> Verified:
    """Read all of the trail, some entries at a time, up to its end as it is now."""
    end, wanted = head(db), tuple(anchors)
    last = end.sequence if end else 0
    erased = _erased(erasures(db))
    found: Verified = Verified(0, None, 0)
    bad = None
    for found, bad in _checked(_up_to(stream(db, TrailQuery(after=0)), last), wanted, erased):
        if bad:
            return Verified(found.entries, found.head, found.anchors, bad)
    reached = found.head.sequence if found.head else 0
    if reached < last:  # cannot be by the chain alone: what the last one is was read first
        bad = Bad(reached + 1, "missing", f"entry {reached + 1} is missing")
    beyond = [anchor for anchor in wanted if anchor.sequence > reached]
    if beyond and not bad:
        furthest = max(anchor.sequence for anchor in beyond)
        bad = Bad(
            reached + 1, "cut_off", f"the trail ends at {reached}, and once had {furthest} entries: its end is cut off"
        )
    return Verified(found.entries, found.head, found.anchors, bad)


def _up_to(entries: Iterator[Stored], last: int) -> Iterator[Stored]:
    for one in entries:
        if one.sequence > last:
            return
        yield one


def _checked(
    entries: Iterator[Stored], anchors: Sequence[Head], erased: Mapping[str, Sequence[tuple[int, int, int]]]
) -> Iterator[tuple[Verified, Bad | None]]:
    """What is verified so far, after each entry."""
    expected, previous, held, wanted = 1, FIRST, 0, {anchor.sequence: anchor.hash for anchor in anchors}
    for one in entries:
        bad = _place(one, expected, previous) or _content(one) or _sealed(one, erased)
        if not bad and wanted.get(one.sequence, one.hash) != one.hash:
            bad = Bad(
                one.sequence,
                "anchor",
                f"entry {one.sequence} was another when its hash was written down: the chain was made anew",
            )
        if bad:
            yield Verified(expected - 1, Head(expected - 1, previous), held, bad), bad
            return
        held += one.sequence in wanted
        expected, previous = expected + 1, one.hash
        yield Verified(one.sequence, Head(one.sequence, one.hash), held), None


def _place(one: Stored, expected: int, previous: bytes) -> Bad | None:
    if one.sequence != expected:
        return Bad(expected, "missing", f"entry {expected} is missing; {one.sequence} comes next")
    if one.previous != previous:
        return Bad(
            one.sequence,
            "previous",
            f"entry {one.sequence} does not follow the one before it: one of them was put here or altered",
        )
    return None


def _content(one: Stored) -> Bad | None:
    if chained(one.previous, one.sequence, one.text) != one.hash:
        return Bad(one.sequence, "hash", f"entry {one.sequence} is not what was written: its hash is another")
    return None


def _sealed(one: Stored, erased: Mapping[str, Sequence[tuple[int, int, int]]]) -> Bad | None:
    """The parts that the entry names are there and match, or an entry says that they were erased;
    and no other is."""
    said = json.loads(one.text)
    for part in PARTS:
        digest, given = said.get(part), one.sealed.get(part)
        if given is None:
            if digest is not None and not _is_erased(erased.get(part, ()), one.sequence):
                return Bad(
                    one.sequence,
                    "erased",
                    f"entry {one.sequence} lost its part `{part}`, and no entry says that it was erased",
                )
        elif hashlib.sha256(given[0] + given[1].encode()).hexdigest() != digest:
            return Bad(one.sequence, part, f"entry {one.sequence}: its part `{part}` is not what was written")
    return None


def _erased(entries: Sequence[tuple[int, str]]) -> dict[str, list[tuple[int, int, int]]]:
    """By part, in order: (first, last, number of the entry that says so)."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    for number, text in entries:
        on = json.loads(text).get("on", {})
        found.setdefault(str(on.get("part")), []).extend((first, last, number) for first, last in on.get("entries", ()))
    return {part: sorted(ranges) for part, ranges in found.items()}


def _is_erased(ranges: Sequence[tuple[int, int, int]], sequence: int) -> bool:
    """Ranges of one part never overlap: what is erased once is gone. Only a later entry can say
    so."""
    at = bisect_right(ranges, (sequence, 2**63, 2**63)) - 1
    return at >= 0 and ranges[at][0] <= sequence <= ranges[at][1] < ranges[at][2]
