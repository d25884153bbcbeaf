"""Agreement of a model that reads: which of what was found it points to, and how surely. What it
does not agree to is not quoted.

Two readers that err apart: where they say the same, both are seldom wrong (docs/evaluation.md). So
both choose, the sentences' scores and the model's log-odds added up; and how sure the search was
and what the model makes of the choice are weighed together. The weights were fitted for this reader
(`python -m services.reader weigh`); for a reader that nobody measured it chooses nothing, and the
choice must be sure by itself.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rag_api.answering.choosing.span_selection import overlap
from rag_api.domain import Candidate
from rag_api.errors import Unavailable
from rag_api.retrieval.decision.answerability import probability
from rag_api.retrieval.decision.calibration import NotFoundModel
from rag_api.retrieval.find import Retrieval
from rag_api.retrieval.reader_model.passages import ReadingPassage, passages_of
from rag_api.retrieval.reader_model.pointing_reader import PointedReading, PointingReader
from rag_api.retrieval.reader_model.reader_scores import ReaderScores, rescored

log = logging.getLogger(__name__)
# log-odds of the range that it points to: below them it points to nothing much. From -4 to -2 the
# same was measured
NEEDED = -2.5
FIRST = 3  # passages that are read, and the one that holds the best sentence
FARTHEST = 8.0  # nats: beyond them nothing is more certain


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a reader makes of what is to be quoted, in log-odds. points: that an answer stands
    there. answers: that a passage which holds it has an answer at all. likeliest: of the likeliest
    range of its passage, where a part of that is to be quoted. places: those ranges."""

    points: float = -FARTHEST
    answers: float = -FARTHEST
    likeliest: float = -FARTHEST
    places: tuple[Candidate, ...] = ()

    def signals(self, confidence: float) -> dict[str, float]:
        """By the names of calibration.AGREED. confidence: of what was chosen, in [0, 1]."""
        told = {"confidence": _log_odds(confidence), "points": self.points, "answers": self.answers}
        return {name: max(-FARTHEST, min(FARTHEST, value)) for name, value in told.items()}


MOST = Agreement(FARTHEST, FARTHEST, FARTHEST)


@dataclass(frozen=True, slots=True)
class ReadPassages:
    """What a reader makes of the passages that a question found, in their order."""

    passages: tuple[ReadingPassage, ...]
    readings: tuple[PointedReading, ...]

    def odds_of(self, place: Candidate, introduced: bool = False) -> float:
        """Log-odds that an answer stands there, at least -FARTHEST: where nothing was read.
        introduced: or begins with what introduces the place, and goes on there."""
        told = (one.odds_of(lines) for one, lines in self._holding(place, introduced))
        return max(-FARTHEST, min(FARTHEST, max(told, default=-FARTHEST)))

    def of(self, quoted: Sequence[Candidate], texts: Mapping[str, str]) -> Agreement:
        """What it makes of what is to be quoted."""
        holding = [
            (passage, one)
            for passage, one in zip(self.passages, self.readings, strict=True)
            if any(_lines_of(passage, place) for place in quoted)
        ]
        told = (passage.quoted(one.first, one.last, texts[passage.document_id], one.odds) for passage, one in holding)
        places = tuple(place for place in told if place is not None)
        return Agreement(
            max((self.odds_of(place) for place in quoted), default=-FARTHEST),
            max((one.answers for _, one in holding), default=-FARTHEST),
            max((one.score for one in places if any(overlap(one, place) for place in quoted)), default=-FARTHEST),
            places,
        )

    def _holding(self, place: Candidate, introduced: bool) -> Iterable[tuple[PointedReading, list[int]]]:
        for passage, reading in zip(self.passages, self.readings, strict=True):
            if lines := _lines_of(passage, place):
                above = (n for line in lines for n in passage.lines[line].introduced_by if introduced)
                yield reading, [*lines, *above]


def read_again(question: str, found: Retrieval, reader: PointingReader) -> ReadPassages | None:
    """Return what the reader makes of the first passages, and of that with the best sentence; None
    where it is away. Blocks."""
    best, first = found.sentences[:1], passages_of(found.may_be_quoted, found.texts, found.structures, FIRST)
    ranks, documents = {one.rank for one in first}, {one.document_id for one in best}
    # other documents are not cut into lines for this: a very long one takes seconds
    hits = [hit for hit in found.may_be_quoted if hit.rank in ranks or hit.chunk.document_id in documents]
    passages = [
        passage
        for n, passage in enumerate(passages_of(hits, found.texts, found.structures))
        if n < FIRST or any(_lines_of(passage, one) for one in best)
    ]
    try:
        return ReadPassages(tuple(passages), tuple(reader.point(question, passages)) if passages else ())
    except Unavailable as error:
        log.warning("nobody else reads what is quoted: %s", error.message)
        return None


def chosen_by_both(found: Retrieval, read: ReadPassages, weight: float) -> Retrieval:
    """Return what was found, its sentences by their score and what the reader makes of them.
    weight: nats of a score for each of its log-odds. A table's header chooses among what to quote;
    that something is quoted it does not decide: of near misses it says as much."""
    if not weight:
        return found
    odds = tuple(read.odds_of(sentence, introduced=True) for sentence in found.sentences)
    scored, _ = rescored(found.scored, ReaderScores(0.0, odds), weight)
    return replace(found, scored=tuple(scored))


def agrees(read: Agreement, retrieval: Retrieval, fitted: NotFoundModel | None, threshold: float | None) -> bool:
    """Whether what was chosen is quoted. threshold: in place of the fitted one."""
    if fitted is None:
        return retrieval.answerable and read.likeliest >= NEEDED
    return not retrieval.forbidden and chance(read, retrieval, fitted) >= (
        fitted.threshold if threshold is None else threshold
    )


def chance(read: Agreement, retrieval: Retrieval, fitted: NotFoundModel) -> float:
    """Return the fitted chance that what was chosen is right, in [0, 1]."""
    return probability(read.signals(retrieval.confidence), fitted)


def _lines_of(passage: ReadingPassage, place: Candidate) -> list[int]:
    """The passage's lines that the place holds a part of."""
    if passage.document_id != place.document_id:
        return []
    quotes = ((n, line.quote) for n, line in enumerate(passage.lines))
    return [n for n, one in quotes if one is not None and one.start < place.end and one.end > place.start]


def _log_odds(probability: float) -> float:
    within = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(within / (1 - within))
