"""An answer: its sources, its quotes and their places."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from rag_api.domain import AnswerStatus, Mode, PartKind, TargetGroup


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
    language: str = Field("", description="Of the text; empty: of the answer.")
    texts: dict[str, str] = Field(
        {}, description="The text by language, `nl` and `en`; empty of what was answered by older versions."
    )


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
    text: str = Field(description="What was read in doubt is blank in it: ▒ for each letter.")
    text_from: str = Field(
        "pdf", description="Where its words come from: `ocr` of a page that was read from its image."
    )
    uncertain: bool = Field(
        False, description="Some of it may say something else than its page shows: it is never quoted."
    )
    rects: list[PageRectsOut]
    cautions: list[NoticeOut] = Field(
        [],
        description="What to know before using it: `other_group`, `other_drug`, `other_level`, `other_complication`, "
        "`twin`, "
        "`expired`, `superseded`, `conflict`, `scan`, `scan_in_doubt`, `in_doubt`, `mostly_in_doubt`, `addressed`; in "
        "the language that "
        "was asked for.",
    )


class UnsupportedOut(BaseModel):
    """answer[start:end] == text: a number, with its unit, that no passage of the answer holds.
    Offsets count code points."""

    start: int
    end: int
    text: str


class PieceOut(BaseModel):
    """A cell of a quoted row, an item of a quoted list, the sentence for which a paragraph is
    quoted: answer[start:end]. Offsets count code points."""

    start: int
    end: int
    source_start: int = Field(description="In the document's text, as `source_end`.")
    source_end: int
    label: str = Field(
        "", description="Of an item: its number or mark as it stands at its beginning, part of the text too."
    )
    level: int = Field(0, description="Of an item: how deep in the list, from 0.")
    header: bool = Field(
        False, description="Of a cell: it says what others hold. A row of headers only heads the rows of its part."
    )
    column: int = Field(0, description="Of a cell: from 0.")
    columns: int = Field(1, description="Of a cell: how many columns it spans.")
    asked: bool = Field(False, description="A cell, or a sentence of its paragraph, that the question asks for.")
    pointed: bool = Field(
        False, description="A cell: its row is the one for which its whole table is quoted, where that is sure."
    )


class SpanOut(BaseModel):
    """answer[start:end] == text: copied character for character from the document. Offsets count
    code points."""

    start: int
    end: int
    document: str
    document_id: str
    rank: int
    page: int
    text: str
    rects: list[PageRectsOut] = Field(description="Empty when the place is not exact: show 'on this page' instead.")
    part: int = Field(
        0,
        description="Spans with one number are read together: a list with its introduction, a table's header with "
        "its rows.",
    )
    kind: PartKind = Field(
        PartKind.SENTENCE,
        description="`heading`: what the rest of its part is not read without; `list`: `pieces` are its items; `row`: "
        "`pieces` are its "
        "cells, all of them headers in the row that heads the others.",
    )
    pieces: list[PieceOut] = Field(
        [],
        description="The cells of a row or the items of a list, in order; of a paragraph the sentences for which "
        "it is quoted.",
    )


class NewerOut(BaseModel):
    id: str
    title: str
    language: str


class SinceOut(BaseModel):
    """A document of the answer that no longer counts."""

    document_id: str
    title: str
    language: str
    withdrawn: bool = Field(description="Else it expired, or another counts in its place.")
    reason: str = Field("", description="Why it was withdrawn; empty: not said.")
    newer: NewerOut | None = Field(description="What counts in its place, where you may read that.")
    expired_on: date | None = Field(None, description="Its last day, where it was neither withdrawn nor replaced.")


class SinceByAnswer(BaseModel):
    answers: dict[str, list[SinceOut]] = Field(description="By the answer's id; empty: nothing became of any.")


class JudgementOut(BaseModel):
    verdict: Literal["right", "partly", "wrong", "harmful"]
    remark: str
    judged_at: datetime


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
        [],
        description="Specific words of the question that what is quoted, its title and headings do not name: a "
        "hint, no verdict.",
    )
    since: list[SinceOut] = Field(
        [],
        description="Of a stored answer: the documents that it quotes, else shows, which were withdrawn or replaced, "
        "or expired, since it was given.",
    )
    judged: JudgementOut | None = Field(None, description="Of a stored answer: what quality staff said of it last.")
