"""Documents, and what there is to choose from."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from rag_api.api.schemas.asking.answers import SourceOut
from rag_api.api.schemas.base import NOT_BLANK, Day, In, MetadataField, Name, Words, WordsOfStaff
from rag_api.domain import DocumentStatus, TargetGroup


class NoteOut(BaseModel):
    """A warning: in English, with its stable code and what stands in it, for other languages."""

    text: str
    code: str = Field("", description="Empty for a sentence of an older version.")
    values: dict[str, str] = {}


class ReplacingOut(BaseModel):
    """The document that another one is superseded by."""

    id: str
    title: str
    version: str


class DocumentOut(BaseModel):
    id: str
    source: str
    title: str
    status: DocumentStatus
    reason: str
    media_type: str
    page_count: int
    chunk_count: int
    byte_count: int
    department: str
    document_type: str
    target_groups: list[TargetGroup]
    version: str
    valid_from: date | None
    valid_until: date | None
    owner: str
    language: str
    supersedes: str
    replaced_by: ReplacingOut | None = Field(
        None, description="In a list: the document, valid by now, that says it supersedes this one."
    )
    warnings: list[str] = Field(
        [], description="What an admin should know of it, for example pages without text; of a failed one: why."
    )
    notes: list[NoteOut] = Field([], description="The warnings with their codes, in the same order.")
    advice: str = Field("", description="What to do about a document that failed.")
    groups: list[str] = Field([], description="Whose members may read it.")
    created_at: datetime | None
    updated_at: datetime | None
    withdrawn_at: datetime | None = Field(None, description="When a `retired` document was taken out.")
    withdrawn_by: str = Field(
        "", description="Who did: an account's name, or `local` for the machine itself. Told to admins."
    )
    withdrawn_reason: str = Field("", description="Why, in the words of who did; empty: not said.")
    reviewed_at: datetime | None = Field(None, description="When somebody said last that it still holds.")
    reviewed_by: str = Field("", description="Who did. Told to those who review.")
    next_review: date | None = Field(None, description="By when it is to be reviewed, or reviewed again.")
    to_review_by: str = Field("", description="Whom that was given to. Told to those who review.")
    reviewer_left: bool = Field(
        False, description="Who that is can review it no more. Told of what `GET /owner-questions/work` lists."
    )
    review_reason: str = Field("", description="Why it is to be reviewed. Told to those who review.")


class DocumentList(BaseModel):
    documents: list[DocumentOut]
    total: int


class PredecessorOut(DocumentOut):
    alike: float = Field(description="The share of both documents' words that are the same, in the same order.")
    code: str = Field(description="A document code that both bear; empty: none.")


class PredecessorList(BaseModel):
    documents: list[PredecessorOut] = Field(description="The likeliest first.")


class PageOut(BaseModel):
    number: int
    width: float
    height: float
    rotation: int


class CutLineOut(BaseModel):
    """A line of a page that is not searched."""

    page: int
    text: str
    reason: str = Field(description="Why: header, footer, page_number, line_number or slanted.")


class EditOut(BaseModel):
    """What an admin says in one field, and what the file said there when it was edited. Dates as
    2026-01-31, groups as adult;child."""

    field: str
    value: str
    said: str


class DocumentDetail(DocumentOut):
    pages: list[PageOut]
    edits: list[EditOut] = Field([], description="The fields in which an admin overrules the file.")
    cut: list[CutLineOut] = Field([], description="What was left out of the text, in the order of the pages.")


class DescribedOut(DocumentDetail):
    vectors: Literal["kept", "made again", "outdated"] = Field(
        description="Of its passages, embedded with their title. Outdated: too many to wait for; words are found by "
        "the new title "
        "already, meaning by the old one until the next ingestion."
    )


class MetadataIn(In):
    """Fields that are absent stay as they are. Empty texts and lists, and null for a date, say that
    there is none."""

    title: (
        Annotated[Words, Field(min_length=1, max_length=300, pattern=r"^[^\x00]*[^\s\x00\x85\ufeff][^\x00]*$")] | None
    ) = None
    department: Name | None = None
    document_type: Name | None = None
    target_groups: list[TargetGroup] | None = Field(None, max_length=4)
    version: Annotated[Words, Field(max_length=50, pattern=r"^[^\x00]*$")] | None = None
    valid_from: Day | None = None
    valid_until: Day | None = None
    owner: Name | None = None
    language: Literal["nl", "en", ""] | None = None
    supersedes: Name | None = Field(None, description="File name or title of the document that this one replaces.")
    reset: list[MetadataField] = Field(
        [], max_length=10, description="These say again what the file says, unless they are given as well."
    )


class WithdrawIn(WordsOfStaff):
    reason: Annotated[Words, Field(max_length=500, pattern=r"^[^\x00]*$")] = Field(
        "", description="Kept, and told to who opens the document, or an answer from it, later."
    )


class WithdrawalReasonIn(WordsOfStaff):
    reason: Annotated[Words, Field(min_length=1, max_length=500, pattern=NOT_BLANK)]


class DocumentReviewIn(WordsOfStaff):
    next_review: Day | None = Field(
        description="By when it is to be reviewed, or reviewed again; null: it is planned no more, nor anybody's."
    )
    holds: bool = Field(
        True, description="It was read and found right. False: the day is planned, and no more is said."
    )
    to: Annotated[Words, Field(max_length=200, pattern=r"^[^\x00-\x1f]*$")] | None = Field(
        None,
        description="Whose it is to review: the id, login or name of an account that may read the document "
        "and review. Empty: nobody's by name; null: as it was.",
    )
    reason: Annotated[Words, Field(max_length=500, pattern=r"^[^\x00]*$")] | None = Field(
        None,
        description="Why it is to be reviewed, told to those who review. Empty: not said; null: as it was, until it "
        "`holds`.",
    )


class ChangeOut(BaseModel):
    """One field of one change."""

    field: str
    before: str
    after: str
    user_id: str
    user_name: str = Field(description="Of the account, else its id.")
    changed_at: datetime


class ChangeList(BaseModel):
    changes: list[ChangeOut]


class FunctionOut(BaseModel):
    """A function that askers have. `target_groups`: the patients whose documents come first for it;
    empty: none in particular."""

    id: str
    nl: str
    en: str
    target_groups: list[TargetGroup]


class FacetsOut(BaseModel):
    """What documents can be filtered by, and the functions that order them."""

    departments: list[str]
    document_types: list[str]
    languages: list[str]
    owners: list[str] = Field([], description="As documents name them.")
    target_groups: list[TargetGroup]
    functions: list[FunctionOut]


class LinkedOut(BaseModel):
    """Words of a document with their place, as a link names them."""

    source: SourceOut = Field(description="The document and the words; `rects` is empty where the place is not exact.")
    found: bool = Field(description="Exactly these words stand there. Else `source` is the page as a whole.")
    quotes: list[str] = Field(
        description="The words by line, those that the link shortens in full where they are found."
    )
    status: DocumentStatus
    newer: DocumentOut | None = Field(description="What counts in its place since, of what you may read.")
    same_title: DocumentOut | None = Field(
        None,
        description="Of a `retired` one that nothing replaces: what is in force under its title, of what you may read.",
    )
    withdrawn_at: datetime | None = Field(None, description="When a `retired` document was taken out.")
    withdrawn_reason: str = Field("", description="Why; empty: not said.")
    page_text: str = Field(
        description="Of the page; what was read in doubt from an image is blank in it: ▒ for each letter."
    )
