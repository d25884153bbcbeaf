"""Agreement: what was chosen is quoted only where a model that reads agrees. It refuses, and
chooses nothing.

Two readers that err apart: where they say the same, both are seldom wrong (docs/evaluation.md). How
sure the choice was and what the model makes of it are weighed together, with weights that were
fitted for this reader (`python -m services.reader weigh`); for a reader that nobody measured the
choice must be sure by itself, and the model point to it.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass

from rag_api.answering.choosing.span_selection import overlap
from rag_api.domain import Candidate
from rag_api.errors import Unavailable
from rag_api.retrieval.decision.answerability import probability
from rag_api.retrieval.decision.calibration import NotFoundModel
from rag_api.retrieval.find import Retrieval
from rag_api.retrieval.reader_model.passages import ReadingPassage, passages_of
from rag_api.retrieval.reader_model.pointing_reader import READ, PointingReader

log = logging.getLogger(__name__)
# log-odds of the range that it points to: below them it points to nothing much. From -4 to -2 the
# same was measured
NEEDED = -2.5
FARTHEST = 8.0  # nats: beyond them nothing is more certain


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a reader makes of what is to be quoted, in log-odds. points: of the range that it points
    to, where that is to be quoted. answers: that a passage which holds what is to be quoted has an
    answer at all. places: what it points to in those passages."""

    points: float = -FARTHEST
    answers: float = -FARTHEST
    places: tuple[Candidate, ...] = ()

    def signals(self, confidence: float) -> dict[str, float]:
        """By the names of calibration.AGREED. confidence: of what was chosen, in [0, 1]."""
        told = {"confidence": _log_odds(confidence), "points": self.points, "answers": self.answers}
        return {name: max(-FARTHEST, min(FARTHEST, value)) for name, value in told.items()}


MOST = Agreement(FARTHEST, FARTHEST)


def agreement(
    question: str, quoted: Sequence[Candidate], retrieval: Retrieval, reader: PointingReader
) -> Agreement | None:
    """Return what the reader makes of what is to be quoted. quoted: the likeliest of each section.
    None where the reader is away. Blocks."""
    if not quoted:
        return Agreement()
    passages = passages_of(retrieval.may_be_quoted, retrieval.texts, retrieval.structures, READ)
    try:
        return _of(question, quoted, passages, retrieval, reader)
    except Unavailable as error:
        log.warning("nobody else reads what is quoted: %s", error.message)
        return None


def agrees(told: Agreement, retrieval: Retrieval, fitted: NotFoundModel | None, threshold: float | None) -> bool:
    """Whether what was chosen is quoted. threshold: in place of the fitted one."""
    if fitted is None:
        return retrieval.answerable and told.points >= NEEDED
    return not retrieval.forbidden and chance(told, retrieval, fitted) >= (
        fitted.threshold if threshold is None else threshold
    )


def chance(told: Agreement, retrieval: Retrieval, fitted: NotFoundModel) -> float:
    """Return the fitted chance that what was chosen is right, in [0, 1]."""
    return probability(told.signals(retrieval.confidence), fitted)


def _of(
    question: str,
    quoted: Sequence[Candidate],
    passages: Sequence[ReadingPassage],
    retrieval: Retrieval,
    reader: PointingReader,
) -> Agreement:
    """Only the passages that hold what is quoted are read."""
    holding = [passage for passage in passages if any(_holds(passage, place) for place in quoted)]
    points = answers = -FARTHEST
    places = list[Candidate]()
    for passage, reading in zip(holding, reader.point(question, holding) if holding else (), strict=True):
        own = passage.quoted(reading.first, reading.last, retrieval.texts[passage.document_id], reading.odds)
        answers = max(answers, reading.answers)
        if own is None:
            continue
        places.append(own)
        if any(overlap(own, place) for place in quoted):
            points = max(points, reading.odds)
    return Agreement(points, answers, tuple(places))


def _holds(passage: ReadingPassage, place: Candidate) -> bool:
    quotes = [line.quote for line in passage.lines if line.quote is not None]
    return passage.document_id == place.document_id and any(
        one.start < place.end and one.end > place.start for one in quotes
    )


def _log_odds(probability: float) -> float:
    within = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(within / (1 - within))
