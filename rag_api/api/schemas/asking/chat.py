"""OpenAI's chat completions, as far as a question has need of them: what other fields a client
sends is not looked at."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from rag_api.api.schemas.asking.answers import AnswerOut
from rag_api.api.schemas.asking.questions import FiltersIn
from rag_api.api.schemas.base import DocumentIdText, In, Name, UuidText, Words
from rag_api.domain import Mode, PersonalChoice

MODEL = "bedside"


class TextPart(BaseModel):
    type: Literal["text"]
    text: Words = Field(max_length=100_000)


class ChatMessage(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Words | list[TextPart] | None = None

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else "\n".join(part.text for part in self.content or ())


class ChatExtra(In):
    """What `POST /ask` takes beside the question."""

    conversation_id: UuidText | None = None
    filters: FiltersIn = Field(default_factory=FiltersIn)
    mode: Mode | None = None
    function: Name | None = None
    department: Name | None = None
    personal_data: PersonalChoice = PersonalChoice.STOP
    whole_document: DocumentIdText | None = None
    notices_in: Literal["nl", "en"] | None = None
    literal: bool = Field(False, strict=True)


class ChatIn(BaseModel):
    model_config = ConfigDict(extra="ignore")

    model: Name = Field(
        MODEL, max_length=200, description="Whatever it says, the hospital's configured generator answers."
    )
    messages: list[ChatMessage] = Field(
        min_length=1,
        max_length=500,
        description="The last of the user's is the question; the ones before make a follow-up stand alone.",
    )
    stream: bool = False
    bedside: ChatExtra = Field(default_factory=ChatExtra, description="What `POST /ask` takes beside the question.")


class UrlCitation(BaseModel):
    """content[start_index:end_index] stands word for word in the document; `url` opens it there.
    Offsets count code points."""

    start_index: int
    end_index: int
    title: str
    url: str


class Annotation(BaseModel):
    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class ChatAnswer(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str | None = Field(description="Notices, then the answer; null of a refusal.")
    refusal: str | None = Field(description="Why there is no answer, where no document holds one.")
    annotations: list[Annotation] = Field(
        description="The quotes' places; of a refusal and of an answer without quotes, its documents."
    )


class Choice(BaseModel):
    index: int = 0
    message: ChatAnswer
    finish_reason: Literal["stop"] = "stop"


class ChatOut(BaseModel):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    bedside: AnswerOut = Field(description="The answer with its sources and marks, as `POST /ask` gives it.")


class Model(BaseModel):
    id: str = MODEL
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = MODEL


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[Model]
