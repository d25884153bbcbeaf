"""A question's two entries in the audit trail: who asks what, before anything is looked for; and
what was shown, before the last of it is.

Where the second cannot be kept, what was shown so far was shown; the reader is told that the answer
failed, and the first entry says who asked.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from dataclasses import asdict
from typing import Any

from rag_api.answering.ask_container import AskContainer
from rag_api.answering.builder import Question
from rag_api.api.auditing.audited import Noted
from rag_api.audit.entry import Result
from rag_api.audit.shown import cited, documents_of, shown
from rag_api.audit.trail import Trail
from rag_api.domain import AnswerEvent, Citation, Cited, Done, Failed, Found, Nearest, Source
from rag_api.errors import AuditUnavailable

log = logging.getLogger(__name__)

ANSWERED = "question.answered"


class QuestionAudit:
    def __init__(self, noted: Noted, question: Question, container: AskContainer) -> None:
        self.noted, self.question, self.container = noted, question, container
        self.sources: tuple[Source, ...] = ()
        self.citations: list[Citation] = []
        self.ended = False  # what was shown is written

    async def begins(self) -> None:
        """Raises AuditUnavailable: then nothing is looked for. A question that was refused before
        this, for what stands in it, is in no entry."""
        self.noted.question = self.question.text
        filters = {name: value for name, value in asdict(self.question.filters).items() if value and name != "groups"}
        self.noted.on |= self._where() | {
            "mode": self.question.mode.value,
            "filters": {name: str(value) for name, value in filters.items()},
        }
        await self.noted.write(self.noted.event(Result.BEGUN))
        self.noted.asked = True
        self.noted.question = ""  # said once; the entries of a request share its id

    async def followed(self, events: AsyncGenerator[AnswerEvent]) -> AsyncGenerator[AnswerEvent]:
        """The events as they are. The last is held until what was shown is written; where it cannot
        be, it is Failed."""
        try:
            async with contextlib.aclosing(events):
                async for event in events:
                    self._see(event)
                    yield await self._last(event) if isinstance(event, Done | Failed) else event
        except (asyncio.CancelledError, GeneratorExit):  # nothing can be awaited any more
            if not self.ended:
                self.container.afterwards(self._stopped)
            raise
        except Exception:
            await self._written(Result.FAILED, self._seen(), "internal")
            raise

    async def _last(self, event: Done | Failed) -> AnswerEvent:
        failed = isinstance(event, Failed)
        said = shown(event.answer) if event.answer is not None else self._seen()
        result, code = (Result.FAILED, event.code) if isinstance(event, Failed) else (Result.SUCCESS, "")
        try:
            await self._written(result, said, code)
        except AuditUnavailable as error:
            log.error("what was shown of an answer is not in the audit trail: %s", error.message)
            return event if failed and event.answer is None else Failed(error.code, error.message)
        finally:
            self.ended = True
        return event

    async def _written(self, result: Result, on: dict[str, Any], code: str = "") -> None:
        self.noted.on = on
        await self.noted.write(self.noted.event(result, 200, code, ANSWERED))

    def _stopped(self) -> None:
        trail: Trail = self.noted.request.app.state.container.trail
        self.noted.on = self._seen()
        try:
            trail.write(self.noted.event(Result.STOPPED, 200, action=ANSWERED))
        except AuditUnavailable as error:
            log.error("what was shown of an answer that was stopped is not in the audit trail: %s", error.message)

    def _see(self, event: AnswerEvent) -> None:
        if isinstance(event, Found | Nearest):
            self.sources = event.sources
        if isinstance(event, Cited):
            self.citations.append(event.citation)

    def _seen(self) -> dict[str, Any]:
        return self._where() | {"documents": documents_of(self.sources), "cited": cited(self.citations)}

    def _where(self) -> dict[str, str]:
        return {"answer": self.question.id, "conversation": self.question.conversation_id}
