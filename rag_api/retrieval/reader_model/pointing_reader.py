"""Reader that points: what it is asked, what it says, and what of the documents that is. Numbers of
one reader compare across passages and questions, those of two do not.

Knows no model and no HTTP: rag_api/qa_readers opens one.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from rag_api.domain import Candidate, Hit
from rag_api.errors import Unavailable
from rag_api.retrieval.reader_model.passages import ReadingPassage, passages_of
from rag_api.retrieval.reader_model.reader import PassageReader

log = logging.getLogger(__name__)
READ = 4  # passages a question
LATER = 0.5  # nats that a passage loses for each better one found: retrieval knows something too
NEEDED = 0.5  # probability from which a range is an answer, where no other threshold is set


@dataclass(frozen=True, slots=True)
class PointedReading:
    """What a reader makes of one passage. answers: the log-odds that it holds an answer. first,
    last: the likeliest range of its lines. sure: the log-probability of that range, given that
    there is an answer. begins: for each line the log-probability that the answer begins there,
    given that there is one; without it nothing is known but the range."""

    answers: float
    first: int
    last: int
    sure: float
    begins: tuple[float, ...] = ()

    @property
    def odds(self) -> float:
        """Log-odds that this very range answers."""
        return self._odds(math.exp(self.sure))

    def odds_of(self, lines: Collection[int]) -> float:
        """Log-odds that the answer begins at one of these lines, or that its likeliest range goes
        on there."""
        within = any(self.first <= line <= self.last for line in lines)
        if not self.begins:
            return self.odds if within else self._odds(0.0)
        own = {*lines, self.first} if within else set(lines)
        return self._odds(sum(math.exp(self.begins[line]) for line in own))

    def _odds(self, share: float) -> float:
        """share: of what answers, if anything does."""
        probability = share / (1 + math.exp(-max(-30.0, min(30.0, self.answers))))
        return math.log(max(probability, 1e-9)) - math.log(max(1 - probability, 1e-9))


@runtime_checkable
class PointingReader(Protocol):
    name: str  # what a threshold is kept under: of the model, the adapter and the prompt's version

    def point(self, question: str, passages: Sequence[ReadingPassage]) -> list[PointedReading]:
        """Return one reading a passage, in their order. Blocks; threads may share it. Raises
        Unavailable when a service does not answer."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Pointed:
    """What a reader points to in what was found, best first."""

    candidates: tuple[Candidate, ...]
    titles: tuple[str, ...]  # of their documents

    @property
    def confidence(self) -> float:
        """The probability that the first of them answers."""
        return 1 / (1 + math.exp(-self.candidates[0].score)) if self.candidates else 0.0


def pointed(
    question: str, hits: Sequence[Hit], texts: Mapping[str, str], structures: Mapping[str, str], reader: PointingReader
) -> Pointed | None:
    """Return what the reader points to; None when it does not answer: then what holds without a
    reader holds. texts: what was read in doubt or speaks to a machine is blank in them, and is not
    quoted."""
    passages = passages_of(hits, texts, structures, READ)
    try:
        readings = reader.point(question, passages) if passages else []
    except Unavailable as error:
        log.warning("the passages are not read: %s", error.message)
        return None
    found = []
    for n in order(readings):
        one, passage = readings[n], passages[n]
        quote = passage.quoted(one.first, one.last, texts[passage.document_id], one.odds)
        if quote is not None:
            found.append((quote, passage.title))
    return Pointed(tuple(quote for quote, _ in found), tuple(title for _, title in found))


def judging_reader(reader: PassageReader | PointingReader | None) -> PassageReader | None:
    """Return a reader that judges sentences for the fitted decision; None for one that points,
    which decides by itself."""
    return None if isinstance(reader, PointingReader) else reader


def order(readings: Sequence[PointedReading]) -> list[int]:
    """Return the passages' indices, the likeliest to answer first."""
    return sorted(range(len(readings)), key=lambda n: LATER * n - readings[n].odds)
