"""The API's JSON for reviews of answers."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, StrictBool, model_validator

from rag_api.api.schemas.asking.answers import NoticeOut, SpanOut, UnsupportedOut
from rag_api.api.schemas.base import DocumentIdText, Words, WordsOfStaff

ReviewVerdict = Literal["right", "partly", "wrong", "harmful"]


class RefusedOut(BaseModel):
    by: str = Field(
        description="A rule's name, `unsure`, `disagreed` (a second reader), found `elsewhere`, an "
        "`unresolved_follow_up` of a question that found nothing, or what fits best is `withheld`."
    )
    sure: float | None = Field(None, description="How sure the choice was.")
    needed: float | None = Field(None, description="How sure it had to be.")


class ReviewedSource(BaseModel):
    document_id: str
    title: str
    version: str = Field(description="That was shown then.")
    page: int
    quote: str = Field(description="The first words that the answer quotes of it; empty: none.")
    rank: int = Field(description="As the answer numbers it.")
    owner: str = Field(description="As the document names them.")


class EarlierReviewOut(BaseModel):
    verdict: ReviewVerdict
    remark: str
    judged_by: str
    judged_at: datetime


class ReviewOut(EarlierReviewOut):
    yours: bool = Field(description="You gave it; saving another leaves it among the earlier ones.")
    sent_to: str | None = Field(
        description="Whom the remark comes to, an owner or a department as the document names it; empty: nobody is "
        "known, and quality staff have it; null: it was sent to nobody."
    )


class ReviewedOut(BaseModel):
    """An answer that somebody was given. Who asked is not told."""

    answer_id: str
    question: str
    searched: str = Field(description="What was searched for: a follow-up made to stand alone.")
    language: str
    function: str = Field(description="Of who asked.")
    department: str
    created_at: datetime
    status: Literal["answered", "not_found", "sources_only", "failed"]
    text: str = Field(description="Empty where it came from a document that you may not read.")
    spans: list[SpanOut]
    unsupported: list[UnsupportedOut]
    notices: list[NoticeOut] = Field(description="What stood above it.")
    refused: RefusedOut | None = Field(description="Why; null: it was not refused, or it is not known.")
    sources: list[ReviewedSource]
    found: Literal["yes", "partly", "no"] | None = Field(description="What its reader said, last.")
    missing: str | None
    reported: Literal["wrong", "outdated"] | None
    can_harm: bool = Field(description="Its reader says that it can harm a patient.")
    comments: list[str]
    review: ReviewOut | None = Field(description="The newest, which counts and which who asked reads.")
    earlier: list[EarlierReviewOut] = Field(description="What was said before that, the newest first.")
    reports: int = Field(description="So many reports of who asked are open, and yours to answer.")


class ReviewList(BaseModel):
    reviews: list[ReviewedOut] = Field(description="Newest first.")
    total: int
    departments: list[str] = Field(description="Of who asked in the period; empty: somebody has none.")


class ReviewIn(WordsOfStaff):
    verdict: ReviewVerdict
    remark: Words = Field("", max_length=4000, pattern=r"^[^\x00]*$")
    document_id: DocumentIdText | None = Field(
        None, description="One that the answer shows: its owner reads the remark, and what was asked. Once."
    )
    page: int | None = Field(None, ge=1, le=100_000, description="Of that document.")
    reply: StrictBool = Field(
        False, description="The remark answers the reports of who asked too, as far as `reports`."
    )

    @model_validator(mode="after")
    def _tells_in_words(self) -> ReviewIn:
        if (self.document_id is not None or self.reply) and not self.remark.strip():
            raise ValueError("an owner, and who reported, need a remark")
        return self
