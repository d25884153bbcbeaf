"""The owners of documents on the wire, what is asked of them, and what becomes of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from rag_api.api.schemas.base import CAN_HARM, NOT_BLANK, In, UuidText, Words, WordsOfStaff
from rag_api.api.schemas.documents import DocumentOut
from rag_api.api.schemas.quality import GapOut

OwnerQuestionKind = Literal["question", "report", "error"]
LONGEST = 4000  # characters
Said = Annotated[Words, Field(min_length=1, max_length=LONGEST, pattern=NOT_BLANK)]
OwnerName = Annotated[
    Words, Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f]*[^\s\x00-\x1f\x85\ufeff][^\x00-\x1f]*$")
]
Account = Annotated[
    Words, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*[^\s\x00-\x1f\x85\ufeff][^\x00-\x1f]*$")
]


class OwnerAccountOut(BaseModel):
    id: str
    name: str
    login: str = Field(description="What the account is called by in `PUT /owners`; its id where it has no login.")


class OwnerOut(BaseModel):
    name: str = Field(description="As documents write it.")
    is_department: bool = Field(
        description="Named as a department only: it answers where nobody is known for the document's own owner."
    )
    documents: int = Field(description="Current ones that name it, of those that you may read.")
    known: bool = Field(
        description="Somebody hears of what is asked: it has an address, or an account that somebody signs in to and "
        "that reads here."
    )
    mail: str
    accounts: list[OwnerAccountOut]


class OwnerList(BaseModel):
    owners: list[OwnerOut] = Field(description="Those that nobody is known for come first.")
    mail: bool = Field(description="Whether Bedside sends mail here.")


class OwnerIn(In):
    name: OwnerName
    mail: Annotated[Words, Field(max_length=254, pattern=r"^([^@\s<>,;\x00]+@[^@\s<>,;\x00]+)?$")] = ""
    accounts: list[Account] = Field(
        [], max_length=50, description="Ids or logins. Without mail and accounts it is nobody's any more."
    )


class OwnerQuestionIn(WordsOfStaff):
    kind: OwnerQuestionKind = Field(
        description="`report`: something in the document is no longer right; `error`: it never was."
    )
    can_harm: bool = Field(False, description=CAN_HARM)
    text: Said
    page: int | None = Field(None, ge=1, le=100_000)
    answer_id: UuidText | None = Field(
        None, description="The answer under which you ask: yours, or one that you may review."
    )
    to: Account | None = Field(
        None,
        description="For quality staff: whose to answer it is in the owner's place, by the id, login or name of an "
        "account that may read the document.",
    )


class PassedOnIn(WordsOfStaff):
    text: Said
    to: Account = Field(description="The id, login or name of an account that may read here.")


class OwnerQuestionOut(BaseModel):
    id: str
    kind: OwnerQuestionKind
    can_harm: bool = Field(description="It can harm a patient, says who asked: quality staff have it too.")
    document_id: str | None = Field(
        description="The version that it is about; null: none, it was passed on without a document."
    )
    title: str = Field(description="Empty where there is none, or you may no longer read the document.")
    file: str = Field(description="Under which the document was loaded.")
    version: str = Field(description="Of what counts now, else of what it is about.")
    language: str
    owner: str = Field(description="As the document names it.")
    passed_to: str = Field(description="The name of whom quality staff passed it on to; empty: nobody.")
    nobody_left: bool = Field(
        description="Open, and whom it was passed on to can no longer answer it: it is the document's owner's again, or "
        "quality staff's."
    )
    unattended: bool = Field(
        description="Open, and none of the accounts of its owner, who is known, can answer it: quality staff have it."
    )
    owner_known: bool = Field(
        description="Somebody is kept for that owner or its department; else quality staff have it."
    )
    not_told: bool = Field(description="The mail to the owner could not be delivered; quality staff have it too.")
    page: int | None
    answer_id: str | None = Field(description="Under which it was asked, where the answer is yours.")
    text: str
    asked: str = Field(
        description="The question whose answer it is about, standing alone and without what identifies a patient; "
        "empty: none, or it was deleted."
    )
    quotes: list[str] = Field(description="What that answer quotes of the document.")
    function: str = Field(description="Of who asked; who it was is not told.")
    department: str
    created_at: datetime
    outcome: Literal["answered", "mended", "retired"] | None = Field(description="Null: open.")
    reply: str
    replied_at: datetime | None
    replied_as: str | None = Field(
        description="Who answered: an owner or a department, as the document named it then; empty: quality staff; "
        "null: nobody yet, or not kept."
    )
    current_id: str | None = Field(description="The version that counts now; null: the document was taken out.")
    changed_at: datetime | None = Field(
        description="When that came; null: it is still the version that was asked about."
    )
    may_retire: bool = Field(description="The document counts, and is yours to take out.")
    news: bool = Field(description="Something became of it that who asked has not seen.")


class OwnerReachedOut(BaseModel):
    owner: str = Field(
        description="Whom it goes to, as the document names them; empty: nobody is known, and quality staff have it."
    )
    by_mail: bool = Field(description="They are told by mail, with a link and the title at most.")


class OwnerAskedOut(OwnerReachedOut):
    question: OwnerQuestionOut


class OwnerQuestionList(BaseModel):
    questions: list[OwnerQuestionOut]
    news: int = Field(description="Of how many something became that you have not seen.")


class OwnerNews(BaseModel):
    news: int = Field(description="Of so many questions that you asked something became that you have not seen.")
    waiting: int = Field(description="So many wait for your answer.")
    promised: int = Field(description="Of so many you said `mended`, and no new version has come yet.")
    to_review: int = Field(description="So many documents are yours to review, as `OwnerWork` lists them.")


class OwnerWork(BaseModel):
    questions: list[OwnerQuestionOut] = Field(
        description="Open ones first, then those that wait for a new version; of both what can harm a patient, and then "
        "the oldest."
    )
    open: int
    to_review: list[DocumentOut] = Field(
        description="For quality staff: documents whose review was given to you, or to somebody who can review them no "
        "more, and those whose review is due and nobody's by name. The earliest first."
    )
    unanswered: list[GapOut] = Field(description="Asked in vain, and nearest to documents that you own.")


class ReplyIn(WordsOfStaff):
    """What `answered` says must be in words; for the others, which are of a document, words are
    welcome."""

    outcome: Literal["answered", "mended", "retired"] = Field(
        description="`mended`: the document is, or soon will be, corrected; `retired`: the document is taken out, by "
        "this request."
    )
    text: Annotated[Words, Field(max_length=LONGEST, pattern=r"^[^\x00]*$")] = ""

    @model_validator(mode="after")
    def _answers_in_words(self) -> ReplyIn:
        if self.outcome == "answered" and not self.text.strip():
            raise ValueError("an answer needs words")
        return self
