"""The API's JSON for quality staff: judged sets and the gap report."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from rag_api.api.schemas.base import DocumentIdText, In, Name, Words
from rag_api.domain import TargetGroup

SET_NAME = r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,79}$"
QuestionVerdict = Literal["yes", "partly", "no"]


class JudgedSetOut(BaseModel):
    name: str
    questions: int
    validate_: int = Field(serialization_alias="validate", description="Questions to choose settings by.")
    test: int = Field(description="Questions to report by, once nothing is chosen any more.")
    no_answer: int
    incomplete: int = Field(description="Nobody has said yet where the answer stands: neither exported nor evaluated.")
    updated_at: datetime


class JudgedSetList(BaseModel):
    sets: list[JudgedSetOut]


class PlaceOut(BaseModel):
    document: str
    page: int | None
    span: str


class JudgedOut(BaseModel):
    id: str
    question: str
    language: str
    function: str
    department: str
    group: str
    conversation: str
    split: Literal["validate", "test"]
    found: str
    note: str
    places: list[PlaceOut] = Field(description="Empty: no document answers it.")


class JudgedSetDetail(BaseModel):
    name: str
    questions: list[JudgedOut]
    open: list[JudgedOut] = Field(
        description="Nobody has said yet where the answer stands: neither exported nor evaluated."
    )


class MarkedIn(In):
    """A document that held the answer; the page and the words, if known. The words must stand
    there."""

    document_id: DocumentIdText
    page: int | None = Field(None, ge=1, le=100_000)
    span: Words = Field("", max_length=4000, pattern=r"^[^\x00]*$")


class JudgeIn(In):
    """Documents that held the answer, or `no_answer`, never both; neither: left open."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"properties": {"no_answer": {"const": False}}}, {"properties": {"marked": {"maxItems": 0}}}],
        }
    )

    found: QuestionVerdict | None = Field(None, description="Did the asker find the answer?")
    marked: list[MarkedIn] = Field(
        [], max_length=20, description="Where it stands; empty and not `no_answer`: left open."
    )
    no_answer: bool = Field(False, strict=True, description="Someone looked: no document answers this.")
    function: Name = Field("", description="Of who asks such a question, for example nurse.")
    department: Name = ""
    group: TargetGroup | None = None
    note: Words = Field("", max_length=2000, pattern=r"^[^\x00]*$")

    @model_validator(mode="after")
    def _says_one_thing(self) -> JudgeIn:
        if self.no_answer and self.marked:
            raise ValueError("either a document holds the answer, or none does")
        return self


class PlaceIn(In):
    """Where an answer stands. A place that is not there yet must exist: document, page and words
    are looked up."""

    document: Words = Field(
        min_length=1, max_length=300, pattern=r"^[^\x00]*$", description="The name it was ingested under."
    )
    page: int | None = Field(None, ge=1, le=100_000)
    span: Words = Field("", max_length=4000, pattern=r"^[^\x00]*$")


class QuestionIn(In):
    """Places, or `no_answer`, never both; neither: left open."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"properties": {"no_answer": {"const": False}}}, {"properties": {"places": {"maxItems": 0}}}],
        }
    )

    question: str = Field(min_length=1, max_length=4000, pattern=r"^[^\x00]*[^\s\x00\x85\ufeff][^\x00]*$")
    places: list[PlaceIn] = Field([], max_length=20)
    no_answer: bool = Field(False, strict=True, description="Someone looked: no document answers this.")
    language: Literal["nl", "en", ""] = ""
    function: Name = ""
    department: Name = ""
    group: TargetGroup | None = None
    conversation: Name = ""
    split: Literal["validate", "test"] | None = Field(None, description="By the question's words when absent.")
    found: QuestionVerdict | None = None
    note: Words = Field("", max_length=2000, pattern=r"^[^\x00]*$")

    @model_validator(mode="after")
    def _says_one_thing(self) -> QuestionIn:
        if self.no_answer and self.places:
            raise ValueError("either a document holds the answer, or none does")
        return self


class ImportIn(In):
    csv: Words = Field(
        max_length=20_000_000, description="The file's text. A question that is there already (by id) is replaced."
    )
    check: bool = Field(False, strict=True, description="Only say what would happen.")


class ImportOut(BaseModel):
    questions: int
    new: int = Field(description="The others take the place of those with their ids.")


class FromFeedbackOut(BaseModel):
    placed: int = Field(description="Became judged questions.")
    open: int = Field(description="Nobody said where the answer stands: left open.")


class NearestOut(BaseModel):
    id: str = Field(description="Of a version of it.")
    document: str
    title: str
    department: str
    owner: str
    times: int


class PassedTo(BaseModel):
    name: str = Field(
        description="A colleague, or an owner or a department as a document names it; empty: quality staff."
    )
    at: datetime = Field(description="The last time.")


class GapOut(BaseModel):
    """Questions in nearly the same words, and that no document answered, or that were answered
    wrongly, say readers."""

    question: str = Field(description="The one asked most, as it was searched for.")
    times: int
    department: str = Field(description="Of the askers where known, else of the nearest document.")
    functions: list[str]
    languages: list[str]
    questions: list[str] = Field(description="Each wording once.")
    nearest: list[NearestOut] = Field(description="And those that the refusal named.")
    not_found: int = Field(description="Times that Bedside said so; the others were said by readers.")
    missing: dict[str, int] = Field(
        description="What its readers missed (as in feedback), and how many of them said so."
    )
    named: list[NearestOut] = Field([], description="Documents that hold the answer, say readers.")
    reported: dict[str, int] = Field(
        {}, description="What its readers reported of the answers: `wrong`, `outdated`; and how many of them."
    )
    comments: list[str] = Field([], description="What its readers wrote, without what identifies a patient.")
    passed_on: int = Field(
        description="Times that its reader asked or reported it, or quality staff sent it on, to who answers for a document."
    )
    passed_to: list[PassedTo] = Field(description="To whom, of documents that you may read; for reviewers alone.")
    answer_id: str = Field(description="Of the latest, under which reviewers ask an owner.")
    first_at: datetime
    last_at: datetime


class GapReport(BaseModel):
    gaps: list[GapOut]
    questions: int
    missing: dict[str, int] = Field(description="What was missed, in all of these together.")
    departments: dict[str, int] = Field(description="Unanswered questions by department.")
