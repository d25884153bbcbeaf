"""What travels between the generator service and its clients: OpenAI's chat completions plus `documents` and `bedside`.

The only module of the generator (with templates.py) that rag_api may import. Knows neither torch nor the engine.
Unknown fields are refused: a silently dropped option is a wrong answer.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class WireModel(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DocumentIn(WireModel):
    """A passage the answer may copy from, as in vLLM's `documents`."""

    id: str
    title: str = ""
    text: str


class CandidateIn(WireModel):
    """A sentence that a verbatim answer may contain: characters [start, end) of the document's text."""

    document: str
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    score: float = Field(0.0, description="The prior that retrieval gives this sentence, in nats.")


class BedsideIn(WireModel):
    """Extensions; all optional, so that a plain OpenAI client works unchanged."""

    mode: Literal["answer", "verbatim"] = "answer"
    template: str | None = Field(None, description="Name of a prompt template; the server's default when absent.")
    language: Literal["nl", "en"] | None = Field(None, description="Of the question; chooses the template's language.")
    candidates: list[CandidateIn] | None = Field(None, description="verbatim: the sentences to choose from; absent: every sentence.")
    max_sentences: int = Field(2, ge=1, le=20)
    likelihood_weight: float = Field(0.05, description="verbatim: weight of log p(question | sentence) beside the prior.")
    margin: float = Field(0.0, ge=0, description="verbatim: a further sentence is added while its weight is within this many nats of the first's; 0: always.")
    drafter: str | None = Field(None, description="Override the drafter: 'none', 'copy', 'eagle', ...; the server's choice when absent.")


class SpanOut(WireModel):
    """answer[start:end] == documents[document].text[source_start:source_end], character for character."""

    start: int
    end: int
    document: str
    source_start: int
    source_end: int


class StatsOut(BaseModel):
    """Measured by the engine for this request. tokens_per_step counts the bonus token."""

    tokens: int
    steps: int
    tokens_per_step: float
    drafted_nodes: int = 0
    accepted_by_source: dict[str, int] = {}
    accepted_lengths: dict[str, dict[int, int]] = {}
    prompt_tokens: int = 0
    cached_tokens: int = 0
    queue_seconds: float = 0.0
    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0
    joules: float | None = None
    joules_reason: str | None = None


class BedsideOut(BaseModel):
    """`bedside` on a response, and on stream chunks (spans when closed; the rest on the last one)."""

    spans: list[SpanOut] = []
    prompt_version: str | None = None
    stats: StatsOut | None = None
    extra: dict[str, Any] = {}
