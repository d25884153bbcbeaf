"""An answer on its way: what is known of it so far, until it is finished. Knows no step that fills
it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from rag_api.answering.choosing.span_selection import Section
from rag_api.answering.generator.prompt_passages import PromptPassage
from rag_api.answering.quote_structure import QuotedPart
from rag_api.answering.warnings.notice_texts import notice
from rag_api.domain import (
    Answer,
    AnswerStatus,
    Candidate,
    Citation,
    Filters,
    Mode,
    Notice,
    Page,
    PartKind,
    Source,
    Unsupported,
    User,
)
from rag_api.guard.personal import IdentityKind
from rag_api.query.analysis import Analysis
from rag_api.retrieval.find import Retrieval
from rag_api.text.language import Language


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, checked: the conversation is the user's own (or new), the mode is one that
    the generator can do."""

    id: str  # of the answer to be
    conversation_id: str
    is_new: bool  # the conversation exists from the first stored answer on
    text: str
    mode: Mode
    filters: Filters
    whole: str = ""  # id of the one document that the model is to read whole, in place of passages of several
    # what was searched for before in this conversation; empty: this question stands alone
    earlier: tuple[str, ...] = ()
    unanswered: bool = False  # the last of those found nothing
    removed: tuple[IdentityKind, ...] = ()  # what identified a patient and was left out of the text
    notices_in: Language | None = None  # of the page; None: the question's own
    kept: tuple[IdentityKind, ...] = ()  # what does and stayed, since its asker said so
    given: Answer | None = None  # the answer, where this was asked before under the same key


@dataclass(frozen=True, slots=True)
class AskedApart:
    """One of the things that a question asks, and what was found for it. said: as it was typed,
    where it is not all of the question."""

    question: Analysis
    found: Retrieval
    said: str = ""

    @property
    def sentences(self) -> tuple[Candidate, ...]:
        """Those found for it, best first."""
        return self.found.sentences

    @property
    def pointed(self) -> bool:
        """A reader pointed to the first of them: it is what is quoted."""
        return self.found.pointed


@dataclass(slots=True)
class AnswerBuilder:
    """An answer on its way. Mutates until `finished` freezes it."""

    question: Question
    user: User
    language: Language
    query: str  # what is searched for and answered: the question, or what a follow-up means
    unresolved_follow_up: bool = False  # a follow-up of what found nothing
    analysis: Analysis | None = None  # of the query, from its search on
    began: float = field(default_factory=time.perf_counter)
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    status: AnswerStatus = AnswerStatus.SOURCES_ONLY
    text: str = ""
    sources: tuple[Source, ...] = ()
    pages: dict[str, list[Page]] = field(default_factory=dict)  # by document: those that its sources touch
    asked: tuple[AskedApart, ...] = ()  # one, or two that are each answered by itself
    sections: tuple[Section, ...] | None = None  # what is quoted, once it is chosen from the sources
    # by document: sentences that are quoted with their paragraph
    said: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)  # of their documents, by id
    structures: dict[str, str] = field(default_factory=dict)  # the blocks of those, packed
    prompt_passages: tuple[PromptPassage, ...] = ()  # as the generator got them, in the order of their wire ids
    citations: list[Citation] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    model: str = ""
    embedder: str = ""
    prompt_version: str = ""
    stats: dict[str, Any] = field(default_factory=dict)
    saving: bool = False
    unsupported: tuple[Unsupported, ...] = ()
    not_named: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()  # of two things asked, what nothing answers, as it was typed
    unsure: bool = False  # likelier wrong than right, by the fitted chance
    cut_short: bool = False  # a part of it reached its greatest length
    group: tuple[str, int] = ("", -1)  # the list, table or paragraph that was quoted last

    def part_of(self, document_id: str, quoted: QuotedPart) -> int:
        """The number of the part that what is quoted next belongs to: that of the introduction,
        list or table before it, or a new one."""
        if not self.citations:
            self.group = (document_id, quoted.group)
            return 0
        last, before = self.citations[-1], self.group
        self.group = (document_id, quoted.group)
        led = last.kind == PartKind.HEADING and last.document_id == document_id
        return last.part if led or (before == self.group and quoted.kind != PartKind.HEADING) else last.part + 1

    @property
    def notices_in(self) -> Language:
        return self.question.notices_in or self.language

    def note(self, code: str) -> None:
        self.notices.append(notice(code, self.notices_in))

    def seconds(self) -> float:
        return round(time.perf_counter() - self.began, 4)

    def finished(self) -> Answer:
        question = self.question
        return Answer(
            id=question.id,
            conversation_id=question.conversation_id,
            user_id=self.user.id,
            question=question.text,
            query=self.query,
            language=self.language,
            mode=question.mode,
            status=self.status,
            text=self.text,
            sources=self.sources,
            citations=tuple(self.citations),
            notices=tuple(self.notices),
            model=self.model,
            embedder=self.embedder,
            prompt_version=self.prompt_version,
            stats={"seconds": self.seconds(), **self.stats},
            created_at=self.created_at,
            unsupported=self.unsupported,
            not_named=self.not_named,
        )
