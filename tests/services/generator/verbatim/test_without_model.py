"""Quotes without a model: what the engine would have quoted, and no torch for it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.contract.wire import QUOTES, BedsideIn, CandidateIn, ChatRequest, DocumentIn, MessageIn, SpanIn
from services.generator.errors import BadRequest
from services.generator.server import openai_chat as chat
from services.generator.server.quotes_only import create_app
from services.generator.verbatim.without_model import quoted
from tests.services.generator.engines import RandomDrafter, drain, engine, tiny_codec, tiny_target

pytestmark = pytest.mark.quick

DOCUMENTS = [
    DocumentIn(
        id="list",
        text="Niet geven bij:\n- leverinsufficientie\n- koorts boven 39\n\nWel geven bij pijn. Was de handen.\n",
    ),
    DocumentIn(id="table", text="Gewicht\tDosis\n5 kg\t75 mg\n9 kg\t135 mg\nWel geven bij koorts. Was de handen.\n"),
]
PLACES = (
    ("list", "- leverinsufficientie", "Niet geven bij:"),
    ("list", "- koorts boven 39", "Niet geven bij:"),
    ("list", "Wel geven bij pijn.", ""),
    ("list", "Was de handen.", ""),
    ("table", "5 kg\t75 mg", "Gewicht\tDosis"),
    ("table", "9 kg\t135 mg", "Gewicht\tDosis"),
    ("table", "Wel geven bij koorts.", ""),
    ("table", "Was de handen.", ""),
)


def candidate(place: tuple[str, str, str], score: float) -> CandidateIn:
    document, sentence, lead = place
    text = next(one.text for one in DOCUMENTS if one.id == document)
    start = text.index(sentence)
    before = [SpanIn(start=text.index(lead), end=text.index(lead) + len(lead))] if lead else []
    return CandidateIn(document=document, start=start, end=start + len(sentence), score=score, lead=before)


def asked(candidates: list[CandidateIn] | None, **options: Any) -> ChatRequest:
    bedside = BedsideIn(**{"mode": "verbatim", "candidates": candidates, "likelihood_weight": 0.0} | options)
    return ChatRequest(
        model=QUOTES, messages=[MessageIn(role="user", content="Hoeveel?")], documents=DOCUMENTS, bedside=bedside
    )


def by_the_engine(ask: ChatRequest) -> tuple[str, list[Any]]:
    request = chat.build_request(ask, tiny_codec(), {"copy": RandomDrafter(9)}, chat.Defaults("demo", "copy", 256))
    one = engine(tiny_target(), RandomDrafter(400), context=512, nodes=64)
    one.add(request)
    outputs = drain(one)
    return "".join(output.text for output in outputs), [span for output in outputs for span in output.spans]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    # Of equal weights the engine takes the lower token, whatever that is a part of.
    chosen=st.lists(
        st.tuples(st.sampled_from(PLACES), st.integers(0, 20)),
        min_size=1,
        max_size=8,
        unique_by=(lambda one: one[0], lambda one: one[1]),
    ),
    most=st.integers(1, 4),
    margin=st.sampled_from([0.0, 2.0]),
    one_document=st.booleans(),
)
def test_what_is_quoted_is_what_the_engine_quotes(chosen: Any, most: int, margin: float, one_document: bool) -> None:
    candidates = [candidate(place, float(score)) for place, score in chosen]
    ask = asked(candidates, max_sentences=most, margin=margin, one_document=one_document)
    ours = quoted(ask)
    text, spans = by_the_engine(ask)
    assert ours.text == text
    assert list(ours.spans) == spans


@pytest.mark.parametrize("options", [{"mode": "answer"}, {"likelihood_weight": 1.0}])
def test_what_needs_a_model_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadRequest, match="no model"):
        quoted(asked([candidate(PLACES[0], 1.0)], **options))


def test_sentences_that_nobody_weighed_are_refused() -> None:
    with pytest.raises(BadRequest, match="weighed already"):
        quoted(asked(None))


def test_the_service_streams_text_and_spans_and_names_what_is_wrong() -> None:
    with TestClient(create_app()) as client:
        assert client.get("/health").json()["status"] == "ok"
        assert [one["id"] for one in client.get("/v1/models").json()["data"]] == [QUOTES]
        body = asked([candidate(PLACES[4], 1.0)]).model_dump(mode="json")
        streamed = client.post("/v1/chat/completions", json=body | {"stream": True}).text
        assert streamed.endswith("data: [DONE]\n\n")
        assert "5 kg\\t75 mg" in streamed
        assert '"source_start":0' in streamed
        whole = client.post("/v1/chat/completions", json=body).json()
        assert whole["choices"][0]["message"]["content"] == "Gewicht\tDosis\n5 kg\t75 mg"
        refused = client.post("/v1/chat/completions", json=body | {"model": "gpt"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad-request")
        assert (
            "documents" in client.post("/v1/chat/completions", json=body | {"documents": 3}).json()["error"]["message"]
        )


def test_it_runs_where_there_is_no_torch() -> None:
    script = (
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('torch', 'transformers', 'tokenizers'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "import services.generator.server.quotes_only\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
