"""A scan's text compared with the page's own: letters, digits, places, and what may be quoted of
it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Page, ReadDocument
from rag_api.text.blocks import blocks_of, names_of
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain
from rag_api.text.sentence_splitter import sentences

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_MOSTLY = 0.85
_GRAVE = re.compile(
    r"\b(?:niet|nooit|geen|zonder|tenzij|behalve|not|never|no|without|unless|except)\b|[<>≤≥±]", re.IGNORECASE
)


@dataclass(slots=True)
class OcrCounts:
    pages: int = 0
    letters: int = 0
    letter_errors: int = 0
    digits: int = 0
    digit_errors: int = 0
    words: int = 0
    overlap: float = 0.0
    well_placed: int = 0  # words whose box overlaps by half
    quotes: int = 0
    withheld: int = 0
    quoted_digits: int = 0
    wrong_digits: int = 0  # quotes with a number that the page does not have there
    wrong_negations: int = 0
    wrong: list[str] = field(default_factory=list)  # those quotes

    def add(self, other: OcrCounts) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def compare_pages(truth: Page, found: Page, moved: NDArray[np.float64], cut: Sequence[str] = ()) -> OcrCounts:
    """moved: [2, 3] from the truth's page space to the scan's; cut: headers and footers of the
    page, which may stand in the scan's text and are not compared."""
    one, two = _plain(truth.text), _plain(_without(found.text, cut))
    errors, digits = _errors(one, two)
    counts = OcrCounts(1, len(one), errors, sum(c.isdigit() for c in one), digits)
    for box, other in _same_words(truth, found):
        corners = (
            np.array([[box[x], box[y]] for x in (0, 2) for y in (1, 3)], np.float64) @ moved[:, :2].T + moved[:, 2]
        )
        overlap = _overlap(np.concatenate([corners.min(axis=0), corners.max(axis=0)]), other)
        counts.words += 1
        counts.overlap += overlap
        counts.well_placed += overlap >= 0.5
    return counts


def compare_quotes(truth: ReadDocument, found: ReadDocument) -> OcrCounts:
    """Of all that could be quoted of the scan: what is withheld, and which of the rest holds
    another number or negation than the page."""
    counts = OcrCounts()
    said = _DocumentSays(truth.text, [line.text for line in truth.cut])
    names = names_of(blocks_of(found.text))
    for quote in quotable(found.text):
        counts.quotes += 1
        if not is_certain(quote, found.uncertain, names=names):
            counts.withheld += 1
            continue
        text = found.text[quote.start : quote.end]
        counts.quoted_digits += sum(c.isdigit() for c in text)
        numbers, negations = said.agrees(text)
        counts.wrong_digits += not numbers
        counts.wrong_negations += not negations
        if not (numbers and negations):
            counts.wrong.append(f"{' '.join(text.split())} | {' '.join(said.nearest(text).split())}")
    return counts


def _without(text: str, cut: Sequence[str]) -> str:
    """Without lines that are most alike those, or pieces of them."""
    heads = [_squashed(line).casefold() for line in cut]
    heads += [_squashed(part).casefold() for line in cut for part in line.split("\t")]
    return "\n".join(
        line for line in text.split("\n") if not any(_alike(_squashed(line).casefold(), head) for head in heads)
    )


def _alike(one: str, two: str) -> bool:
    return bool(one) and SequenceMatcher(None, one, two, autojunk=False).ratio() > _MOSTLY


class _DocumentSays:
    """What the document says, sentence by sentence, row by row, and its headers and footers."""

    def __init__(self, text: str, cut: Sequence[str]) -> None:
        text = "\n\n".join([text, *cut, *(part for line in cut for part in line.split("\t"))])
        spans = [(q.start, q.end) for q in quotable(text)] + [(s.start, s.end) for s in sentences(text)]
        self.parts = [text[a:b] for a, b in dict.fromkeys(spans)]
        self.whole = _squashed(text)

    def agrees(self, quote: str) -> tuple[bool, bool]:
        """(its numbers, its negations) are those of the place that it was read from."""
        if _squashed(quote) in self.whole:
            return True, True
        there = self.nearest(quote)
        return _NUMBER.findall(there) == _NUMBER.findall(quote), _negations(there) == _negations(quote)

    def nearest(self, quote: str) -> str:
        own = _squashed(quote)
        matcher = SequenceMatcher(None, b=own, autojunk=False)
        best, found = 0.0, ""
        for part in self.parts:
            matcher.set_seq1(_squashed(part))
            if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
                best, found = ratio, part
        return found


def _negations(text: str) -> list[str]:
    return [match.casefold() for match in _GRAVE.findall(text)]


def _plain(text: str) -> str:
    return " ".join(text.split())


def _squashed(text: str) -> str:
    return "".join(text.split())


def _errors(truth: str, found: str) -> tuple[int, int]:
    """(letters to change, add or leave out; those of them that are digits on either side): one of
    the shortest ways."""
    n, m = len(truth), len(found)
    two = np.frombuffer(found.encode("utf-32-le"), np.uint32)
    row = np.arange(m + 1, dtype=np.int32)
    rows = [row]
    steps = np.arange(m + 1, dtype=np.int32)
    for i, letter in enumerate(truth, 1):
        here = np.empty(m + 1, np.int32)
        here[0] = i
        np.minimum(row[1:] + 1, row[:-1] + (two != ord(letter)), out=here[1:])
        row = np.minimum.accumulate(here - steps) + steps  # letters too many: from the left
        rows.append(row)
    return int(row[m]), _digits_changed(truth, found, rows, n, m)


def _digits_changed(truth: str, found: str, rows: Sequence[NDArray[np.int32]], i: int, j: int) -> int:
    count = 0
    while i or j:
        if i and j and rows[i][j] == rows[i - 1][j - 1] + (truth[i - 1] != found[j - 1]):
            count += truth[i - 1] != found[j - 1] and (truth[i - 1].isdigit() or found[j - 1].isdigit())
            i, j = i - 1, j - 1
        elif i and rows[i][j] == rows[i - 1][j] + 1:
            count += truth[i - 1].isdigit()
            i -= 1
        else:
            count += found[j - 1].isdigit()
            j -= 1
    return count


def _same_words(truth: Page, found: Page) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """The boxes of words that both have, in their order."""
    one, two = [list(_words(page)) for page in (truth, found)]
    matcher = SequenceMatcher(None, [word for word, _ in one], [word for word, _ in two], autojunk=False)
    for block in matcher.get_matching_blocks():
        for k in range(block.size):
            yield one[block.a + k][1], two[block.b + k][1]


def _words(page: Page) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for match in re.finditer(r"\S+", page.text):
        boxes = page.boxes[match.start() : match.end()]
        if len(boxes) and not np.isnan(boxes).any():
            middles = (boxes[:, :2] + boxes[:, 2:]) / 2
            jumps = np.abs(np.diff(middles, axis=0)).max(axis=1) > 2.5 * (boxes[0, 2:] - boxes[0, :2]).max()
            boxes = boxes[: int(jumps.argmax()) + 1] if jumps.any() else boxes  # a word over two lines: its first part
            yield match.group(), np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])


def _overlap(one: NDArray[np.float64], two: NDArray[np.float32]) -> float:
    """Of two boxes: what both cover over what either covers."""
    low, high = np.maximum(one[:2], two[:2]), np.minimum(one[2:], two[2:])
    both = float(np.prod((high - low).clip(0)))
    either = float(np.prod(one[2:] - one[:2]) + np.prod(two[2:] - two[:2])) - both
    return both / either if either > 0 else 0.0
