"""Costs of each risk where a second model must agree: those that were measured with that model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from playwright.sync_api import expect

from rag_api.api.schemas.usage import RiskName
from rag_api.container import Container
from rag_api.main import create_app
from rag_api.retrieval.decision.calibration import NotFoundModel, calibration
from rag_api.retrieval.reader_model.passages import ReadingPassage
from rag_api.retrieval.reader_model.pointing_reader import PointedReading
from tests.e2e.conftest import NewPage, Serving


class Named:
    """A model of a name, which is asked nothing here."""

    def __init__(self, name: str) -> None:
        self.name = name

    def point(self, question: str, passages: Sequence[ReadingPassage]) -> list[PointedReading]:
        raise AssertionError(question)

    def close(self) -> None:
        """Nothing is open."""


def costs(fitted: NotFoundModel | None) -> list[tuple[int, int]]:
    """In percent: refused, and wrong."""
    assert fitted is not None
    points = [min(fitted.curve, key=lambda one: abs(one.threshold - fitted.at(name))) for name in get_args(RiskName)]
    return [(round(100 * one.refused), round(100 * one.risk)) for one in points]


def test_each_risk_shows_its_cost_with_the_model_that_must_agree(
    new_page: NewPage, serving: Serving, container: Container
) -> None:
    measured = calibration(container.embedder.name, container.settings.data_dir)
    assert measured.agreeing
    alone = costs(measured.not_found)
    for name, with_reader in measured.agreeing.items():
        with Container(container.settings, agreeing=Named(name)) as reading:
            page = new_page()
            page.goto(f"{serving(create_app(reading.settings, reading))}/quality/usage")
            shown = page.locator(".risk-choice .muted")
            expect(shown).to_have_count(3)
            found = [re.findall(r"(\d+)%", one) for one in shown.all_inner_texts()]
            assert [(int(refused), int(wrong)) for refused, wrong in found] == costs(with_reader.not_found) != alone
            page.close()
