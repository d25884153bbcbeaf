"""The protocol of a reader of question and passages together, which says whether and where they
answer it.

Vectors of question and passage, made apart, do not tell "35 days after a hip replacement" from
"after a knee replacement"; what has both before it can. Readers are opened by configuration
(rag_api/qa_readers) and used wherever passages are weighed; None stands for no reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rag_api.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class ReaderPassage:
    """A part of a document, and what may be quoted of it: text[start:end] for each of `spans`, in
    any order, possibly overlapping.

    `heading` is what `text` stands below or must not be read without: a heading, a table's header,
    a list's introduction, one a line. Raises InvalidInput for spans outside the text.
    """

    title: str  # of the document
    heading: str
    text: str
    spans: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        if not all(0 <= start <= end <= len(self.text) for start, end in self.spans):
            raise InvalidInput(f"a span lies outside its passage of {len(self.text)} characters: {self.spans}")


@dataclass(frozen=True, slots=True)
class PassageJudgement:
    """What a reader makes of one passage. Numbers of one reader compare across passages and
    questions, those of two readers do not."""

    answers: float  # log-odds that the passage answers the question at all
    # log-probability of each span that it is the one that answers, given that one does; () without
    # spans
    spans: tuple[float, ...]

    def span_log_odds(self) -> tuple[float, ...]:
        """Return for each span the log-odds that the passage answers and this is where, against its
        not answering: what comes of two good spans is not less for each of them. Comparable across
        passages."""
        return tuple(span + self.answers for span in self.spans)


class PassageReader(Protocol):
    name: str  # what fitted weights are kept under: of the model and its version

    def judge(self, question: str, passages: Sequence[ReaderPassage]) -> list[PassageJudgement]:
        """Return one judgement for each passage, in their order. Takes any strings: empty ones, no
        spans, longer than it can read (what it cannot read is judged by what it could). Blocks;
        threads may share it. Raises Unavailable when a service does not answer."""

    def close(self) -> None: ...
