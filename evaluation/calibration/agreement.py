"""Judged questions -> how sure the choice and the reader that must agree
(BEDSIDE_READER=agreeing:NAME) have to be together.

Every question is asked once, and the answerable ones again without their documents: what is found
then is their nearest miss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from uuid import uuid4

from evaluation.calibration.cases import QuestionKind
from evaluation.calibration.decision import DecisionRow, fit_decision
from evaluation.quality import is_near_miss
from evaluation.quality.answers import holds
from rag_api.answering.agreement_decision import chosen_again, quoted_for, weight_of
from rag_api.answering.ask import chosen
from rag_api.answering.builder import Question
from rag_api.answering.choosing.agreement import Agreement
from rag_api.container import Container
from rag_api.domain import Filters, Mode, User
from rag_api.errors import GeneratorUnavailable
from rag_api.evaluate.judged import Judged
from rag_api.retrieval.decision.calibration import AGREED, AGREEING_RISKS, WithReader
from rag_api.retrieval.reader_model.pointing_reader import PointingReader


def fit_agreement(
    container: Container,
    reader: PointingReader,
    questions: Sequence[Judged],
    ids: Mapping[str, str],
    asker: Callable[[Judged], User],
    on_progress: Callable[[int], None],
) -> WithReader:
    """How sure both must be, where both choose as they do now. ids: of documents by file name.
    asker: who asks a question. Raises InvalidInput where there is nothing to tell apart,
    GeneratorUnavailable where the reader does not answer."""
    rows = []
    for done, judged in enumerate(questions, 1):
        kind = (
            QuestionKind.ANSWERABLE
            if judged.answerable
            else QuestionKind.NEAR_MISS
            if is_near_miss(judged)
            else QuestionKind.OFF_TOPIC
        )
        rows.append(_row(container, reader, judged, asker(judged), kind, ()))
        if own := tuple(ids[place.document] for place in judged.places if place.document in ids):
            rows.append(_row(container, reader, judged, asker(judged), QuestionKind.LEFT_OUT, own))
        on_progress(done)
    return WithReader(fit_decision(rows, AGREED, risks=AGREEING_RISKS), weight_of(reader, container))


def _row(
    container: Container,
    reader: PointingReader,
    judged: Judged,
    user: User,
    kind: QuestionKind,
    left_out: tuple[str, ...],
) -> DecisionRow:
    filters = Filters(excluded_document_ids=left_out)
    builder, found = chosen(
        Question(str(uuid4()), str(uuid4()), True, judged.question, Mode.VERBATIM, filters), user, container
    )
    agreement, right, is_open = Agreement(), False, not found.forbidden and bool(found.sentences)
    if is_open:
        readings = chosen_again(builder, reader, weight_of(reader, container))
        if readings is None or readings[0] is None:
            raise GeneratorUnavailable(
                f"The reader {reader.name} did not answer: nothing was calibrated. Look at the generator's log."
            )
        quoted = quoted_for(builder, builder.asked[0])
        said = [one.text for one in quoted]
        agreement, right = (
            readings[0].of(quoted, found.texts),
            kind == QuestionKind.ANSWERABLE
            and any(holds(text, place.span) for text in said for place in judged.places),
        )
    return DecisionRow("own", "fit", kind, judged.id, is_open, right, agreement.signals(found.confidence))
