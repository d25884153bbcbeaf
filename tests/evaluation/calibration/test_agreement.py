"""Thresholds of agreement between a choice and its reader, fitted on a hospital's own questions."""
# ruff: noqa: F811 - fixtures are parameters

from __future__ import annotations

import pytest

from evaluation.calibration.agreement import fit_agreement
from rag_api.answering.agreement_decision import weight_of
from rag_api.container import Container
from rag_api.domain import LOCAL_USER, Document
from rag_api.errors import GeneratorUnavailable
from rag_api.evaluate.judged import Judged
from rag_api.qa_readers.adapter import AdapterReader
from rag_api.retrieval.decision.calibration import AGREED
from rag_api.retrieval.reader_model.passages import ReadingPassage
from rag_api.retrieval.reader_model.pointing_reader import PointedReading
from tests.rag_api.answering.choosing.test_agreement import settings  # noqa: F401
from tests.rag_api.conftest import container, documents  # noqa: F401

DOSE = ("paracetamol-kind.pdf", "15 mg/kg")
OPEN = ("restaurant.pdf", "11.30 tot 14 uur")
ASKED = {
    "Hoeveel paracetamol mag een kind van 12 kg?": DOSE,
    "Welke dosis paracetamol voor een kind van 20 kg?": DOSE,
    "Paracetamol kind per gift?": DOSE,
    "Wanneer is het restaurant open?": OPEN,
    "Hoe laat is het restaurant open?": OPEN,
    "Wat zijn de openingsuren van het restaurant?": OPEN,
    "Hoeveel ibuprofen mag een kind?": None,
    "Waar is de cafetaria voor het personeel?": None,
}


def judged() -> list[Judged]:
    found = [(question, place or ("", "")) for question, place in ASKED.items()]
    return [
        Judged(str(n), question, document=document, span=span, split="validate")
        for n, (question, (document, span)) in enumerate(found)
    ]


def test_where_the_reader_points_to_what_is_right_its_word_counts(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def point(self: AdapterReader, question: str, passages: list[ReadingPassage]) -> list[PointedReading]:
        asked.append(question)
        right = ASKED[question]
        found = []
        for passage in passages:
            at = next((n for n, line in enumerate(passage.lines) if right and right[1] in line.text), None)
            found.append(PointedReading(-6.0, 0, 0, 0.0) if at is None else PointedReading(6.0, at, at, 0.0))
        return found

    monkeypatch.setattr(AdapterReader, "point", point)
    reader, ids = container.agreeing, {document.source: document.id for document in documents.values()}
    assert reader is not None
    done: list[int] = []
    before = container.db.all("select count(*) from conversations")
    measured = fit_agreement(container, reader, judged(), ids, lambda _: LOCAL_USER, done.append)
    assert measured.span_weight == weight_of(reader, container)
    fitted = measured.not_found
    assert set(fitted.coefficients) == {"intercept", "crossed", *AGREED}
    assert fitted.coefficients["points"] > 0
    assert done == list(range(1, len(ASKED) + 1))
    assert container.db.all("select count(*) from conversations") == before, "nothing of it is kept"

    def away(*_: object) -> list[PointedReading]:
        raise GeneratorUnavailable("away")

    monkeypatch.setattr(AdapterReader, "point", away)
    with pytest.raises(GeneratorUnavailable, match="nothing was calibrated"):
        fit_agreement(container, reader, judged(), ids, lambda _: LOCAL_USER, done.append)
