"""The API's JSON for how Bedside is used and how readily it answers."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, Field

from rag_api.api.schemas.base import In

RiskName = Literal["careful", "balanced", "ready"]


class WeekOut(BaseModel):
    begins: date = Field(description="A Monday.")
    questions: int
    askers: int = Field(description="Different people, keys counted as people.")
    answered: int
    not_found: int
    sources_only: int
    failed: int
    wrong: int = Field(description="Answered, and its reader said that the answer was not there, or reported it.")
    median: float | None = Field(description="Seconds from the question to the whole answer, of half of the questions.")
    slowest: float | None = Field(description="The same, of 95% of the questions.")


class WeeklyUsageOut(BaseModel):
    weeks: list[WeekOut] = Field(description="Oldest first; this week last.")


class AskedInVainOut(BaseModel):
    question: str = Field(description="The wording asked most.")
    times: int
    department: str = Field(description="Of who asked, else of the nearest document.")


class QuotedOut(BaseModel):
    document_id: str = Field(description="The version that counts now.")
    title: str
    answers: int = Field(description="That quoted it, each once.")


class ReportOut(BaseModel):
    since: date
    until: date = Field(description="Included.")
    questions: int
    answered: int
    not_found: int
    sources_only: int
    failed: int
    refused: dict[str, int] = Field(description="Those that were not found, by why (`GET /reviews`), most first.")
    reported: dict[str, int] = Field(description="Answers that readers reported as `wrong` or `outdated`.")
    judged: dict[str, int] = Field(description="Answers that quality staff judged, by verdict.")
    median: float | None = Field(description="Seconds from the question to the whole answer, of half of the questions.")
    slowest: float | None = Field(description="The same, of 95% of the questions.")
    weeks: list[WeekOut] = Field(description="As `GET /usage` has them, of the period's days alone; oldest first.")
    quoted: list[QuotedOut] = Field(
        description="Procedures that answers quoted, most quoted first, of those that you may read."
    )
    unanswered: list[AskedInVainOut] = Field(description="Asked in vain more than once, most asked first.")


class RiskOffered(BaseModel):
    name: RiskName
    refused: float | None = Field(
        description="Share of the questions with an answer that it refused when it was measured."
    )
    wrong: float | None = Field(
        description="Share of what it answered then that was wrong or should have been refused."
    )


class RiskOut(BaseModel):
    risk: str = Field(description="In force: a name, or the share of answers that may be wrong.")
    setting: str = Field(description="What the settings say: it holds where nothing was chosen.")
    fixed: bool = Field(
        description="BEDSIDE_NOT_FOUND_THRESHOLD says where it refuses: nothing that is chosen here changes that."
    )
    chosen_by: str | None
    chosen_at: datetime | None
    offered: list[RiskOffered]
    measured: str = Field(description="When, and on which questions; half of them had no answer.")


class RiskIn(In):
    risk: RiskName | None = Field(description="null: as the settings say.")
