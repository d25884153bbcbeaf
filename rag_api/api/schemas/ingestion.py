"""Report of an ingestion."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from rag_api.api.schemas.documents import NoteOut
from rag_api.domain import Step


class IngestItem(BaseModel):
    source: str
    document_id: str | None
    outcome: Literal["indexed", "unchanged", "failed", "retired"]
    reason: str = ""
    message: str = ""
    cut: int = Field(
        0, description="Lines left out as headers, footers and page numbers; the document's detail has them."
    )
    from_images: int = Field(0, description="Pages of it that were read from their image (OCR).")
    uncertain: int = Field(0, description="Places of them that were read in doubt: found and shown, never quoted.")
    advice: str = Field("", description="What to do about a failure.")
    warnings: list[str] = Field([], description="What an admin should know of it, and do about it.")
    notes: list[NoteOut] = Field([], description="The warnings with their codes, in the same order.")
    renamed_from: str = Field("", description="The name that its document had when the file lay elsewhere.")
    kept: bool = Field(False, description="It could not be read, and the version before it is still answered from.")


class MissingOut(BaseModel):
    """A document whose file is no longer in the folder that it came from. Questions are still
    answered from it."""

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


class IngestionOut(BaseModel):
    """Where the loading of documents is, whoever began it."""

    ingesting: bool = Field(description="Whether documents are being loaded.")
    own: bool = Field(False, description="Whether you began it.")
    step: Step | None = Field(
        None,
        description="`comparing`: whether a file is new or changed; `reading`; `embedding`; `saved`: in the index. "
        "Null: it just began.",
    )
    source: str = Field("", description="What it is at; empty where that is not yours to read.")
    page: int = Field(0, description="Of a scan: the page that is being read, of `of`; 0: no image is being read.")
    of: int = 0
    done: int = Field(0, description="Documents, of `total`; unchanged and failed ones included.")
    total: int = 0
    pages: int = Field(0, description="Read until now.")
    chunks: int = Field(0, description="Passages embedded until now.")
    seconds: float = Field(0.0, description="Since it began.")


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
