"""Problem details of failed requests."""

from __future__ import annotations

from pydantic import BaseModel, Field


class WrongOut(BaseModel):
    """What is wrong with one place of a request."""

    where: str = Field(description="`line 4` of a file, or `body.question` of a request; empty: all of it.")
    what: str = Field(description="In English.")
    code: str = Field(
        "", description="Stable, with `values` for a sentence in the reader's language; empty where there is none."
    )
    values: dict[str, str] = {}


class Problem(BaseModel):
    """RFC 9457 problem details."""

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str
    errors: list[WrongOut] | None = None
    instead: str | None = Field(None, description="Of `personal_data`: the text without what identifies a patient.")
