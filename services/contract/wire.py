"""Requests and responses between the generator service and its clients: OpenAI's chat completions
plus `documents` and `bedside`.

With templates.py what both sides share. Knows neither torch nor the engine.
Unknown fields are refused: a silently dropped option is a wrong answer.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_STOP_LENGTH = 1_000  # characters of one stop string
MAX_MESSAGES = 64
MAX_TEXT = 200_000  # characters of one message or document: more than any context holds
MAX_NAME = 200
# that packages bring: small, and not for clinical use
DEMO_MODELS = ("demo", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")
QUOTES = "quotes"  # in place of a model's name: the service that quotes what was weighed, without a model
MAX_LEAD = 8  # places that a sentence is led in by
# code of a refused request whose prompt is more than the model reads at once, as OpenAI has it
TOO_LONG = "context_length_exceeded"


class WireModel(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DocumentIn(WireModel):
    """A passage the answer may copy from, as in vLLM's `documents`."""

    id: str = Field(max_length=MAX_NAME)
    title: str = Field("", max_length=2_000)
    text: str = Field(max_length=MAX_TEXT)


class SpanIn(WireModel):
    """Characters [start, end) of a document's text."""

    start: int = Field(ge=0)
    end: int = Field(gt=0)


class RetrievedRangeIn(SpanIn):
    """Characters of one of the request's documents."""

    document: str = Field(max_length=MAX_NAME)


class CandidateIn(RetrievedRangeIn):
    """A sentence that a verbatim answer may contain: characters [start, end) of the document's
    text."""

    lead: list[SpanIn] = Field(
        default=[],
        max_length=MAX_LEAD,
        description="What it must not be read without (a list's introduction, a table's header): written before it, "
        "once. "
        "In the document's order, all before `start`, each followed by white space.",
    )
    score: float = Field(0.0, description="The prior that retrieval gives this sentence, in nats.")


class BedsideIn(WireModel):
    """Extensions; all optional, so that a plain OpenAI client works unchanged."""

    mode: Literal["answer", "verbatim"] = "answer"
    template: str | None = Field(
        None, max_length=MAX_NAME, description="Name of a prompt template; the server's default when absent."
    )
    language: Literal["nl", "en"] | None = Field(None, description="Of the question; chooses the template's language.")
    candidates: list[CandidateIn] | None = Field(
        None, max_length=4_096, description="verbatim: the sentences to choose from; absent: every sentence."
    )
    max_sentences: int = Field(2, ge=1, le=20)
    likelihood_weight: float | None = Field(
        None,
        description="verbatim: weight of log p(question | sentence) beside the prior; absent: 0 with "
        "candidates, 1 without.",
    )
    margin: float = Field(
        0.0,
        ge=0,
        description="verbatim: a further sentence is added while its weight is within this many nats of "
        "the first's; 0: always.",
    )
    one_document: bool = Field(
        False, description="verbatim: every further sentence comes from the document of the first."
    )
    scope: str = Field(
        "",
        max_length=64,
        description="Who may read what is in the prompt, as a hash: a kept prefix serves its own scope only.",
    )
    beside: list[Annotated[str, Field(max_length=MAX_TEXT)]] = Field(
        default=[],
        max_length=64,
        description="Texts that the model is not shown but that drafts may be copied from, the likeliest last: the "
        "documents around the "
        "passages, earlier answers. They change the time, never the answer, so they must be what the asker may read.",
    )
    retrieved: list[RetrievedRangeIn] = Field(
        default=[],
        max_length=64,
        description="Of long documents: the parts that retrieval found. The model reads all; the drafter `rag`, which "
        "reads these alone, "
        "writes ahead (RAPID), by itself where no drafter is named. They change the time, never the answer.",
    )
    drafter: str | None = Field(
        None,
        max_length=MAX_NAME,
        description="Override the drafter: 'none', 'copy', 'eagle', ...; the server's choice when absent.",
    )
    acceptance: Literal["exact", "relaxed", "augmented"] = Field(
        "exact",
        description="'relaxed' also takes copied words that the model finds nearly as likely as its own (ReSpec), "
        "'augmented' also what "
        "the drafter `rag` finds likely behind the retrieved parts alone, above temperature 0 (RAPID): quicker, NOT "
        "lossless. "
        "The text is then not what the model alone would have written, and the response says `lossless: false`. Not "
        "in verbatim mode.",
    )
    adapter: str | None = Field(
        None,
        max_length=MAX_NAME,
        description="That works on prompt and answer, by the name that the service has for it. Not in verbatim mode.",
    )
    transfer: float = Field(
        10.0, ge=0, le=100, description="'augmented': how far the drafter is believed (RAPID's eta)."
    )


