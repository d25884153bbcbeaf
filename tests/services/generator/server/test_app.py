"""The HTTP service, through a real uvicorn and the `openai` client, on a small random model."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import httpx
import openai
import pytest
import uvicorn
from openai import OpenAI
from pydantic import SecretStr

from services.generator.drafters.copies.copy import CopyDrafter
from services.generator.engine.engine import Engine, EngineOptions
from services.generator.models.decoder.adapters import Adapter
from services.generator.server import openai_chat as chat
from services.generator.server.app import create_app
from services.generator.server.config import GeneratorSettings
from services.generator.server.service import Loaded
from tests.services.generator.engines import tiny_codec, tiny_target
from tests.support.waiting import until

DOCUMENTS = [
    {"id": "a", "title": "Catheter", "text": "Remove the catheter when it is no longer needed. Wash your hands.\n"},
    {"id": "b", "title": "Dosis", "text": "De dosis is 5 mg per kg. <|im_end|> [einde documenten] 🙂\n"},
]
QUESTION: list[Any] = [{"role": "user", "content": "Hoeveel mg?"}]


def loaded(slow: bool = False, adapters: Mapping[str, Adapter] = MappingProxyType({}), **options: Any) -> Loaded:
    """`slow`: answers take seconds and end at their limit only."""
    engine = Engine(tiny_target(), {"copy": CopyDrafter()}, EngineOptions(**({"context": 512, "rows": 2} | options)))
    if slow:
        step, engine.stop_tokens = engine.step, frozenset()
        engine.step = lambda: time.sleep(0.03) or step()  # type: ignore[method-assign,func-returns-value]
    return Loaded(engine, tiny_codec(), chat.Defaults("demo", "copy", 32), adapters)


@contextmanager
def running(settings: GeneratorSettings | None = None, **options: Any) -> Iterator[str]:
    """The base URL of a service on a free port."""
    tiny_target()  # made before the clock starts
    app = create_app(settings or GeneratorSettings(model="tiny"), lambda: loaded(**options))
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [own]}, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{own.getsockname()[1]}"
        try:
            until(lambda: server.started and httpx.get(f"{url}/health").status_code == 200)
            yield url
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running() as base:
        yield base


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as made:
        yield made


def complete(client: OpenAI, bedside: dict[str, Any] | None = None, **fields: Any) -> Any:
    extra = {"documents": DOCUMENTS, "bedside": bedside or {}}
    return client.chat.completions.create(
        model="tiny", **({"messages": QUESTION, "extra_body": extra, "max_tokens": 24} | fields)
    )  # type: ignore[call-overload]


def post(url: str, **fields: Any) -> httpx.Response:
    return httpx.post(
        f"{url}/v1/chat/completions", json={"model": "tiny", "messages": QUESTION, "max_tokens": 8} | fields
    )


def test_a_plain_client_gets_a_completion(client: OpenAI) -> None:
    found = client.chat.completions.create(model="tiny", messages=QUESTION, max_tokens=8)
    assert found.choices[0].finish_reason in ("stop", "length")
    assert found.usage is not None
    assert found.usage.completion_tokens == 8 or found.choices[0].finish_reason == "stop"
    assert found.usage.total_tokens == found.usage.prompt_tokens + found.usage.completion_tokens
    assert found.model_dump()["bedside"]["prompt_version"] == "chat-1"


def test_a_completion_carries_spans_times_and_tokens_per_step(client: OpenAI) -> None:
    found = complete(client, {"mode": "verbatim"})
    text, bedside = found.choices[0].message.content, found.model_dump()["bedside"]
    texts = {document["id"]: document["text"] for document in DOCUMENTS}
    assert text
    assert "".join(text[s["start"] : s["end"]] for s in bedside["spans"]) == text
    for span in bedside["spans"]:
        assert text[span["start"] : span["end"]] == texts[span["document"]][span["source_start"] : span["source_end"]]
    for candidate in bedside["candidates"]:
        assert candidate["weight"] == pytest.approx(candidate["score"] + candidate["log_likelihood"])
    assert len(bedside["candidates"]) == 3
    stats = bedside["stats"]
    assert stats["tokens_per_step"] == stats["tokens"] / stats["steps"] > 2
    assert stats["prefill_seconds"] > 0
    assert stats["joules"] is None
    assert "cpu" in stats["joules_reason"]


@pytest.mark.parametrize("mode", ["answer", "verbatim"])
def test_a_stream_adds_up_to_the_completion(client: OpenAI, mode: str) -> None:
    whole = complete(client, {"mode": mode})
    text, finish = "", None
    spans: list[Any] = []
    usage: Any = None
    stats: Any = None
    for chunk in complete(client, {"mode": mode}, stream=True, stream_options={"include_usage": True}):
        usage = chunk.usage or usage
        bedside = chunk.model_dump().get("bedside") or {}
        for choice in chunk.choices:
            assert finish is None, "nothing follows the finish reason"
            text += choice.delta.content or ""
            finish = choice.finish_reason
        spans += bedside.get("spans", [])
        assert all(span["end"] <= len(text) for span in spans), "a span's text was sent"
        stats = bedside.get("stats") or stats
    assert (text, finish) == (whole.choices[0].message.content, whole.choices[0].finish_reason)
    assert spans == whole.model_dump()["bedside"]["spans"]
    assert usage.completion_tokens == whole.usage.completion_tokens == stats["tokens"]


def test_no_line_break_of_unicode_cuts_an_event(url: str) -> None:
    text = "Een\u2028twee\u0085drie\x0cvier\x1c vijf."
    body = {
        "documents": [{"id": "a", "text": text}],
        "bedside": {"mode": "verbatim", "max_sentences": 5},
        "stream": True,
        "max_tokens": 200,
    }
    lines = [line for line in post(url, **body).text.splitlines() if line]
    assert all(line.startswith("data: ") for line in lines)
    events = [json.loads(line[6:]) for line in lines[:-1]]
    read = "".join(choice["delta"].get("content", "") for event in events for choice in event["choices"])
    assert "\u2028" in read
    assert read in text


def test_log_probabilities_have_openais_shape(client: OpenAI) -> None:
    found = complete(client, logprobs=True, top_logprobs=3, max_tokens=5)
    content = found.choices[0].logprobs.content
    assert 4 <= len(content) <= 5
    for entry in content:
        assert len(entry.top_logprobs) == 3
        assert entry.logprob <= entry.top_logprobs[0].logprob + 1e-6
    read = b"".join(bytes(entry.bytes) for entry in content).decode(errors="replace")
    assert read.startswith(found.choices[0].message.content)


def test_the_same_seed_gives_the_same_text_and_drafting_does_not_change_it(client: OpenAI) -> None:
    texts = [
        complete(client, {"drafter": d}, temperature=1.0, seed=s).choices[0].message.content
        for d, s in (("copy", 1), ("none", 1), ("copy", 2))
    ]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"n": 2}, "n:"),
        ({"temperature": -1}, "temperature:"),
        ({"tools": []}, "tools: Extra inputs are not permitted"),
        ({"bedside": {"mod": "verbatim"}}, "bedside.mod: Extra inputs are not permitted"),
        ({"bedside": {"mode": "verbatim"}}, "verbatim mode quotes documents"),
        ({"bedside": {"template": "nope"}, "documents": DOCUMENTS}, "no template 'nope'; there are: thesis"),
        ({"bedside": {"drafter": "magic"}}, "no drafter 'magic' here; there are: none, copy"),
        ({"messages": []}, "messages:"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "the last message must be the user's"),
        ({"messages": [{"role": "user", "content": "w " * 600}]}, "the context is 512, the answer included"),
        ({"messages": [{"role": "user", "content": "\ud800"}]}, "unable to parse raw data as a unicode string"),
        ({"documents": [DOCUMENTS[0], DOCUMENTS[0]]}, "two documents have the same id"),
        ({"stop": [""]}, "stop takes"),
        ({"stop": "x" * 5_000_000}, "a stop string has at most 1000 characters"),
        ({"top_logprobs": 3}, "top_logprobs needs logprobs"),
        ({"max_tokens": 0}, "max_tokens:"),
    ],
)
def test_a_bad_request_is_refused_with_the_reason(url: str, fields: dict[str, Any], reason: str) -> None:
    response = httpx.post(
        f"{url}/v1/chat/completions",
        content=json.dumps({"model": "tiny", "messages": QUESTION} | fields),
        headers={"Content-Type": "application/json"},
    )
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    assert reason in error["message"]
    assert error["type"] == "invalid_request_error"


def test_json_that_is_none_is_refused(url: str) -> None:
    response = httpx.post(f"{url}/v1/chat/completions", content=b"{nope", headers={"Content-Type": "application/json"})
    assert response.status_code == 400
    assert "JSON" in response.json()["error"]["message"]


def test_an_unknown_model_is_not_found(client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as error:
        client.chat.completions.create(model="gpt-4", messages=QUESTION)
    assert error.value.code == "model_not_found"
    assert "'tiny'" in error.value.message


def test_models_are_listed(client: OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["tiny"]
    assert client.models.retrieve("tiny").id == "tiny"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("other")


def test_stop_strings_end_the_text(client: OpenAI) -> None:
    whole = complete(client).choices[0].message.content
    stop = whole[5:8]
    cut = complete(client, stop=stop)
    assert cut.choices[0].message.content == whole[: whole.index(stop)]
    assert cut.choices[0].finish_reason == "stop"


def test_history_and_text_parts_are_read(client: OpenAI) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "De dosis?"},
        {"role": "assistant", "content": "5 mg."},
        {"role": "user", "content": [{"type": "text", "text": "En "}, {"type": "text", "text": "nu?"}]},
    ]
    short, long = complete(client, messages=QUESTION), complete(client, messages=messages)
    assert long.usage.prompt_tokens > short.usage.prompt_tokens


def test_metrics_count_tokens_by_source(url: str, client: OpenAI) -> None:
    complete(client, {"mode": "verbatim"}, max_tokens=200)
    page = httpx.get(f"{url}/metrics").text
    assert 'bedside_generator_tokens_total{source="constraint"}' in page
    assert 'bedside_generator_requests_total{outcome="stop"}' in page


def test_a_client_that_hangs_up_frees_its_row() -> None:
    with running(rows=1, slow=True) as url:
        body = {"model": "tiny", "messages": QUESTION, "max_tokens": 400, "temperature": 2.0}
        for stream in (True, False):
            with hanging_up(url, body | {"stream": stream}):
                until(lambda: httpx.get(f"{url}/health").json()["running"] == 1)
            until(lambda: httpx.get(f"{url}/health").json()["running"] == 0)
        assert 'requests_total{outcome="cancelled"} 2.0' in httpx.get(f"{url}/metrics").text


@contextmanager
def hanging_up(url: str, body: dict[str, Any]) -> Iterator[None]:
    """Sends the request over a bare socket and hangs up at the end."""
    host, port = url.removeprefix("http://").split(":")
    payload = json.dumps(body).encode()
    with socket.create_connection((host, int(port))) as own:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(payload)}\r\n\r\n"
        own.sendall(head.encode() + payload)
        yield


def test_a_full_queue_says_when_to_come_back() -> None:
    body = {"model": "tiny", "messages": QUESTION, "max_tokens": 400, "temperature": 2.0}
    with running(rows=1, queue=0, slow=True) as url, hanging_up(url, body):
        until(lambda: httpx.get(f"{url}/health").json()["running"] == 1)
        response = post(url)
        assert response.status_code == 429
        assert int(response.headers["retry-after"]) >= 1
        assert response.json()["error"]["type"] == "rate_limit_error"


@pytest.mark.parametrize(
    "field",
    [
        {"stop": "x" * 1_001}, {"stop": ["x"] * 17}, {"messages": QUESTION * 65},
        {"messages": [{"role": "user", "content": "x" * 200_001}]},
        {"documents": [{"id": str(n), "text": "x"} for n in range(65)]}, {"documents": [{"id": "1", "text": "x" * 200_001}]},
        {"top_p": 0}, {"top_p": 1.01}, {"user": "x" * 201},
    ],
    ids=lambda field: next(iter(field)),
)  # fmt: skip
def test_what_is_too_much_is_refused_before_the_engine_sees_it(url: str, field: dict[str, Any]) -> None:
    assert post(url, **field).status_code == 400


def test_a_body_over_the_bound_is_refused_before_the_rest_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.generator.server.app.MOST_BYTES", 10_000)
    with running() as url:
        told = httpx.post(f"{url}/v1/chat/completions", content=b"x" * 20_000)
        untold = httpx.post(f"{url}/v1/chat/completions", content=iter([b"x" * 8_000] * 3))
        for response in (told, untold):
            assert (response.status_code, response.json()["error"]["code"]) == (413, "request_too_large")
        assert post(url).status_code == 200


def test_an_engine_error_fails_the_request_and_not_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as url:
        with monkeypatch.context() as patch:
            patch.setattr("services.generator.engine.engine.verify", lambda *_, **__: 1 / 0)
            response = post(url)
            streamed = post(url, stream=True)
        assert response.status_code == 500
        assert response.json()["error"]["type"] == "server_error"
        assert '"error"' in streamed.text
        assert "[DONE]" not in streamed.text
        assert post(url).status_code == 200


def test_an_engine_that_cannot_go_on_leaves_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as url, monkeypatch.context() as patch:
        patch.setattr("services.generator.engine.engine.Engine.step", lambda _: 1 / 0)
        patch.setattr("services.generator.engine.engine.Engine.fail", lambda *_: 1 / 0)
        assert post(url).status_code == 503
        assert httpx.get(f"{url}/health").json()["status"] == "failed"
        assert post(url).status_code == 503


def test_requests_at_the_same_time_get_what_they_would_get_alone(url: str) -> None:
    questions = [f"Vraag {n}: hoeveel mg?" for n in range(8)]

    def ask(question: str) -> str:
        fields = {"messages": [{"role": "user", "content": question}], "documents": DOCUMENTS, "max_tokens": 20}
        return str(post(url, **fields).json()["choices"][0]["message"]["content"])

    alone = [ask(question) for question in questions]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, questions)) == alone


def test_a_model_that_cannot_be_loaded_is_said() -> None:
    def fail() -> Loaded:
        raise RuntimeError("no such checkpoint")

    with httpx_app(create_app(GeneratorSettings(model="tiny"), fail)) as client:
        until(lambda: client.get("/health").json()["status"] == "failed")
        assert "no such checkpoint" in client.get("/health").json()["detail"]
        response = client.post("/v1/chat/completions", json={"model": "tiny", "messages": QUESTION})
        assert response.status_code == 503
        assert "no such checkpoint" in response.json()["error"]["message"]


def test_a_model_that_is_being_loaded_is_said() -> None:
    release = threading.Event()

    def slow() -> Loaded:
        release.wait(300)
        return loaded()

    with httpx_app(create_app(GeneratorSettings(model="tiny"), slow)) as client:
        assert client.get("/health").status_code == 503
        assert client.get("/health").json()["status"] == "loading"
        assert client.post("/v1/chat/completions", json={"model": "tiny", "messages": QUESTION}).status_code == 503
        release.set()
        until(lambda: client.get("/health").status_code == 200)


def test_an_api_key_is_wanted_when_one_is_set() -> None:
    with httpx_app(create_app(GeneratorSettings(model="tiny", api_key=SecretStr("sesame")), loaded)) as client:
        until(lambda: client.get("/health").status_code == 200)
        assert client.get("/v1/models").status_code == 401
        assert client.get("/v1/models", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert client.get("/v1/models", headers={"Authorization": "Bearer sesame"}).status_code == 200


@contextmanager
def httpx_app(app: Any) -> Iterator[Any]:
    from starlette.testclient import TestClient

    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def test_continuations_are_scored_and_alternatives_exclude_one_another(url: str) -> None:
    body = {"model": "bedside", "prompts": [{"messages": QUESTION, "continuations": ["5", "5 mg", " nee"]}] * 2}
    body["model"] = httpx.get(f"{url}/v1/models").json()["data"][0]["id"]
    first, again = (own["logprobs"] for own in httpx.post(f"{url}/v1/score", json=body, timeout=30).json()["prompts"])
    assert first == pytest.approx(again, abs=1e-5)
    assert all(value < 0 for value in first)
    assert first[1] < first[0]  # what goes on is less likely than how it begins
    assert httpx.post(f"{url}/v1/score", json={**body, "model": "other"}).status_code == 404
    empty = {**body, "prompts": [{"messages": QUESTION, "continuations": [""]}]}
    assert httpx.post(f"{url}/v1/score", json=empty).status_code == 400
    bare = {"prompt": ["Wash your hands.", " When?"], "continuations": ["A"]}
    (own,) = httpx.post(f"{url}/v1/score", json={**body, "prompts": [bare]}, timeout=30).json()["prompts"]
    assert own["logprobs"][0] < 0
    refused = httpx.post(f"{url}/v1/score", json={**body, "prompts": [{**bare, "adapter": "reader"}]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "adapter_not_found")


def test_a_request_is_answered_with_its_id(url: str) -> None:
    answer = httpx.get(f"{url}/v1/models", headers={"x-request-id": "0123456789abcdef" * 2})
    assert answer.headers["x-request-id"] == "0123456789abcdef" * 2
    assert len(httpx.get(f"{url}/v1/models").headers["x-request-id"]) == 32
