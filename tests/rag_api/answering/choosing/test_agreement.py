"""A second reader that must agree: it lets through what it points to, refuses the rest, and chooses nothing itself."""
# ruff: noqa: F811 - fixtures are parameters

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from rag_api.answering.choosing.agreement import FARTHEST, MOST, NEEDED, Agreement, agreement, agrees
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import AnswerStatus, Candidate, Chunk, Document, Hit
from rag_api.errors import GeneratorUnavailable
from rag_api.readers.adapter import AdapterReader
from rag_api.retrieval.decision.calibration import FILE, NotFound, calibration, write
from rag_api.retrieval.find import Retrieval, merged
from rag_api.retrieval.reader_model.passages import ReadingPassage
from rag_api.retrieval.reader_model.pointing_reader import Reading
from rag_api.upkeep import parts
from tests.rag_api.retrieval.reader_model.test_pointing_reader import QUESTION, answer_to, documents, pointing, server  # noqa: F401
from tests.support.scripted_server import Scripted
from tests.support.world import empty

QUOTED = "15 mg/kg"
TEXT = "Bel de arts en dien 20 mmol toe."


@pytest.fixture
async def container(settings: Settings, server: Scripted) -> AsyncIterator[Container]:
    made = Container(settings.model_copy(update={"generator_url": server.url, "reader": "agreeing:reader"}))
    yield made
    empty(made)
    await made.generator.close()
    made.close()


async def test_what_both_point_to_is_quoted(container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch) -> None:
    pointing(monkeypatch, QUOTED, 1.0)
    answer = await answer_to(container, QUESTION)
    assert answer.status == AnswerStatus.ANSWERED
    assert QUOTED in answer.text
    assert answer.stats["agreement"] == {"points": pytest.approx(1.0, abs=1e-3), "answers": pytest.approx(1.0, abs=1e-3)}


@pytest.mark.parametrize(("words", "odds"), [("no such words", 5.0), (QUOTED, -4.5)])
async def test_what_the_other_does_not_point_to_or_only_faintly_is_refused_with_its_sources(
    container: Container,
    server: Scripted,
    documents: dict[str, Document],
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    odds: float,
) -> None:
    pointing(monkeypatch, words, odds)
    answer = await answer_to(container, QUESTION)
    assert (answer.status, answer.text) == (AnswerStatus.NOT_FOUND, "")
    assert answer.sources
    assert not server.requests, "nothing is asked to be written"


async def test_where_the_other_is_away_nothing_is_quoted_that_it_has_not_read(
    container: Container, server: Scripted, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> list[Reading]:
        raise GeneratorUnavailable("away")

    monkeypatch.setattr(AdapterReader, "point", away)
    answer = await answer_to(container, QUESTION)
    assert answer.status == AnswerStatus.SOURCES_ONLY
    assert [notice.code for notice in answer.notices][-1] == "generator_down"
    assert not server.requests


async def test_a_question_that_is_refused_anyway_and_sources_alone_are_not_read(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def point(self: AdapterReader, question: str, passages: list[ReadingPassage]) -> list[Reading]:
        asked.append(question)
        return [Reading(-8.0, 0, 0, 0.0) for _ in passages]

    monkeypatch.setattr(AdapterReader, "point", point)
    assert (await answer_to(container, "Wie wint de Ronde van Vlaanderen?")).status == AnswerStatus.NOT_FOUND
    assert asked == []
    await answer_to(container, QUESTION)
    assert asked == [QUESTION]


async def test_the_doctor_reads_a_line_with_it(container: Container, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GeneratorUnavailable):
        parts.agreeing(container)  # a server that has nothing to score with
    pointing(monkeypatch, "-", 0.0)
    found = parts.agreeing(container)
    assert found is not None
    assert "reader" in found.what


def test_of_two_things_asked_what_either_search_may_quote_can_be_agreed_on() -> None:
    def of(name: str) -> Retrieval:
        hit = Hit(Chunk(name, name, name, (1,), 0, len(TEXT), TEXT), 0.9, 0.9, 1.0, 1)
        return Retrieval((hit,), 0.9, True, may_be_quoted=(hit,), texts={name: TEXT})

    class Sure:
        name = "sure"

        def point(self, question: str, passages: Sequence[ReadingPassage]) -> list[Reading]:
            return [Reading(2.0, 0, 0, 0.0) for _ in passages]

        def close(self) -> None: ...

    quoted = {name: [Candidate(name, 0, len(TEXT), (), TEXT, 0.0, 1)] for name in ("kalium", "natrium")}
    both = agreement(quoted, merged([of("kalium"), of("natrium")], 7), Sure())
    assert both is not None
    assert both.points == pytest.approx(2.0)
    assert agreement(quoted, of("kalium"), Sure()) == Agreement(-FARTHEST, -FARTHEST), "the least sure of both decides"


# --- Weights that were fitted: how sure the choice was and what the other makes of it, together

FITTED = NotFound({"intercept": -1.0, "confidence": 1.0, "points": 0.5, "answers": 0.5, "crossed": 0.0}, 0.5)


@pytest.mark.parametrize(
    ("confidence", "points", "answers", "quoted"),
    [(0.5, 2.0, 2.0, True), (0.5, 2.0, -2.0, False), (0.05, 4.0, 4.1, True), (0.99, -8.0, -8.0, False), (0.99, -4.0, 0.0, True)],
)
def test_what_one_is_unsure_of_the_other_may_make_up_for(confidence: float, points: float, answers: float, quoted: bool) -> None:
    found = Retrieval((), confidence, answerable=False, allowed=True)
    assert agrees(Agreement(points, answers), found, FITTED, None) is quoted
    assert not agrees(Agreement(points, answers), replace(found, allowed=False), FITTED, None), "a rule is against it"
    assert not agrees(Agreement(points, answers), found, FITTED, 0.999), "another threshold"
    assert not agrees(Agreement(points, answers), found, None, None), "nobody measured this reader: the choice is not sure by itself"


def test_of_a_reader_that_nobody_measured_a_faint_pointing_is_none() -> None:
    found = Retrieval((), 0.9, answerable=True, allowed=True)
    assert agrees(Agreement(NEEDED, 0.0), found, None, None)
    assert not agrees(Agreement(NEEDED - 0.1, 8.0), found, None, None)
    assert agrees(MOST, found, None, None)


async def test_a_choice_below_its_own_threshold_is_quoted_where_the_other_is_sure(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder, reader = container.embedder.name, container.agreeing
    assert reader is not None
    shipped = calibration(embedder)
    assert shipped.not_found is not None
    unsure = replace(shipped, not_found=replace(shipped.not_found, threshold=1.0, by_risk={}))
    write(container.settings.data_dir / FILE, embedder, unsure)
    pointing(monkeypatch, QUOTED, 8.0)
    assert (await answer_to(container, QUESTION)).status == AnswerStatus.NOT_FOUND
    write(container.settings.data_dir / FILE, embedder, replace(unsure, agreeing={reader.name: replace(FITTED, threshold=0.2)}))
    answer = await answer_to(container, QUESTION)
    assert answer.status == AnswerStatus.ANSWERED
    assert QUOTED in answer.text
    pointing(monkeypatch, QUOTED, -8.0)
    assert (await answer_to(container, QUESTION)).status == AnswerStatus.NOT_FOUND
