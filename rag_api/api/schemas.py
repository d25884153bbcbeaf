"""The API's JSON, in one place: OpenAPI and the page's TypeScript client are generated from these models."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from rag_api.domain import AnswerStatus, DocumentStatus, Mode, PartKind, PersonalChoice, TargetGroup


class In(BaseModel):
    """Requests refuse unknown fields."""

    model_config = ConfigDict(extra="forbid")


def _without_nul(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not contain the character NUL")
    return text


def _is_day(value: Any) -> Any:
    """Only 2026-01-31: pydantic takes a number of seconds for a day too, and 20260131 would be one in 1970."""
    if not isinstance(value, date) and not (isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value)):
        raise ValueError("a day is written as 2026-01-31")
    return value


UUID = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
DOCUMENT = r"^[0-9a-f]{32}$"

Day = Annotated[date, BeforeValidator(_is_day)]
Words = Annotated[str, AfterValidator(_without_nul)]
Name = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$"), AfterValidator(_without_nul)]
UuidText = Annotated[str, Field(pattern=UUID, max_length=36)]
DocumentIdText = Annotated[str, Field(pattern=DOCUMENT, max_length=32)]


class FiltersIn(In):
    """Empty lists do not filter."""

    departments: list[Name] = Field([], max_length=50)
    document_types: list[Name] = Field([], max_length=50)
    target_groups: list[TargetGroup] = Field([], max_length=4)
    languages: list[Literal["nl", "en"]] = Field([], max_length=2)
    document_ids: list[DocumentIdText] = Field([], max_length=200)
    valid_on: Day | None = Field(None, description="Only documents valid on this day; today when absent.")
    include_expired: bool = Field(False, strict=True, description="Also expired and superseded documents; their sources carry a caution.")


class AskIn(In):
    question: Words = Field(
        min_length=1,
        max_length=2000,
        pattern=r"^[^\x00]*[^\s\x00\x85\ufeff][^\x00]*$",
        description="In Dutch or English, as you would ask a colleague.",
        examples=["Hoeveel paracetamol mag een kind van 12 kg?"],
    )
    conversation_id: UuidText | None = Field(None, description="Continue this conversation; a new one starts when absent.")
    filters: FiltersIn = Field(default_factory=FiltersIn)
    mode: Mode | None = Field(None, description="The server's default when absent.")
    function: Name | None = Field(None, description="The asker's, by id or name (`GET /facets` lists them): whose documents come first.")
    department: Name | None = Field(None, description="The asker's: its documents come first. Neither changes what may be read.")
    personal_data: PersonalChoice = Field(
        PersonalChoice.STOP,
        description="When the question seems to hold what identifies a patient: `stop` (422 `personal_data`, nothing is stored; `errors` "
        "say what was seen, `instead` is the question without it), `remove` it, or `keep` it where the hospital's setting lets you.",
    )
    whole_document: DocumentIdText | None = Field(
        None,
        description="Of one document the model reads everything, in place of passages of several, and nothing else is searched: for "
        "written answers (`mode` answer). One that is more than the generator reads at once is refused: 422 `document_too_long`, or the "
        "event `failed` with that code.",
    )
    literal: bool = Field(
        False, strict=True, description="Search for these words as they are; else a follow-up question is made to stand alone."
    )


class RectOut(BaseModel):
    """Points on the page as displayed (after rotation), origin top left."""

    x0: float
    y0: float
    x1: float
    y1: float


class PageRectsOut(BaseModel):
    page: int
    rects: list[RectOut]


class NoticeOut(BaseModel):
    code: str
    text: str


class SourceOut(BaseModel):
    """A retrieved passage. `score` is in [0, 1]."""

    rank: int
    document: str = Field(description="The name the document was ingested under.")
    document_id: str
    title: str
    page: int
    pages: list[int]
    version: str
    valid_from: date | None
    valid_until: date | None
    department: str
    document_type: str
    target_groups: list[TargetGroup]
    owner: str
    language: str
    score: float
    dense_score: float
    bm25_score: float
    text: str = Field(description="What was read in doubt from an image is blank in it: ▒ for each letter.")
    text_from: str = Field("pdf", description="Where its words come from: `ocr` of a page that was read from its image.")
    uncertain: bool = Field(False, description="Some of it was read in doubt from an image: it is on the page, and never quoted.")
    rects: list[PageRectsOut]
    cautions: list[NoticeOut] = Field(
        [],
        description="What to know before using it: `other_group`, `other_drug`, `twin`, `expired`, `superseded`, `conflict`, `scan`, "
        "`scan_in_doubt`; in the question's language.",
    )


class UnsupportedOut(BaseModel):
    """answer[start:end] == text: a number, with its unit, that no passage of the answer holds. Offsets count code points."""

    start: int
    end: int
    text: str


class PieceOut(BaseModel):
    """A cell of a quoted row or an item of a quoted list: answer[start:end]. Offsets count code points."""

    start: int
    end: int
    source_start: int = Field(description="In the document's text, as `source_end`.")
    source_end: int
    label: str = Field("", description="Of an item: its number or mark as it stands at its beginning, part of the text too.")
    level: int = Field(0, description="Of an item: how deep in the list, from 0.")
    header: bool = Field(False, description="Of a cell: it says what others hold. A row of headers only heads the rows of its part.")
    column: int = Field(0, description="Of a cell: from 0.")
    columns: int = Field(1, description="Of a cell: how many columns it spans.")
    asked: bool = Field(False, description="Of a cell: the question asks for it.")


class SpanOut(BaseModel):
    """answer[start:end] == text: copied character for character from the document. Offsets count code points."""

    start: int
    end: int
    document: str
    document_id: str
    rank: int
    page: int
    text: str
    rects: list[PageRectsOut] = Field(description="Empty when the place is not exact: show 'on this page' instead.")
    part: int = Field(
        0, description="Spans with one number are read together: a list with its introduction, a table's header with its rows."
    )
    kind: PartKind = Field(
        PartKind.SENTENCE,
        description="`heading`: what the rest of its part is not read without; `list`: `pieces` are its items; `row`: `pieces` are its "
        "cells, all of them headers in the row that heads the others.",
    )
    pieces: list[PieceOut] = Field([], description="The cells of a row or the items of a list, in order.")


class AnswerOut(BaseModel):
    id: str
    conversation_id: str
    question: str
    query: str
    language: str
    mode: Mode
    status: AnswerStatus
    answer: str
    sources: list[SourceOut]
    spans: list[SpanOut]
    notices: list[NoticeOut]
    model: str
    embedder: str
    prompt_version: str
    stats: dict[str, Any]
    created_at: datetime
    unsupported: list[UnsupportedOut] = Field([], description="Numbers of the answer that its passages do not hold.")
    not_named: list[str] = Field(
        [], description="Specific words of the question that what is quoted, its title and headings do not name: a hint, no verdict."
    )


class StageEvent(BaseModel):
    """SSE event `stage`."""

    name: Literal["retrieving", "reading", "writing"]
    passages: int = 0


class FoundEvent(BaseModel):
    """SSE event `found`: the sources are known, before any word is written."""

    answer_id: str
    conversation_id: str
    query: str = Field("", description="What was searched for: the question, or what a follow-up question means.")
    status: AnswerStatus = Field(
        AnswerStatus.ANSWERED, description="What will be made of it: `answered` has words to come; `not_found` opens and marks no source."
    )
    language: str = Field("", description="Of the notices, and of the words to come.")
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


class NoteOut(BaseModel):
    """A warning: in English, with its stable code and what stands in it, for other languages."""

    text: str
    code: str = Field("", description="Empty for a sentence of an older version.")
    values: dict[str, str] = {}


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
    warnings: list[str] = Field([], description="What an admin should know of it, for example pages without text; of a failed one: why.")
    notes: list[NoteOut] = Field([], description="The warnings with their codes, in the same order.")
    advice: str = Field("", description="What to do about a document that failed.")
    groups: list[str] = Field([], description="Whose members may read it.")
    created_at: datetime | None
    updated_at: datetime | None


# A name of a group. What is a blank differs from one kind of pattern to the other: \x85 is one to some, \ufeff to others.
GROUP = r"^[^\s,;\x00-\x1f\x85\ufeff]([^,;\x00-\x1f]*[^\s,;\x00-\x1f\x85\ufeff])?$"


class AccessOut(BaseModel):
    groups: list[str] = Field(description="Whose members may read it.")
    said_by: Literal["admin", "source", "department", "default"] = Field(
        description="Who said so: an admin, the folder or site it came from, its department, or nobody (`default`)."
    )
    user_id: str = Field(description="Of who said it, where that was a person.")
    said_at: datetime | None


class AccessIn(BaseModel):
    """Null: what the folder, the site or the department says counts again."""

    groups: Annotated[list[Annotated[str, Field(max_length=100, pattern=GROUP)]], Field(min_length=1, max_length=50)] | None = Field(
        examples=[["intensive-care"]]
    )


class DepartmentAccessOut(AccessOut):
    department: str


class DepartmentAccessList(BaseModel):
    departments: list[DepartmentAccessOut]


class DocumentList(BaseModel):
    documents: list[DocumentOut]
    total: int


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
    """What an admin says in one field, and what the file said there when it was edited. Dates as 2026-01-31, groups as adult;child."""

    field: str
    value: str
    said: str


class DocumentDetail(DocumentOut):
    pages: list[PageOut]
    edits: list[EditOut] = Field([], description="The fields in which an admin overrules the file.")
    cut: list[CutLineOut] = Field([], description="What was left out of the text, in the order of the pages.")


class DescribedOut(DocumentDetail):
    vectors: Literal["kept", "made again", "outdated"] = Field(
        description="Of its passages, embedded with their title. Outdated: too many to wait for; words are found by the new title "
        "already, meaning by the old one until the next ingestion."
    )


MetadataField = Literal[
    "title", "department", "document_type", "target_groups", "version", "valid_from", "valid_until", "owner", "language", "supersedes"
]


class MetadataIn(In):
    """Fields that are absent stay as they are. Empty texts and lists, and null for a date, say that there is none."""

    title: Annotated[Words, Field(min_length=1, max_length=300, pattern=r"^[^\x00]*[^\s\x00\x85\ufeff][^\x00]*$")] | None = None
    department: Name | None = None
    document_type: Name | None = None
    target_groups: list[TargetGroup] | None = Field(None, max_length=4)
    version: Annotated[Words, Field(max_length=50, pattern=r"^[^\x00]*$")] | None = None
    valid_from: Day | None = None
    valid_until: Day | None = None
    owner: Name | None = None
    language: Literal["nl", "en", ""] | None = None
    supersedes: Name | None = Field(None, description="File name or title of the document that this one replaces.")
    reset: list[MetadataField] = Field([], max_length=10, description="These say again what the file says, unless they are given as well.")


class ChangeOut(BaseModel):
    """One field of one change."""

    field: str
    before: str
    after: str
    user_id: str
    changed_at: datetime


class ChangeList(BaseModel):
    changes: list[ChangeOut]


class FunctionOut(BaseModel):
    """A function that askers have. `target_groups`: the patients whose documents come first for it; empty: none in particular."""

    id: str
    nl: str
    en: str
    target_groups: list[TargetGroup]


class FacetsOut(BaseModel):
    """What documents can be filtered by, and the functions that order them."""

    departments: list[str]
    document_types: list[str]
    languages: list[str]
    target_groups: list[TargetGroup]
    functions: list[FunctionOut]


class IngestItem(BaseModel):
    source: str
    document_id: str | None
    outcome: Literal["indexed", "unchanged", "failed", "retired"]
    reason: str = ""
    message: str = ""
    cut: int = Field(0, description="Lines left out as headers, footers and page numbers; the document's detail has them.")
    from_images: int = Field(0, description="Pages of it that were read from their image (OCR).")
    uncertain: int = Field(0, description="Places of them that were read in doubt: found and shown, never quoted.")
    advice: str = Field("", description="What to do about a failure.")
    warnings: list[str] = Field([], description="What an admin should know of it, and do about it.")
    notes: list[NoteOut] = Field([], description="The warnings with their codes, in the same order.")
    renamed_from: str = Field("", description="The name that its document had when the file lay elsewhere.")


class MissingOut(BaseModel):
    """A document whose file is no longer in the folder that it came from. Questions are still answered from it."""

    source: str
    document_id: str
    title: str


class SkippedOut(BaseModel):
    """Files that lie in the folders and are not read."""

    kind: str = Field(description='How their names end (".png"), or what they are ("hidden").')
    count: int
    examples: list[str]


class RetitledOut(BaseModel):
    """A document that was called by a letterhead, as many others are, and has its own title now."""

    source: str
    document_id: str
    before: str
    after: str


class StopOut(BaseModel):
    ingesting: bool = Field(description="Whether documents were being loaded, by somebody who is now asked to stop.")


class IngestOut(BaseModel):
    indexed: int
    unchanged: int
    failed: int
    retired: int = 0
    items: list[IngestItem]
    skipped: list[SkippedOut] = []
    missing: list[MissingOut] = []
    retitled: list[RetitledOut] = []
    notes: list[str] = Field([], description="What is wrong in a metadata.csv and costs no document.")


class ConversationOut(BaseModel):
    id: str
    title: str
    created_at: datetime
    updated_at: datetime


class ConversationList(BaseModel):
    conversations: list[ConversationOut]
    total: int


class ConversationDetail(ConversationOut):
    answers: list[AnswerOut]


class FeedbackIn(In):
    """All optional, at least one: a verdict, the document that held the answer, or words."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["found"], "properties": {"found": {"type": "string"}}},
                {"required": ["document_id"], "properties": {"document_id": {"type": "string"}}},
                {"required": ["comment"], "properties": {"comment": {"type": "string", "pattern": r"\S"}}},
            ]
        }
    )

    found: Literal["yes", "partly", "no"] | None = None
    document_id: DocumentIdText | None = Field(None, description="The document that held the answer.")
    page: int | None = Field(None, ge=1, le=100_000)
    comment: Words = Field("", max_length=4000, pattern=r"^[^\x00]*$")

    @model_validator(mode="after")
    def _says_something(self) -> FeedbackIn:
        if self.found is None and self.document_id is None and not self.comment.strip():
            raise ValueError("give at least one of: found, document_id, comment")
        return self