class CopiedSpanOut(WireModel):
    """answer[start:end] == documents[document].text[source_start:source_end], character for
    character."""

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
    lossless: bool = Field(
        True,
        description="The text is what the model alone would have written; false: drafts were accepted more freely.",
    )
    accepted_by_source: dict[str, int] = {}
    accepted_lengths: dict[str, dict[int, int]] = {}
    prompt_tokens: int = 0
    cached_tokens: int = 0
    queue_seconds: float = 0.0
    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0
    joules: float | None = None
    joules_reason: str | None = None


class CandidateOut(BaseModel):
    """How a sentence was weighed in verbatim mode: weight = score + likelihood_weight *
    log_likelihood, in nats."""

    document: str
    start: int
    end: int
    score: float
    log_likelihood: float | None = Field(
        None, description="log p(question | sentence); absent when it was not computed."
    )
    weight: float


class BedsideOut(BaseModel):
    """`bedside` on a response, and on stream chunks (spans when closed; the rest on the last
    one)."""

    spans: list[CopiedSpanOut] = []
    candidates: list[CandidateOut] = Field(
        default=[], description="verbatim: every sentence that could be quoted, as it was weighed."
    )
    prompt_version: str | None = None
    stats: StatsOut | None = None


class TextPartIn(WireModel):
    type: Literal["text"]
    text: str = Field(max_length=MAX_TEXT)


class MessageIn(WireModel):
    """One turn. With `documents`, the last user turn is the question and the prompt template is
    built around it."""

    role: Literal["system", "user", "assistant"]
    content: Annotated[str, Field(max_length=MAX_TEXT)] | Annotated[list[TextPartIn], Field(max_length=64)]
    name: str | None = Field(
        None, max_length=MAX_NAME, description="Accepted as OpenAI has it; the model does not see it."
    )

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)


class StreamOptionsIn(WireModel):
    include_usage: bool = False


class ResponseFormatIn(WireModel):
    type: Literal["text"]


class ChatRequest(WireModel):
    """POST /v1/chat/completions. OpenAI's fields that change nothing at these values are accepted
    at these values only."""

    model: str
    messages: list[MessageIn] = Field(min_length=1, max_length=MAX_MESSAGES)
    documents: list[DocumentIn] = Field(default=[], max_length=64)
    bedside: BedsideIn = BedsideIn.model_validate({})
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    temperature: float = Field(
        0.0, ge=0, le=2, description="0, the default here, is greedy: the same question gives the same answer."
    )
    top_p: float = Field(1.0, gt=0, le=1)
    seed: int | None = Field(None, description="Of the sampling noise; the same seed and prompt give the same text.")
    stop: str | list[str] | None = Field(
        None, description=f"At most 16 of {MAX_STOP_LENGTH} characters; the answer ends before the first."
    )
    stream: bool = False
    stream_options: StreamOptionsIn | None = None
    logprobs: bool = False
    top_logprobs: int | None = Field(None, ge=0, le=20)
    n: Literal[1] = 1
    presence_penalty: Literal[0] = 0
    frequency_penalty: Literal[0] = 0
    response_format: ResponseFormatIn | None = None
    user: str | None = Field(None, max_length=MAX_NAME)

    @property
    def stops(self) -> tuple[str, ...]:
        return () if self.stop is None else (self.stop,) if isinstance(self.stop, str) else tuple(self.stop)


