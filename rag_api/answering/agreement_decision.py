"""Agreement of a second reader, without which what was chosen is not quoted: each thing that is
asked is decided by itself.

What the reader does not agree to is left out and said; where nothing is left, there is no answer.
A row brings its whole table; where it points to something else than the item that was chosen, or
agrees so faintly that the careful risk would refuse, the whole list is quoted. An answer that is
likelier wrong than right says that it is unsure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rag_api.answering.ask_container import AskContainer
from rag_api.answering.builder import AnswerBuilder, AskedApart
from rag_api.answering.choosing.agreement import (
    MOST,
    Agreement,
    ReadPassages,
    agrees,
    chance,
    chosen_by_both,
    read_again,
)
from rag_api.answering.choosing.span_selection import (
    Section,
    overlap,
    with_all_that_is_pointed_to,
    with_the_rest,
)
from rag_api.answering.composing.generation_request import documents_of, sections_of
from rag_api.domain import Candidate, Mode
from rag_api.retrieval.decision.calibration import NotFoundModel, WithReader, calibration
from rag_api.retrieval.find import Retrieval, threshold_of
from rag_api.retrieval.reader_model.pointing_reader import PointingReader

SURE = "careful"  # the risk at which a row or an item is quoted alone
EVEN = 0.5  # the fitted chance below which an answer is likelier wrong than right


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
    agreed, read, stats = list[_Read](), list[_Read](), list[dict[str, float]]()
    fitted, threshold = _fitted(reader, container)
    readings = chosen_again(builder, reader, weight_of(reader, container), lambda asked: _may_agree(asked, container))
    if readings is None:
        return None
    for asked, reading in zip(builder.asked, readings, strict=True):
        if reading is None:
            continue
        made = reading.of(quoted_for(builder, asked), asked.found.texts)
        stats.append(stats_of(made, asked.found, fitted, threshold))
        sure = fitted is None or agrees(made, asked.found, fitted, fitted.at(SURE))
        if elsewhere := fitted is not None and not sure and stands_elsewhere(quoted_for(builder, asked), asked.found):
            stats[-1] |= {"elsewhere": True, "needed": _surely(reader, container)}
        if agrees(made, asked.found, fitted, threshold) and not elsewhere:
            read.append(_Read(asked, made, sure, stats[-1]))
    builder.stats |= {"agreement": stats} if stats else {}
    is_half = len(read) < len(builder.asked) or bool(builder.not_found)
    for one in read:
        if one.sure or not is_half:
            agreed.append(one)
        else:
            one.stats.update(half=True, needed=_surely(reader, container))
    if not agreed:
        return False
    builder.unsure = any(one.stats.get("chance", 1.0) < EVEN for one in agreed)
    left_out = tuple(asked.said for asked in builder.asked if all(one.asked is not asked for one in agreed))
    if left_out:
        builder.asked, builder.sections = tuple(one.asked for one in agreed), None
    builder.not_found += left_out
    documents = documents_of(builder)
    perhaps = partial(_pointed, agreed, surely=False)
    builder.sections = with_the_rest(sections_of(builder), partial(_pointed, agreed), documents, perhaps)
    for one in agreed:
        if one.made.answers > 0:
            builder.sections = with_all_that_is_pointed_to(
                builder.sections, one.asked.question, one.made.places, documents
            )
    return True


@dataclass(frozen=True, slots=True)
class _Read:
    """One thing that is asked, and what the reader made of what would be quoted for it. sure:
    enough even at the careful risk."""

    asked: AskedApart
    made: Agreement
    sure: bool
    stats: dict[str, float]


def _pointed(agreed: Sequence[_Read], section: Section, surely: bool = True) -> Sequence[Candidate]:
    """What the reader points to for what the section answers; `surely`: only where it is sure."""
    own = [one for one in agreed if len(agreed) == 1 or one.asked.question is section.asked]
    return [place for one in own if one.sure or not surely for place in one.made.places]


def stands_elsewhere(quoted: Sequence[Candidate], found: Retrieval) -> bool:
    """Whether what would be quoted stands in another document than the first passage that may be
    quoted: best passage and best sentence do not agree on where the answer is, and most such quotes
    were wrong (evaluation/results/log.csv)."""
    first = next((hit.chunk.document_id for hit in found.may_be_quoted), "")
    return any(one.document_id != first for one in quoted[:1])


def is_second_choice(builder: AnswerBuilder, found: Retrieval) -> bool:
    """Whether nothing may be quoted; or the passage that fits best is shown and never quoted, and
    what would be quoted in its place stands in another document: seldom the answer, however sure a
    reader is who sees nothing but that."""
    if builder.question.mode != Mode.VERBATIM:
        return False
    best = [one.candidates[0] for one in sections_of(builder) if one.candidates]
    return not best or (found.best_is_withheld and stands_elsewhere(best, found))


def stats_of(
    made: Agreement, found: Retrieval, fitted: NotFoundModel | None, threshold: float | None
) -> dict[str, float]:
    """What is kept of it with the answer, so that one can see later why it was quoted or not."""
    stats: dict[str, float] = {"points": round(made.points, 3), "answers": round(made.answers, 3)}
    if fitted is None:
        return stats
    return stats | {
        "chance": round(chance(made, found, fitted), 4),
        "needed": fitted.threshold if threshold is None else threshold,
    }


def _reader(builder: AnswerBuilder, retrieval: Retrieval, container: AskContainer) -> PointingReader | None:
    reads = builder.question.mode == Mode.VERBATIM and not retrieval.pointed
    return container.agreeing if reads else None


def _may_agree(asked: AskedApart, container: AskContainer) -> bool:
    """Some agreement would do; otherwise nothing need be read."""
    reader = container.agreeing
    return reader is not None and bool(asked.sentences) and agrees(MOST, asked.found, *_fitted(reader, container))


def _fitted(reader: PointingReader, container: AskContainer) -> tuple[NotFoundModel | None, float | None]:
    measured = _measured(reader, container)
    fitted = measured.not_found if measured is not None else None
    return fitted, threshold_of(fitted, container.settings, container.risk)


def weight_of(reader: PointingReader, container: AskContainer) -> float:
    """How much it has to say in choosing; nothing where nobody measured it."""
    measured = _measured(reader, container)
    return measured.span_weight if measured is not None else 0.0


def _measured(reader: PointingReader, container: AskContainer) -> WithReader | None:
    return calibration(container.embedder.name, container.settings.data_dir).agreeing.get(reader.name)


def _surely(reader: PointingReader, container: AskContainer) -> float:
    fitted, threshold = _fitted(reader, container)
    return fitted.at(SURE) if fitted is not None else threshold or 0.0


def chosen_again(
    builder: AnswerBuilder,
    reader: PointingReader,
    weight: float,
    may_agree: Callable[[AskedApart], bool] = lambda _: True,
) -> list[ReadPassages | None] | None:
    """Let the reader read for each thing that is asked, and choose what would be quoted by both.
    Returns the readings, None in place of one that no agreement would help; None in all: the reader
    is away. Blocks."""
    asked, readings = list[AskedApart](), list[ReadPassages | None]()
    for one in builder.asked:
        read = None
        if may_agree(one):
            read = read_again(one.question.text if one.said else builder.query, one.found, reader)
            if read is None:
                return None
            one = replace(one, found=chosen_by_both(one.found, read, weight))
        asked.append(one)
        readings.append(read)
    builder.asked, builder.sections = tuple(asked), None
    return readings


def quoted_for(builder: AnswerBuilder, asked: AskedApart) -> list[Candidate]:
    """The likeliest of each section that would be quoted for it; its best sentence may be quoted
    for another thing asked."""
    likeliest = [(section.asked, candidate) for section in sections_of(builder) for candidate in section.candidates[:1]]
    own = [one for question, one in likeliest if len(builder.asked) == 1 or question is asked.question]
    return own or [one for _, one in likeliest if any(overlap(one, sentence) for sentence in asked.sentences[:1])]