class FeedbackOut(BaseModel):
    id: str
    answer_id: str
    found: Literal["yes", "partly", "no"] | None
    document_id: str | None
    page: int | None
    comment: str
    created_at: datetime


class PartHealth(BaseModel):
    name: str = Field(description="`database`, `store`, `embedder`, `generator`; of several generators `generator HOST:PORT` each.")
    ok: bool
    detail: str
    milliseconds: float


class SentencesAhead(BaseModel):
    """How far the sentences of documents are embedded before anybody asks; until then a first question about a document takes longer.
    `full`: what is left does not fit into BEDSIDE_SENTENCE_VECTORS_MB."""

    state: Literal["off", "waiting", "making", "complete", "full"]
    documents: int = Field(0, description="Whose sentences are all embedded.")
    of: int = 0
    sentences: int = 0


class Live(BaseModel):
    status: Literal["ok"]


class Health(BaseModel):
    """`ok`: everything answers. `degraded`: questions still get sources. `down`: they do not."""

    status: Literal["ok", "degraded", "down"]
    version: str
    parts: list[PartHealth] = Field(description="For admins; empty for all others.")
    documents: int | None = None
    demo: bool = Field(description="True with the demo model: not for clinical use.")
    model: str = ""
    sentences: SentencesAhead = Field(default_factory=lambda: SentencesAhead(state="off"))


class WrongOut(BaseModel):
    """What is wrong with one place of a request."""

    where: str = Field(description="`line 4` of a file, or `body.question` of a request; empty: all of it.")
    what: str = Field(description="In English.")
    code: str = Field("", description="Stable, with `values` for a sentence in the reader's language; empty where there is none.")
    values: dict[str, str] = {}


class Problem(BaseModel):
    """RFC 9457 problem details."""

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str
    errors: list[WrongOut] | None = None
    instead: str | None = Field(None, description="Of `personal_data`: the question without what identifies a patient.")
