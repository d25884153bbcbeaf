"""Agreement: what was chosen is quoted only where a model that reads points to it too. It refuses, and chooses nothing.

Two readers that err apart: where they say the same, both are seldom wrong (docs/evaluation.md).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from rag_api.answering.choosing.span_selection import overlap
from rag_api.domain import Candidate
from rag_api.errors import Unavailable
from rag_api.retrieval.find import Retrieval
from rag_api.retrieval.reader_model.passages import ReadingPassage, passages_of
from rag_api.retrieval.reader_model.pointing_reader import READ, PointingReader

log = logging.getLogger(__name__)
NEEDED = -2.5  # log-odds of the range that it points to: below them it points to nothing much. From -4 to -2 the same was measured
NOWHERE = -30.0  # log-odds of what it does not point to


def agreement(quoted: Mapping[str, Sequence[Candidate]], retrieval: Retrieval, reader: PointingReader) -> float | None:
    """Return the log-odds at which the reader points into what is to be quoted. quoted: by question, the likeliest of each section; each
    question counts, the least sure decides. None where the reader is away. Blocks."""
    passages = passages_of(retrieval.may_be_quoted, retrieval.texts, retrieval.structures, READ)
    try:
        return min((_of(question, places, passages, retrieval, reader) for question, places in quoted.items()), default=NOWHERE)
    except Unavailable as error:
        log.warning("nobody else reads what is quoted: %s", error.message)
        return None


def _of(
    question: str, quoted: Sequence[Candidate], passages: Sequence[ReadingPassage], retrieval: Retrieval, reader: PointingReader
) -> float:
    """Only the passages that hold what is quoted are read."""
    holding = [passage for passage in passages if any(_holds(passage, place) for place in quoted)]
    found = NOWHERE
    for passage, reading in zip(holding, reader.point(question, holding) if holding else (), strict=True):
        own = passage.quoted(reading.first, reading.last, retrieval.texts[passage.document_id], reading.odds)
        if own is not None and any(overlap(own, place) for place in quoted):
            found = max(found, reading.odds)
    return found


def _holds(passage: ReadingPassage, place: Candidate) -> bool:
    quotes = [line.quote for line in passage.lines if line.quote is not None]
    return passage.document_id == place.document_id and any(one.start < place.end and one.end > place.start for one in quotes)
