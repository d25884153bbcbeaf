"""Matches of the last tokens with where they stood before, and how likely what followed is said
again. Knows nothing of trees, drafters or text."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from functools import cache
from typing import NamedTuple

# (chance that the first copied token is accepted, factor per further token) by match length 1, 2,
# ... 10: smoothed from 150 summaries by Llama-3.1-8B and -70B in FaithBench (thesis, figure 5.6a:
# longer matches are better). Measured there by length 1, 2, 3 and 10: first token .19 .39 .48 .87;
# rare lengths between are interpolated.
ACCEPTANCE = (
    (0.19, 0.57), (0.38, 0.60), (0.48, 0.65), (0.52, 0.66), (0.56, 0.68),
    (0.62, 0.70), (0.68, 0.72), (0.74, 0.74), (0.80, 0.76), (0.86, 0.80),
)  # fmt: skip


@cache
def chances(length: int, copied: int) -> tuple[float, ...]:
    """Return how likely each of the tokens is accepted that follow a match of this length."""
    rate, decay = ACCEPTANCE[min(length, len(ACCEPTANCE)) - 1]
    return tuple(rate * decay**place for place in range(copied))


class Match(NamedTuple):
    """`length` tokens ending at index `end` equal the last `length` tokens of the context."""

    end: int
    length: int


class MatchIndex:
    """Finds the longest earlier occurrences of the last tokens. Grows with the context; a query
    costs microseconds.

    Occurrences are indexed by their last token and by their last two: candidates of the pair are
    extended backwards, and single tokens are only asked for when pairs give too few.
    """

    def __init__(self, max_match: int = 10, max_scan: int = 2048) -> None:
        self.tokens: list[int] = []
        self._max_match = max_match
        self._max_scan = max_scan
        self._by_token: dict[int, list[int]] = {}
        self._by_pair: dict[tuple[int, int], list[int]] = {}

    def extend(self, tokens: Seq[int]) -> None:
        known, by_token, by_pair = self.tokens, self._by_token, self._by_pair
        for index, token in enumerate(tokens, start=len(known)):
            by_token.setdefault(token, []).append(index)
            if index:
                by_pair.setdefault((known[-1], token), []).append(index)
            known.append(token)

    def longest(self, tail: Seq[int], count: int) -> list[Match]:
        """Return the `count` longest matches of the end of `tail` that something follows; among
        equals the latest first."""
        if not tail:
            return []
        last = len(self.tokens) - 1  # nothing follows a match that ends here
        matches: list[Match] = []
        if len(tail) > 1:
            matches = self._extended(self._by_pair.get((tail[-2], tail[-1]), ()), tail, count, last)
        if len(matches) < count:
            matches += self._single(tail, count - len(matches), last)
        return matches

    def _extended(self, ends: Seq[int], tail: Seq[int], count: int, last: int) -> list[Match]:
        """Return matches of two tokens and more; stop looking when `count` of them cannot be
        bettered."""
        tokens, limit, full = self.tokens, min(self._max_match, len(tail)), 0
        best: list[tuple[int, int]] = []  # (-length, -end): the longest first, among equals the latest
        for end in reversed(ends[-self._max_scan :]):
            if end == last:
                continue
            length = 2
            while length < limit and length <= end and tokens[end - length] == tail[-1 - length]:
                length += 1
            best.append((-length, -end))
            full += length == limit
            if full == count:
                break
        best.sort()
        return [Match(-end, -length) for length, end in best[:count]]

    def _single(self, tail: Seq[int], count: int, last: int) -> list[Match]:
        """Return matches of exactly one token."""
        tokens = self.tokens
        matches: list[Match] = []
        before = tail[-2] if len(tail) > 1 else None
        for end in reversed(self._by_token.get(tail[-1], ())):
            if end == last or (end and tokens[end - 1] == before):
                continue
            matches.append(Match(end, 1))
            if len(matches) == count:
                break
        return matches
