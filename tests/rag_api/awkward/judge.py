"""Compares what is stored of a made document with its source text."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.rag_api.awkward.made import Made

_TAKEN = "\0"
_NOTE_MARK = re.compile(r"\[?(?:[0-9¹²³⁴-⁹]{1,2}|[ivx]{1,4})\]?(?!\w)")  # of a note, before it and where it belongs


@dataclass(frozen=True)
class Judged:
    """`faults`: lost, doubled, moved, broken, glued or added. `joined`: neighbours of one flow that
    share a line."""

    faults: tuple[str, ...]
    joined: tuple[str, ...]


@dataclass(frozen=True)
class _Found:
    start: int
    end: int
    item: str


def judge(made: Made, stored: str, cut: Sequence[str]) -> Judged:
    """Hold the stored text and the lines that were cut against the source."""
    text = _plain(stored)
    left_out = _plain("\n".join(cut))
    expected = Counter(item for flow in made.flows for item in flow) + Counter(made.furniture)
    found: list[_Found] = []
    faults: list[str] = []
    for item in sorted({*expected, *made.once}, key=len, reverse=True):
        taken = [_Found(*match.span(), item) for match in _pattern(item).finditer(text)]
        kept = [match.span() for match in _pattern(item).finditer(left_out)]
        text, left_out = _without(text, [(one.start, one.end) for one in taken]), _without(left_out, kept)
        found += taken
        faults += _count(item, expected[item], len(taken), len(kept), item in made.once)
        faults += _broken(item, stored, taken)
    faults += [fault for flow in made.flows for fault in _order(flow, found)]
    faults += [
        f"added: {rest.strip()!r}"
        for rest in re.split(f"[{_TAKEN}\n]+", text)
        if re.search(r"\w", _NOTE_MARK.sub("", rest))
    ]
    glued, joined = _neighbours(made, text, sorted(found, key=lambda one: one.start))
    return Judged((*faults, *glued), joined)


def _plain(text: str) -> str:
    """White space is folded when patterns are matched; soft hyphens are not read."""
    return text.replace("\u00ad", "")


def _pattern(item: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in _plain(item).split())
    return re.compile(rf"(?<!\w){words}(?!\w)")


def _without(text: str, places: Iterable[tuple[int, int]]) -> str:
    for start, end in places:
        text = text[:start] + _TAKEN * (end - start) + text[end:]
    return text


def _count(item: str, expected: int, stored: int, cut: int, once: bool) -> list[str]:
    if stored + cut < max(expected, 1):
        return [f"lost ({stored} stored, {cut} cut, of {expected}): {item!r}"]
    if stored + cut > expected and not once:
        return [f"doubled ({stored} stored, {cut} cut, of {expected}): {item!r}"]
    return []


def _broken(item: str, stored: str, places: Iterable[_Found]) -> list[str]:
    within = (_plain(stored)[one.start : one.end] for one in places)
    return [f"broken: {text!r}" for text in within if "\n" in text or ("\t" in text and "\t" not in item)]


def _order(flow: Iterable[str], found: Iterable[_Found]) -> list[str]:
    places: dict[str, list[int]] = {}
    for one in found:
        places.setdefault(one.item, []).append(one.start)
    told, at = [], -1
    for item in flow:
        later = [place for place in places.get(item, []) if place > at]
        if later:
            at = min(later)
        elif item in places:
            told.append(f"out of order: {item!r}")
    return told


def _neighbours(made: Made, text: str, found: Sequence[_Found]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what shares a line and is of two flows, and what shares a line and is of one."""
    glued: list[str] = []
    joined: list[str] = []
    following = {pair for flow in made.flows for pair in pairwise(flow)}
    around = {*made.furniture, *made.once}
    for one, two in pairwise(found):
        if set(text[one.end : two.start]) & set("\n\t") or {one.item, two.item} <= around:
            continue
        told = joined if (one.item, two.item) in following else glued
        told.append(f"on one line: {one.item!r} + {two.item!r}")
    return tuple(glued), tuple(joined)
