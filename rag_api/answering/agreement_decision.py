"""Agreement of a second reader, without which what was chosen is not quoted: each thing that is
asked is decided by itself.

What the reader does not agree to is left out and said; where nothing is left, there is no answer.
Where it points to something else than the row or the item that was chosen, both stand in doubt, and
the whole table or list is quoted.
"""

from __future__ import annotations

from rag_api.answering.ask_container import AskContainer
from rag_api.answering.builder import AnswerBuilder, AskedApart
from rag_api.answering.choosing.agreement import MOST, Agreement, agreement, agrees
from rag_api.answering.choosing.span_selection import with_the_rest
from rag_api.answering.composing.generation_request import documents_of, sections_of
from rag_api.domain import Candidate, Mode
from rag_api.retrieval.decision.calibration import NotFoundModel, calibration
from rag_api.retrieval.find import Retrieval, threshold_of
from rag_api.retrieval.reader_model.pointing_reader import PointingReader


def is_read_again(builder: AnswerBuilder, retrieval: Retrieval, container: AskContainer) -> bool:
    """Whether a reader must agree before anything is quoted. That takes seconds."""
    return _reader(builder, retrieval, container) is not None and any(
        _may_agree(asked, container) for asked in builder.asked
    )


def is_agreed(builder: AnswerBuilder, retrieval: Retrieval, container: AskContainer) -> bool | None:
    """Whether there is an answer to write. What is asked apart and not agreed to leaves
    `builder.asked`. None: the reader is away, and nothing is quoted that it has not read.
    Blocks."""
    reader = _reader(builder, retrieval, container)
    if reader is None:
        return retrieval.answerable
    left, told, places = list[AskedApart](), list[dict[str, float]](), list[Candidate]()
    for asked in builder.asked:
        if not _may_agree(asked, container):
            continue
        made = reading_of(builder, asked, reader)
        if made is None:
            return None if retrieval.answerable else False
        told.append({"points": round(made.points, 3), "answers": round(made.answers, 3)})
        if agrees(made, asked.found, *_fitted(reader, container)):
            left.append(asked)
            places += made.places
    builder.stats |= {"agreement": told} if told else {}
    if left and len(left) < len(builder.asked):
        builder.not_found += tuple(asked.said for asked in builder.asked if asked not in left)
        builder.asked, builder.sections = tuple(left), None
    if left:
        builder.sections = with_the_rest(sections_of(builder), places, documents_of(builder))
    return bool(left)


def _reader(builder: AnswerBuilder, retrieval: Retrieval, container: AskContainer) -> PointingReader | None:
    reads = builder.question.mode == Mode.VERBATIM and not retrieval.pointed
    return container.agreeing if reads else None


def _may_agree(asked: AskedApart, container: AskContainer) -> bool:
    """Some agreement would do; otherwise nothing need be read."""
    reader = container.agreeing
    return reader is not None and bool(asked.sentences) and agrees(MOST, asked.found, *_fitted(reader, container))


def _fitted(reader: PointingReader, container: AskContainer) -> tuple[NotFoundModel | None, float | None]:
    fitted = calibration(container.embedder.name, container.settings.data_dir).agreeing.get(reader.name)
    return fitted, threshold_of(fitted, container.settings, container.risk)


def reading_of(builder: AnswerBuilder, asked: AskedApart, reader: PointingReader) -> Agreement | None:
    """What the reader makes of what would be quoted for it; None: it is away. Blocks."""
    return agreement(
        asked.question.text if asked.said else builder.query, quoted_for(builder, asked), asked.found, reader
    )


def quoted_for(builder: AnswerBuilder, asked: AskedApart) -> list[Candidate]:
    """The likeliest of each section that would be quoted for it."""
    own = [section for section in sections_of(builder) if len(builder.asked) == 1 or section.asked is asked.question]
    return [candidate for section in own for candidate in section.candidates[:1]]
