"""State of the service and its parts."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class PartHealth(BaseModel):
    name: str = Field(
        description="`database`, `store`, `embedder`, `generator`; of several generators `generator HOST:PORT` each."
    )
    ok: bool
    detail: str
    milliseconds: float


class SentencesAhead(BaseModel):
    """How far the sentences of documents are embedded before anybody asks; until then a first
    question about a document takes longer. `full`: what is left does not fit into
    BEDSIDE_SENTENCE_VECTORS_MB."""

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
