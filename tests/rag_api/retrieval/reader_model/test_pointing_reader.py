"""An adapter that points to lines: what it is asked, what is made of its probabilities, and what
the whole product quotes of it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import torch
from safetensors.torch import save_file

from rag_api.answering.ask import ask, new_question
from rag_api.cli.quality.calibrate import with_guarantee
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import LOCAL_USER, Answer, AnswerStatus, Chunk, Document, Done, Hit
from rag_api.errors import GeneratorUnavailable
from rag_api.own_processes.generator import GeneratorProcess
from rag_api.qa_readers.adapter import UNSAID, AdapterReader, open_adapter_reader
from rag_api.qa_readers.llm import client_of
from rag_api.retrieval.decision.calibration import FILE, RISKS, Calibration, calibration, write
from rag_api.retrieval.decision.risk_guarantee import Guarantee, GuaranteedRisk
from rag_api.retrieval.reader_model.passages import ReadingPassage, passages_of
from rag_api.retrieval.reader_model.pointing_reader import PointedReading
from rag_api.upkeep.component_checks import decision
from services.contract.reading_prompt import INVOCATION
from tests.support.scripted_server import Scripted
from tests.support.world import CHILD

TEXT = "Kalium\n\nMiddel\tDosis\nKaliumchloride\t20 mmol\nKaliumcitraat\t40 mmol\n\nBel de arts.\n"
QUESTION = "Hoeveel paracetamol mag een kind van 12 kg?"


def passages() -> list[ReadingPassage]:
    hit = Hit(Chunk("c", "d", "Kalium", (1,), 0, len(TEXT), TEXT), 0.9, 0.9, 1.0, 1)
    return passages_of([hit], {"d": TEXT}, {})


def reader_of(logits: dict[str, float], seen: list[dict[str, Any]], status: int = 200) -> AdapterReader:
    def answer(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        seen.append(body)
        told = [[logits.get(text, -20.0) for text in prompt["continuations"]] for prompt in body["prompts"]]
        return httpx.Response(status, json={"prompts": [{"logprobs": own} for own in told]})

    return opened(Settings(generator_model="m"), answer)


def opened(settings: Settings, answer: Callable[[httpx.Request], httpx.Response]) -> AdapterReader:
    return open_adapter_reader(
        "reader", settings, lambda: "http://g/v1", httpx.Client(transport=httpx.MockTransport(answer))
    )


def test_the_likeliest_range_and_its_odds_follow_from_the_letters_probabilities() -> None:
    seen: list[dict[str, Any]] = []
    logits = {
        "B": math.log(0.6),
        "C": math.log(0.2),
        "0": math.log(0.2),
        " B": math.log(0.25),
        " C": math.log(0.75),
        " drug": 0.0,
    }
    (reading,) = reader_of(logits, seen).point("kaliumcitraat", passages())
    assert (reading.first, reading.last) == (1, 2)
    assert reading.answers == pytest.approx(math.log(0.8 / 0.2), abs=1e-6)
    assert 1 / (1 + math.exp(-reading.odds)) == pytest.approx(0.6 * 0.75, abs=1e-6)


def test_the_passage_is_a_piece_of_its_own_in_front_and_the_adapter_is_named() -> None:
    seen: list[dict[str, Any]] = []
    reader_of({"A": 0.0}, seen).point("kalium?", passages())
    (begin,) = seen[0]["prompts"]
    assert begin["adapter"] == "reader"
    assert "B) Kaliumchloride | 20 mmol\n" in begin["prompt"][0]
    assert begin["prompt"][1].startswith(INVOCATION)
    assert begin["continuations"][-1] == "0"
    (end,) = seen[1]["prompts"]
    assert end["prompt"] == [*begin["prompt"], "A", " to"]


def test_an_answer_that_is_none_is_told_as_the_generator_being_away() -> None:
    with pytest.raises(GeneratorUnavailable, match="404"):
        reader_of({}, [], status=404).point("kalium?", passages())
    with pytest.raises(GeneratorUnavailable, match="another number"):
        opened(Settings(), lambda _: httpx.Response(200, json={"prompts": []})).point("kalium?", passages())


OTHER = Settings(generator_kind="openai", generator_url="http://g/v1", mode="answer")


def test_another_server_is_asked_for_the_next_tokens_of_all_passages_at_once() -> None:
    seen: list[dict[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        seen.append(body)
        whole = {
            "B": math.log(0.6),
            "0": math.log(0.2),
            " B": math.log(0.25),
            " C": math.log(0.75),
            "Z": -0.1,
        }
        choices = [{"index": n, "logprobs": {"top_logprobs": [whole]}} for n in range(len(body["prompt"]))]
        return httpx.Response(200, json={"choices": choices[::-1]})

    (reading,) = opened(OTHER, answer).point("kaliumcitraat", passages())
    assert (reading.first, reading.last) == (1, 2)
    assert reading.answers == pytest.approx(math.log(0.6 / 0.2), abs=math.exp(UNSAID) * 50)
    assert seen[0]["model"] == "reader"
    assert len(seen) == 2
    assert seen[1]["prompt"] == [seen[0]["prompt"][0] + "B to"]


@pytest.mark.parametrize("answer", [{}, {"choices": []}, {"choices": [{"index": 0, "logprobs": None}]}])
def test_another_server_without_log_probabilities_is_named(answer: dict[str, Any]) -> None:
    with pytest.raises(GeneratorUnavailable, match="log-probabilities"):
        opened(OTHER, lambda _: httpx.Response(200, json=answer)).point("kalium?", passages())


@pytest.fixture
def settings(settings: Settings, server: Scripted) -> Settings:
    return settings.model_copy(update={"generator_url": server.url, "reader": "adapter:reader"})


async def answer_to(container: Container, question: str) -> Answer:
    asked = new_question(LOCAL_USER, container, question)
    events = [event async for event in ask(asked, LOCAL_USER, container)]
    assert isinstance(events[-1], Done)
    return events[-1].answer


def pointing(monkeypatch: pytest.MonkeyPatch, words: str, answers: float) -> None:
    """A reader that points to the line with these words, wherever it stands."""

    def point(self: AdapterReader, question: str, passages: list[ReadingPassage]) -> list[PointedReading]:
        found = []
        for one in passages:
            at = next((n for n, line in enumerate(one.lines) if words in line.text), None)
            found.append(PointedReading(-8.0, 0, 0, 0.0) if at is None else PointedReading(answers, at, at, 0.0))
        return found

    monkeypatch.setattr(AdapterReader, "point", point)


async def test_what_is_pointed_to_is_what_is_quoted_and_nothing_else(
    container: Container, server: Scripted, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    pointing(monkeypatch, "15 mg/kg", 3.0)
    answer = await answer_to(container, QUESTION)
    assert answer.status == AnswerStatus.ANSWERED
    (candidate,) = server.requests[0]["bedside"]["candidates"]
    text = server.requests[0]["documents"][int(candidate["document"])]["text"]
    quoted = text[candidate["start"] : candidate["end"]]
    assert "15 mg/kg" in quoted
    assert quoted in CHILD
    assert answer.stats["confidence"] == pytest.approx(1 / (1 + math.exp(-3.0)), abs=1e-4)


async def test_where_it_is_unsure_nothing_is_answered_and_the_sources_stand(
    container: Container, server: Scripted, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    pointing(monkeypatch, "15 mg/kg", -1.0)
    answer = await answer_to(container, QUESTION)
    assert answer.status == AnswerStatus.NOT_FOUND
    assert answer.sources
    assert not server.requests


async def test_a_measured_reader_answers_from_the_confidence_that_its_guarantee_needs(
    container: Container, server: Scripted, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    pointing(monkeypatch, "15 mg/kg", 3.0)
    assert container.reader is not None
    for threshold, status in ((0.99, AnswerStatus.NOT_FOUND), (0.9, AnswerStatus.ANSWERED)):
        measured = GuaranteedRisk(100, 20, (Guarantee(0.05, threshold, 60, 0, 10),), dict.fromkeys(RISKS, threshold))
        write(
            container.settings.data_dir / FILE,
            container.embedder.name,
            Calibration(pointing={container.reader.name: measured}),
        )
        assert (await answer_to(container, QUESTION)).status == status


def test_calibration_proves_what_it_can_of_a_reader_that_points(
    container: Container,
    server: Scripted,
    documents: dict[str, Document],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    pointing(monkeypatch, "15 mg/kg", 3.0)
    file = tmp_path / "own.csv"
    rows = [
        f"q{n},Hoeveel paracetamol mag een kind van {n} kg?,paracetamol-kind.pdf,15 mg/kg,validate"
        for n in range(5, 65)
    ]
    file.write_text("id,question,document,span,split\n" + "\n".join(rows) + "\nn1,Waar staat de fiets?,,,validate\n")
    assert isinstance(container.reader, AdapterReader)
    found = with_guarantee(container, container.reader, file, None, out=None)
    assert (found["questions"], found["unanswerable"]) == (61, 1)
    kept = calibration(container.embedder.name, container.settings.data_dir).pointing[container.reader.name]
    assert kept.guarantees
    assert kept.guarantees[0].wrong <= 1
    assert kept.at(0.2) <= 0.96
    settings = container.settings.model_copy(update={"risk": 0.2})
    assert decision(container.with_settings(settings)).what.endswith(
        "at most 20.0% of its answers are wrong, with 95% certainty, on 61 reviewed questions"
    )


def test_calibration_of_a_reader_that_is_away_keeps_nothing(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> list[PointedReading]:
        raise GeneratorUnavailable("away")

    monkeypatch.setattr(AdapterReader, "point", away)
    assert isinstance(container.reader, AdapterReader)
    with pytest.raises(GeneratorUnavailable, match="nothing was calibrated"):
        with_guarantee(container, container.reader, None, None, out=None)
    assert not (container.settings.data_dir / FILE).exists()


async def test_a_reader_that_is_away_leaves_the_decision_to_what_holds_without_one(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> list[PointedReading]:
        raise GeneratorUnavailable("away")

    monkeypatch.setattr(AdapterReader, "point", away)
    answer = await answer_to(container, QUESTION)
    assert answer.status == AnswerStatus.ANSWERED
    assert "cosine" in answer.stats["signals"]


@pytest.mark.slow
def test_a_real_generator_reads_with_an_adapter_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write_adapter(tmp_path / "adapters" / "reader")
    monkeypatch.setenv("BEDSIDE_GENERATOR_ADAPTERS", f"reader={tmp_path / 'adapters' / 'reader'}")
    settings = Settings(data_dir=tmp_path / "data")
    with GeneratorProcess(tmp_path / "data", "demo") as generator:
        with_it, unknown = (
            open_adapter_reader(name, settings, lambda: generator.url, client_of(settings))
            for name in ("reader", "other")
        )
        (first,), (again,) = with_it.point("kalium?", passages()), with_it.point("kalium?", passages())
        assert first == again
        assert 0 <= first.first <= first.last < len(passages()[0].lines)
        assert math.isfinite(first.answers)
        with pytest.raises(GeneratorUnavailable, match="no adapter 'other'"):
            unknown.point("kalium?", passages())
        with_it.close()
        unknown.close()


def _write_adapter(folder: Path) -> None:
    """Of SmolLM2's last layer, at random, in PEFT's form."""
    folder.mkdir(parents=True)
    torch.manual_seed(5)
    name = "base_model.model.model.layers.29.self_attn.q_proj"
    save_file(
        {f"{name}.lora_A.weight": torch.randn(4, 576) / 24, f"{name}.lora_B.weight": torch.randn(576, 4) / 2},
        folder / "adapter_model.safetensors",
    )
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"], "layers_to_transform": [29]}
    (folder / "adapter_config.json").write_text(json.dumps(config))
