"""A question, and what is streamed of its answer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from rag_api.api.schemas.asking.answers import AnswerOut, NoticeOut, SourceOut, SpanOut
from rag_api.api.schemas.base import Day, DocumentIdText, In, Name, UuidText
from rag_api.domain import AnswerStatus, Mode, PersonalChoice, TargetGroup


class FiltersIn(In):
    """Empty lists do not filter."""

    departments: list[Name] = Field([], max_length=50)
    document_types: list[Name] = Field([], max_length=50)
    target_groups: list[TargetGroup] = Field([], max_length=4)
    languages: list[Literal["nl", "en"]] = Field([], max_length=2)
    document_ids: list[DocumentIdText] = Field([], max_length=200)
    valid_on: Day | None = Field(None, description="Only documents valid on this day; today when absent.")
    include_expired: bool = Field(
        False, strict=True, description="Also expired and superseded documents; their sources carry a caution."
    )


class AskIn(In):
    model_config = ConfigDict(
        json_schema_extra={
            "if": {"required": ["whole_document"], "properties": {"whole_document": {"type": "string"}}},
            "then": {"required": ["mode"], "properties": {"mode": {"const": "answer"}}},
        }
    )

    question: str = Field(
        min_length=1,
        max_length=2000,
        pattern=r"^[^\x00]*[^\s\x00\x85\ufeff][^\x00]*$",
        description="In Dutch or English, as you would ask a colleague.",
        examples=["Hoeveel paracetamol mag een kind van 12 kg?"],
    )
    conversation_id: UuidText | None = Field(
        None, description="Continue this conversation; a new one starts when absent."
    )
    filters: FiltersIn = Field(default_factory=FiltersIn)
    mode: Mode | None = Field(None, description="The server's default when absent.")
    function: Name | None = Field(
        None, description="The asker's, by id or name (`GET /facets` lists them): whose documents come first."
    )
    department: Name | None = Field(
        None, description="The asker's: its documents come first. Neither changes what may be read."
    )
    personal_data: PersonalChoice = Field(
        PersonalChoice.STOP,
        description="When the question seems to hold what identifies a patient: `stop` (422 `personal_data`, nothing "
        "is stored; `errors` "
        "say what was seen, `instead` is the question without it), `remove` it, or `keep` it where the hospital's "
        "setting lets you.",
    )
    whole_document: DocumentIdText | None = Field(
        None,
        description="Of one document the model reads everything, in place of passages of several, and nothing else is "
        "searched: for "
        "written answers (`mode` answer). One that is more than the generator reads at once is refused: 422 "
        "`document_too_long`, or the "
        "event `failed` with that code.",
    )
    notices_in: Literal["nl", "en"] | None = Field(
        None,
        description="The language of notices and cautions: the page's. The question's own when absent; answers "
        "are always in that.",
    )
    literal: bool = Field(
        False,
        strict=True,
        description="Search for these words as they are; else a follow-up question is made to stand alone.",
    )


class StageEvent(BaseModel):
    """SSE event `stage`."""

    name: Literal["retrieving", "reading", "writing"]
    passages: int = 0


class NearestEvent(BaseModel):
    """SSE event `nearest`: what was found, sent early where it is still read whether it answers.
    `found` follows and decides."""

    answer_id: str
    conversation_id: str
    query: str = Field("", description="What was searched for.")
    sources: list[SourceOut]


class FoundEvent(BaseModel):
    """SSE event `found`: the sources are known, before any word is written."""

    answer_id: str
    conversation_id: str
    query: str = Field("", description="What was searched for: the question, or what a follow-up question means.")
    status: AnswerStatus = Field(
        AnswerStatus.ANSWERED,
        description="What will be made of it: `answered` has words to come; `not_found` opens and marks no source.",
    )
    language: str = Field("", description="Of the words to come.")
    sources: list[SourceOut]
    notices: list[NoticeOut]


class TokenEvent(BaseModel):
    """SSE event `token`."""

    text: str


class CitedEvent(BaseModel):
    """SSE event `cited`: a copied span is closed; its text has been sent already."""

    span: SpanOut


class DoneEvent(BaseModel):
    """SSE event `done`: the whole answer as stored."""

    answer: AnswerOut


class FailedEvent(BaseModel):
    """SSE event `failed`."""

    code: str
    message: str
    answer: AnswerOut | None = Field(None, description="What was stored of it, if anything could be.")


# By the names under which a stream sends them.
EVENTS: dict[str, type[BaseModel]] = {
    "stage": StageEvent,
    "nearest": NearestEvent,
    "found": FoundEvent,
    "token": TokenEvent,
    "cited": CitedEvent,
    "done": DoneEvent,
    "failed": FailedEvent,
}
