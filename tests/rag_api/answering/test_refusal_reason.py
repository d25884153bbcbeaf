"""Reason of a refusal, kept with the answer: the rule, or how sure it was and how sure it had to
be."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from rag_api.answering.refusal_reason import (
    DISAGREED,
    ELSEWHERE,
    UNRESOLVED_FOLLOW_UP,
    UNSURE,
    WITHHELD,
    code_of,
    reason_of,
    sentence_of,
)
from rag_api.answering.warnings.notice_texts import notice
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import AnswerStatus, Document
from rag_api.retrieval.decision.answerability import Rule
from rag_api.retrieval.decision.calibration import FILE, WithReader, calibration, write
from rag_api.retrieval.find import Retrieval
from tests.rag_api.answering.choosing.test_agreement import FITTED
from tests.rag_api.retrieval.reader_model.test_pointing_reader import QUESTION, answer_to, pointing
from tests.support.scripted_server import Scripted

ROOT = Path(__file__).parents[3]
FOUND = Retrieval((), 0.25, answerable=False, needed=0.5)


@pytest.mark.parametrize("rule", [rule for rule in Rule if rule])
def test_a_rule_is_named_whatever_else_is_known(rule: Rule) -> None:
    told = reason_of(replace(FOUND, forbidden=rule), [{"points": 1.0, "answers": 1.0}])
    assert told == {"by": rule.value}
    assert sentence_of(told).startswith("Refused: ")


def test_its_asker_is_told_one_of_three_causes() -> None:
    told = {rule.value: "not_found" for rule in Rule if rule} | {WITHHELD: "not_quotable"}
    told |= dict.fromkeys((UNSURE, DISAGREED, ELSEWHERE), "not_sure")
    assert {by: code_of({"by": by}) for by in told} == told
    assert len({notice(code, "nl").text for code in told.values()}) == 3


@pytest.mark.parametrize("language", ["nl", "en"])
def test_the_page_has_words_for_each_reason(language: str) -> None:
    page = (ROOT / f"web/src/i18n/staff/quality/reviews.{language}.ts").read_text()
    parts = [page[page.index(f"\n  {name}:") :].split("}")[0] for name in ("refused", "decided")]
    told = [word for part in parts for word in re.findall(r"^    (\w+):", part, re.MULTILINE)]
    assert set(told) == {
        *(rule.value for rule in Rule if rule),
        UNSURE,
        DISAGREED,
        ELSEWHERE,
        UNRESOLVED_FOLLOW_UP,
        WITHHELD,
    }


def test_without_a_second_reader_the_confidence_and_what_it_had_to_be_are_kept() -> None:
    told = reason_of(FOUND, [])
    assert told == {"by": UNSURE, "sure": 0.25, "needed": 0.5}
    assert sentence_of(told) == "Refused: not sure enough (0.25, needed 0.50)."


def test_of_several_things_asked_the_one_that_was_nearly_quoted_is_told() -> None:
    far = {"points": -8.0, "answers": -8.0, "chance": 0.01, "needed": 0.19}
    near = {"points": -3.0, "answers": -1.0, "chance": 0.15, "needed": 0.19}
    told = reason_of(FOUND, [far, near])
    assert told == {"by": DISAGREED, "sure": 0.15, "needed": 0.19}
    assert sentence_of(told) == "Refused: the second reader does not agree (0.15, needed 0.19)."


def test_where_passage_and_sentence_stand_apart_that_is_told() -> None:
    told = reason_of(FOUND, [{"points": -3.0, "answers": -1.0, "chance": 0.2, "needed": 0.25, "elsewhere": True}])
    assert (
        "another document than the best passage, and the second reader is not sure (0.20, needed 0.25)"
        in sentence_of(told)
    )


def test_of_a_reader_that_nobody_measured_there_is_no_chance_to_tell() -> None:
    told = reason_of(FOUND, [{"points": -8.0, "answers": -8.0}])
    assert sentence_of(told) == "Refused: the second reader does not agree."


@pytest.fixture(params=["adapter:reader", "agreeing:reader", None])
def settings(request: pytest.FixtureRequest, settings: Settings, server: Scripted) -> Settings:
    return settings.model_copy(update={"generator_url": server.url, "reader": request.param})


async def test_it_stands_with_the_answer_that_is_stored(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = calibration(container.embedder.name)
    assert fitted.not_found is not None
    agreeing = {container.agreeing.name: WithReader(FITTED, 0.0)} if container.agreeing is not None else {}
    never = replace(fitted, not_found=replace(fitted.not_found, threshold=1.0, by_risk={}), agreeing=agreeing)
    write(container.settings.data_dir / FILE, container.embedder.name, never)
    pointing(monkeypatch, "-", 0.0)
    answer = await answer_to(container, QUESTION)
    assert answer.status == AnswerStatus.NOT_FOUND
    assert answer.stats["refused"]["by"] == (DISAGREED if container.agreeing is not None else UNSURE)
    assert answer.stats["refused"]["sure"] < answer.stats["refused"]["needed"]
    assert "refused" in (await answer_to(container, "Wie wint de Ronde van Vlaanderen?")).stats
