"""The configured language model's own judgement, with a server whose logits are scripted:
probabilities are those worked out by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import httpx
import pytest

from rag_api.config import Settings
from rag_api.errors import ConfigurationError, GeneratorUnavailable
from rag_api.qa_readers.llm import MOST, UNSAID, LlmReader, log_sum, open_llm_reader, prompts_of, variants
from rag_api.retrieval.reader_model.reader import ReaderPassage

pytestmark = pytest.mark.quick

TEXT = "Spoel wekelijks. Verwijder na 14 dagen. Bel bij koorts."
PASSAGE = ReaderPassage("PICC", "Zorg", TEXT, ((0, 16), (17, 39), (40, 55)))


def reader(answer: httpx.MockTransport, tmp_path: Path, kind: str = "bedside") -> LlmReader:
    settings = Settings(
        data_dir=tmp_path, generator_url="http://g/v1", generator_model="m", generator_kind=kind, reader="llm"
    )
    return open_llm_reader(settings, lambda: "http://g/v1", answer)


def scripted(logits: dict[str, float]) -> httpx.MockTransport:
    """A vocabulary of these words: log-probabilities are the log-softmax of their logits."""
    whole = math.log(sum(math.exp(value) for value in logits.values()))

    def answer(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        assert (request.url.path, body["model"]) == ("/v1/score", "m")
        told = [[logits.get(text, -50.0) - whole for text in prompt["continuations"]] for prompt in body["prompts"]]
        return httpx.Response(200, json={"model": "m", "prompts": [{"logprobs": own} for own in told]})

    return httpx.MockTransport(answer)


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [("hoe vaak moet ik de PICC spoelen", "ja", "nee"), ("how often should the PICC be flushed", "yes", "no")],
)
def test_the_chance_of_an_answer_is_that_of_yes_among_yes_and_no_however_they_are_written(
    tmp_path: Path, question: str, yes: str, no: str
) -> None:
    logits = {yes: 1.0, yes.capitalize(): 2.0, f" {yes}": 0.5, no: 0.0, f" {no.capitalize()}": 1.5, "misschien": 9.0}
    (judged,) = reader(scripted(logits), tmp_path).judge(question, [PASSAGE])
    for_it, against = math.exp(1) + math.exp(2) + math.exp(0.5), math.exp(0) + math.exp(1.5)
    assert 1 / (1 + math.exp(-judged.answers)) == pytest.approx(for_it / (for_it + against), abs=1e-9)


def test_the_sentences_share_one_by_the_chance_of_their_numbers(tmp_path: Path) -> None:
    (judged,) = reader(scripted({"1": 0.0, "2": 1.0, " 2": 0.0, "3": -1.0, "ja": 5.0}), tmp_path).judge(
        "wanneer eruit", [PASSAGE]
    )
    weights = [math.exp(0), math.exp(1) + math.exp(0), math.exp(-1)]
    assert [math.exp(value) for value in judged.spans] == pytest.approx([w / sum(weights) for w in weights], abs=1e-9)


def test_the_passage_stands_before_the_question_so_that_its_computation_is_shared() -> None:
    whether, which = prompts_of("hoe vaak spoelen", PASSAGE)
    other, _ = prompts_of("wanneer eruit", PASSAGE)
    assert which is not None
    begins = whether[0].index("hoe vaak")
    assert whether[0][:begins] == which[0][:begins] == other[0][:begins]
    assert "[2] Verwijder na 14 dagen." in whether[0][:begins]
    assert "PICC\nZorg" in whether[0][:begins]


def test_a_passage_without_sentences_or_with_one_is_only_asked_whether_it_answers(tmp_path: Path) -> None:
    one, none = ReaderPassage("T", "", TEXT, ((0, 16),)), ReaderPassage("T", "", TEXT, ())
    judged = reader(scripted({"ja": 1.0, "nee": 0.0}), tmp_path).judge("hoe vaak is het", [one, none])
    assert [j.spans for j in judged] == [(0.0,), ()]
    assert reader(scripted({"x": 0.0}), tmp_path).judge("vraag", []) == []


def test_sentences_beyond_what_is_asked_about_are_unlikely(tmp_path: Path) -> None:
    many = ReaderPassage("T", "", "Zin. " * (MOST + 2), tuple((5 * n, 5 * n + 4) for n in range(MOST + 2)))
    (judged,) = reader(scripted({"1": 1.0, "ja": 1.0, "nee": 1.0}), tmp_path).judge("welke is het", [many])
    assert judged.spans[-2:] == (UNSAID, UNSAID)
    assert sum(math.exp(value) for value in judged.spans[:MOST]) == pytest.approx(1.0)


def openai(content: object) -> httpx.MockTransport:
    return httpx.MockTransport(
        lambda request: httpx.Response(200, json={"choices": [{"message": {"content": "ja"}, "logprobs": content}]})
    )


def test_another_server_is_judged_by_its_likeliest_tokens(tmp_path: Path) -> None:
    top = [{"token": "Ja", "logprob": -0.5}, {"token": " nee", "logprob": -1.5}]
    (judged,) = reader(
        openai({"content": [{"token": "Ja", "logprob": -0.5, "top_logprobs": top}]}), tmp_path, "openai"
    ).judge("hoe vaak is het", [ReaderPassage("T", "", TEXT, ())])
    assert judged.answers == pytest.approx(log_sum([-0.5, *[UNSAID] * 3]) - log_sum([-1.5, *[UNSAID] * 3]))


@pytest.mark.parametrize("content", [None, {"content": []}, {"content": [{"token": "Ja", "logprob": -0.5}]}])
def test_a_server_without_log_probabilities_is_refused_at_start(tmp_path: Path, content: object) -> None:
    with pytest.raises(ConfigurationError, match=r"BEDSIDE_READER=llm needs log-probabilities"):
        reader(openai(content), tmp_path, "openai")


def test_a_server_that_is_silent_is_unavailable_when_it_is_asked(tmp_path: Path) -> None:
    def silent(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody there")

    made = reader(httpx.MockTransport(silent), tmp_path, "openai")
    with pytest.raises(GeneratorUnavailable, match="does not judge"):
        made.judge("vraag", [PASSAGE])


def test_the_name_says_model_and_version_of_the_prompts(tmp_path: Path) -> None:
    assert reader(scripted({"x": 0.0}), tmp_path).name == "llm:m:1"
    assert variants("ja") == ("ja", "Ja", " ja", " Ja")
