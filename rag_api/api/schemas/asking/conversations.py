"""Conversations, and what readers say of answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator

from rag_api.api.schemas.asking.answers import AnswerOut
from rag_api.api.schemas.base import CAN_HARM, DocumentIdText, Words, WordsOfStaff

Title = Annotated[
    Words, Field(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f]*[^\s\x00-\x1f\x85\ufeff][^\x00-\x1f]*$")
]
MissingPart = Literal["document", "procedure", "passage", "detail", "patient"]
Reported = Literal["wrong", "outdated"]


class ConversationOut(BaseModel):
    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    pinned: bool = Field(False, description="Its asker keeps it before the others.")


class ConversationList(BaseModel):
    conversations: list[ConversationOut]
    total: int


class ConversationDetail(ConversationOut):
    answers: list[AnswerOut]


class ConversationIn(WordsOfStaff):
    """At least one of the two; what is absent stays as it is."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["title"], "properties": {"title": {"type": "string"}}},
                {"required": ["pinned"], "properties": {"pinned": {"type": "boolean"}}},
            ]
        }
    )

    title: Title | None = None
    pinned: StrictBool | None = None

    @model_validator(mode="after")
    def _says_something(self) -> ConversationIn:
        if self.title is None and self.pinned is None:
            raise ValueError("give at least one of: title, pinned")
        return self


class FeedbackIn(WordsOfStaff):
    """All optional, at least one: a verdict, what was missing, the document that held the answer,
    or words. A report needs words."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["found"], "properties": {"found": {"type": "string"}}},
                {"required": ["missing"], "properties": {"missing": {"type": "string"}}},
                {"required": ["document_id"], "properties": {"document_id": {"type": "string"}}},
                {"required": ["comment"], "properties": {"comment": {"type": "string", "pattern": r"\S"}}},
            ],
            "allOf": [
                {
                    "anyOf": [
                        {"properties": {"reported": {"type": "null"}}},
                        {"required": ["comment"], "properties": {"comment": {"type": "string", "pattern": r"\S"}}},
                    ]
                }
            ],
        }
    )

    found: Literal["yes", "partly", "no"] | None = None
    missing: MissingPart | None = Field(
        None,
        description="What the answer lacked: the right `procedure`, the right `passage` of it, a `detail` (a dose, a "
        "step), or an answer "
        "for this `patient`; `document`: the hospital has none on this.",
    )
    reported: Reported | None = Field(
        None,
        description="The answer is `wrong`, or what it says is `outdated`. What `comment` says of it goes to the "
        "owner of the document.",
    )
    can_harm: bool = Field(False, description=CAN_HARM)
    document_id: DocumentIdText | None = Field(
        None,
        description="The document that held the answer; of a report: that it is about, else the first that the "
        "answer quotes.",
    )
    page: int | None = Field(None, ge=1, le=100_000)
    comment: Words = Field("", max_length=4000, pattern=r"^[^\x00]*$")

    @model_validator(mode="after")
    def _says_something(self) -> FeedbackIn:
        if self.found is None and self.missing is None and self.document_id is None and not self.comment.strip():
            raise ValueError("give at least one of: found, missing, document_id, comment")
        if self.reported is not None and not self.comment.strip():
            raise ValueError("a report needs words: say in `comment` what is wrong")
        return self


class FeedbackOut(BaseModel):
    id: str
    answer_id: str
    found: Literal["yes", "partly", "no"] | None
    missing: MissingPart | None
    reported: Reported | None
    can_harm: bool = False
    document_id: str | None
    page: int | None
    comment: str
    created_at: datetime
    owner: str | None = Field(
        None,
        description="Of a report: whom it goes to, as the document names them; empty: nobody is known, and "
        "quality staff have it.",
    )
    by_mail: bool = Field(False, description="They are told by mail, with a link and the title at most.")
