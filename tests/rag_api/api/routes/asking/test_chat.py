"""The whole of Bedside behind OpenAI's protocol, by OpenAI's own client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import openai
import pytest

from rag_api.answering.warnings.notice_texts import notice
from rag_api.domain import Document
from tests.rag_api.api.test_api import DUTCH, client, container, documents, url
from tests.support.scripted_server import Scripted, quote

__all__ = ["client", "container", "documents", "url"]

FLAG = "Welke vlag hangt er op het stadhuis van Ieper?"


@pytest.fixture
def asking(url: str, scripted: Scripted, documents: dict[str, Document]) -> Iterator[openai.OpenAI]:
    scripted.script, scripted.status = quote, 200
    scripted.requests.clear()
    with openai.OpenAI(base_url=f"{url}/api/v1", api_key="of no one", max_retries=0) as made:
        yield made


def user(text: str) -> Any:
    return {"role": "user", "content": text}


def test_the_one_model_is_listed(asking: openai.OpenAI) -> None:
    assert [model.id for model in asking.models.list()] == ["bedside"]


def test_an_answer_comes_with_its_quotes_as_annotations(asking: openai.OpenAI, documents: dict[str, Document]) -> None:
    found = asking.chat.completions.create(model="bedside", messages=[user(DUTCH)])
    message = found.choices[0].message
    assert message.content
    assert message.annotations
    assert message.refusal is None
    for one in message.annotations:
        quoted = message.content[one.url_citation.start_index : one.url_citation.end_index]
        assert quoted
        assert quoted in "".join(span["text"] for span in found.bedside["spans"])  # type: ignore[attr-defined]
        assert one.url_citation.title == found.bedside["sources"][0]["title"]  # type: ignore[attr-defined]
        assert f"/d/{documents['child'].id}#page=1&quote=" in one.url_citation.url
    assert found.bedside["status"] == "answered"  # type: ignore[attr-defined]


def test_a_streamed_answer_says_the_same_as_a_whole_one(asking: openai.OpenAI) -> None:
    whole = asking.chat.completions.create(model="bedside", messages=[user(DUTCH)]).choices[0].message
    chunks = list(asking.chat.completions.create(model="bedside", messages=[user(DUTCH)], stream=True))
    deltas = [chunk.choices[0].delta for chunk in chunks]
    said = "".join(delta.content or "" for delta in deltas)
    # what is only known at the end stands there
    assert sorted(said.split("\n\n")) == sorted((whole.content or "").split("\n\n"))
    assert len([delta for delta in deltas if delta.content]) > 1
    assert chunks[-1].choices[0].finish_reason == "stop"
    last = chunks[-1].choices[0].delta.annotations  # type: ignore[attr-defined]
    assert whole.annotations
    assert [one["url_citation"]["url"] for one in last] == [one.url_citation.url for one in whole.annotations]
    for one, other in zip(last, whole.annotations, strict=True):
        here, there = one["url_citation"], other.url_citation
        assert (
            said[here["start_index"] : here["end_index"]]
            == (whole.content or "")[there.start_index : there.end_index]
            != ""
        )


@pytest.mark.parametrize("stream", [False, True])
def test_a_question_that_nothing_answers_is_a_refusal(asking: openai.OpenAI, scripted: Scripted, stream: bool) -> None:
    if stream:
        deltas = [
            c.choices[0].delta
            for c in asking.chat.completions.create(model="bedside", messages=[user(FLAG)], stream=True)
        ]
        assert "".join(delta.content or "" for delta in deltas) == ""
        refusal = "".join(delta.refusal or "" for delta in deltas)
    else:
        message = asking.chat.completions.create(model="bedside", messages=[user(FLAG)]).choices[0].message
        assert message.content is None
        refusal = message.refusal or ""
    assert refusal == notice("not_sure", "nl").text
    assert scripted.requests == []


def test_a_follow_up_leans_on_what_was_asked_before(asking: openai.OpenAI) -> None:
    said = [user(DUTCH), {"role": "assistant", "content": "15 mg/kg"}, user("en per dag?")]
    found = asking.chat.completions.create(model="bedside", messages=said)
    assert "paracetamol" in found.bedside["query"].lower()  # type: ignore[attr-defined]
    alone = asking.chat.completions.create(model="bedside", messages=[user("en per dag?")])
    assert "paracetamol" not in alone.bedside["query"].lower()  # type: ignore[attr-defined]


def test_what_must_be_known_stands_above_the_answer(asking: openai.OpenAI, scripted: Scripted) -> None:
    """In a client that shows nothing but words too: here that the generator is away, and which
    procedures there are."""
    scripted.status = 503
    message = asking.chat.completions.create(model="bedside", messages=[user(DUTCH)]).choices[0].message
    assert message.content
    assert message.content.startswith("Bedside kan nu geen antwoord samenstellen; dit zijn de procedures.")
    assert message.annotations
    assert message.annotations[0].url_citation.title


def test_what_cannot_be_asked_is_refused_as_in_ask(asking: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="must be a question"):
        asking.chat.completions.create(model="bedside", messages=[{"role": "assistant", "content": "Dag"}])
    with pytest.raises(openai.BadRequestError, match="at most 2000"):
        asking.chat.completions.create(model="bedside", messages=[user("a" * 2001)])
    with pytest.raises(openai.NotFoundError):
        asking.chat.completions.create(
            model="bedside",
            messages=[user(DUTCH)],
            extra_body={"bedside": {"conversation_id": "00000000-0000-4000-8000-000000000000"}},
        )


def test_sources_alone_can_be_asked_for(asking: openai.OpenAI, scripted: Scripted) -> None:
    found = asking.chat.completions.create(
        model="x", messages=[user(DUTCH)], extra_body={"bedside": {"mode": "sources"}}
    )
    assert found.bedside["status"] == "sources_only"  # type: ignore[attr-defined]
    assert found.choices[0].message.annotations
    assert scripted.requests == []
