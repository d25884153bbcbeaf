"""Passages that the border of their chunk cuts -> whole sentences and lists, often from over a page
border. For the generator only: what is searched, shown and cited stays as it is, and a completed
passage is still one exact slice of its document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache

from rag_api.answering.generator.prompt_passages import PromptPassage
from rag_api.text.sentence_splitter import LineKind, Span, sentences

MOST = 600  # characters added on either side


def completed(passages: Sequence[PromptPassage], texts: Mapping[str, str]) -> tuple[PromptPassage, ...]:
    """`texts`: document id -> its text; a passage whose document is not there stays as it is. What
    another passage holds anyway is not added."""
    return tuple(
        _completed(one, passages, texts[one.document_id]) if one.document_id in texts else one for one in passages
    )


def _completed(one: PromptPassage, passages: Sequence[PromptPassage], text: str) -> PromptPassage:
    others = [
        (other.start, other.start + len(other.text))
        for other in passages
        if other is not one and other.document_id == one.document_id
    ]
    start, end = one.start, one.start + len(one.text)
    first, last = _whole(_spans(text), start, end)
    if first < start and not any(a < start <= b for a, b in others):
        start = first
    if last > end and not any(a <= end < b for a, b in others):
        end = last
    return PromptPassage(one.document_id, start, text[start:end])


def _whole(spans: Sequence[Span], start: int, end: int) -> tuple[int, int]:
    """[start, end) grown to the borders of its sentences, and of the list or table that it begins
    or ends in, as far as MOST allows."""
    starts = [span.start for span in spans]
    first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
    before, after = first, last
    while before > 0 and _listed(spans, before) and start - spans[before - 1].start <= MOST:
        before -= 1  # ends with what leads the list in
    while (
        after + 1 < len(spans)
        and _listed(spans, after)
        and _listed(spans, after + 1)
        and spans[after + 1].end - end <= MOST
    ):
        after += 1
    grown = spans[before].start, spans[after].end
    return (grown[0] if start - grown[0] <= MOST else start), (grown[1] if grown[1] - end <= MOST else end)


def _listed(spans: Sequence[Span], index: int) -> bool:
    return spans[index].kind in (LineKind.ITEM, LineKind.ROW)


@lru_cache(maxsize=128)
def _spans(text: str) -> tuple[Span, ...]:
    return tuple(sentences(text))