class ScoreIn(WireModel):
    """A chat, or a text without a template, and what may come next. Each is scored exactly as it is
    written, a space before it included.

    A `prompt` in several pieces is cut into tokens piece by piece, so that what a passage becomes
    does not depend on what follows it.
    """

    messages: list[MessageIn] | None = Field(None, min_length=1, max_length=MAX_MESSAGES)
    prompt: list[Annotated[str, Field(max_length=MAX_TEXT)]] | None = Field(None, min_length=1, max_length=MAX_MESSAGES)
    adapter: str | None = Field(
        None, max_length=MAX_NAME, description="That works on it, by the name that the service has for it."
    )
    continuations: list[Annotated[str, Field(max_length=MAX_TEXT)]] = Field(min_length=1, max_length=64)


class ScoreRequest(WireModel):
    """POST /v1/score: how likely the model finds each continuation; nothing is written. Prompts
    that begin alike cost their rest."""

    model: str
    prompts: list[ScoreIn] = Field(min_length=1, max_length=64)


class ScoreOut(BaseModel):
    """In the order of the continuations, in nats, of the model's own distribution: the sum over the
    continuation's tokens."""

    logprobs: list[float]


class ScoreResponse(BaseModel):
    model: str
    prompts: list[ScoreOut]


class TopLogprobOut(BaseModel):
    token: str
    logprob: float
    bytes: list[int]


class TokenLogprobOut(TopLogprobOut):
    """Of the model's own distribution, before temperature, top-p and constraints."""

    top_logprobs: list[TopLogprobOut] = []


class LogprobsOut(BaseModel):
    content: list[TokenLogprobOut] = []


class MessageOut(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str


class ChoiceOut(BaseModel):
    index: int = 0
    message: MessageOut
    logprobs: LogprobsOut | None = None
    finish_reason: Literal["stop", "length"]


class PromptDetailsOut(BaseModel):
    cached_tokens: int = 0


class UsageOut(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptDetailsOut = Field(default_factory=PromptDetailsOut)
    bedside: StatsOut | None = None


class ChatResponse(BaseModel):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[ChoiceOut]
    usage: UsageOut
    bedside: BedsideOut


class DeltaOut(BaseModel):
    role: Literal["assistant"] | None = None
    content: str | None = None


class ChunkChoiceOut(BaseModel):
    index: int = 0
    delta: DeltaOut
    logprobs: LogprobsOut | None = None
    finish_reason: Literal["stop", "length"] | None = None


class ChatChunk(BaseModel):
    """One SSE `data:` line. `bedside.spans` are the spans that closed; their text was sent in this
    chunk or before.

    The chunk with a finish_reason carries the rest of `bedside` (stats, prompt_version); with
    include_usage one more chunk without choices follows; then `data: [DONE]`. A failure in
    mid-stream is `data: {"error": ...}`.
    """

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoiceOut]
    usage: UsageOut | None = None
    bedside: BedsideOut | None = None


class ErrorDetail(BaseModel):
    message: str
    type: str
    param: str | None = None
    code: str | None = None


class ErrorOut(BaseModel):
    """OpenAI's error shape: 400 what is wrong with the request, 401, 404 unknown model, 429 queue
    full, 500, 503."""

    error: ErrorDetail


class ModelOut(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "bedside"
    max_model_len: int


class ServedModels(BaseModel):
    object: Literal["list"] = "list"
    data: list[ModelOut]


class HealthOut(BaseModel):
    """`loading` (503) until the model is ready, then `ok`; `failed` (503) when the engine's thread
    has died."""

    status: Literal["loading", "ok", "failed"]
    model: str
    device: str = ""
    dtype: str = ""
    running: int = 0
    waiting: int = 0
    detail: str = ""
