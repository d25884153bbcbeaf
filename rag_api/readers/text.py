"""Question and passage -> tokens for our own reader, and which tokens are of which span.

A passage is read as one text: title, heading, sentences. Which tokens are of which span is known because each word is cut into tokens
by itself, as the encoder's tokenizer does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag_api.retrieval.reader import Passage

MOST_QUESTION, MOST_PASSAGE = 64, 384  # tokens, <s> and </s> among them; what is beyond is not read
BEGIN, END = 0, 2  # ids of <s> and </s>
RARE = 10.0  # nats; what rarity is divided by
_PART = re.compile(r"\t|\S+")

Tokenizer = Callable[[str], list[int]]


class Pieces(Protocol):
    def rarity(self, ids: Sequence[int]) -> NDArray[np.float32]: ...


@dataclass(frozen=True, slots=True)
class Tokenized:
    ids: tuple[int, ...]  # without <s> and </s>
    spans: tuple[tuple[int, int], ...] = ()  # first and next-after-last token of each span, as far as it is read


def question_tokens(question: str, tokens: Tokenizer) -> Tokenized:
    ids: list[int] = []
    _write(f"query: {question}", ids, tokens, MOST_QUESTION - 2)
    return Tokenized(tuple(ids[: MOST_QUESTION - 2]))


def passage_tokens(passage: Passage, tokens: Tokenizer) -> Tokenized:
    ids: list[int] = []
    most = MOST_PASSAGE - 2
    _write(f"passage: {passage.title} .", ids, tokens, most // 4)
    _write(f"{passage.heading} ." if passage.heading.strip() else "", ids, tokens, most // 2)
    starts, at = _write(passage.text, ids, tokens, most)
    places = ((at[bisect_left(starts, start)], at[bisect_left(starts, end)]) for start, end in passage.spans)
    return Tokenized(tuple(ids[:most]), tuple((min(first, most), min(after, most)) for first, after in places))


def _write(text: str, ids: list[int], tokens: Tokenizer, most: int) -> tuple[list[int], list[int]]:
    """Add the tokens of each word, up to `most` or little more; return where each word starts, and at which token."""
    starts, at = [], []
    for found in _PART.finditer(text):
        starts.append(found.start())
        at.append(len(ids))
        if len(ids) < most:
            ids += tokens("|" if found.group() == "\t" else found.group())
    return starts, [*at, len(ids)]


def segments(passage: Tokenized, most: int) -> NDArray[np.int64]:
    """Return the span that each token is of, from <s> to </s>; of title and heading `most`, of nothing `most` + 1; of what stands between
    two spans, a heading or a table's header, `most` + 2 + the second. A span that is not read is its last token's; where spans overlap a
    token is of the last."""
    found = np.full(len(passage.ids) + 2, most + 1, np.int64)
    found[1 : 1 + above(passage)] = most
    for number, (first, after) in enumerate(passage.spans):
        before = passage.spans[number - 1][1] if number else first
        found[before + 1 : first + 1] = most + 2 + number
        found[first + 1 : max(after, first + 1) + 1] = number
    return found


def leads(passage: Tokenized, most: int) -> list[int]:
    """Return for each span the segment of what it stands below in the passage: the last that stands between spans before it, or title and
    heading."""
    found, led = list[int](), most
    for number, (first, _) in enumerate(passage.spans):
        led = most + 2 + number if number and first > passage.spans[number - 1][1] else led
        found.append(led)
    return found


def above(passage: Tokenized) -> int:
    """Return how many tokens stand before the first span: the title's and the heading's."""
    return min((first for first, _ in passage.spans), default=0)


def rarities(question: Tokenized, pieces: Pieces) -> NDArray[np.float32]:
    return np.concatenate([[0], pieces.rarity(question.ids) / RARE, [0]]).astype(np.float32)
