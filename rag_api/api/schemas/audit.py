"""The shapes of the audit trail on the wire; `bedside audit export` writes the same."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from rag_api.audit.entry import Result
from rag_api.audit.verify import WHYS


class WhoOut(BaseModel):
    """Who did it: absent fields are unknown, or nobody's."""

    user: str = ""
    name: str = ""
    login: str = Field("", description="What the account signs in by today, where there still is one.")
    roles: list[str] = []
    key: str = Field("", description="The id of the key that was shown.")
    client: str = Field(
        "", description="The address that it came from, as the trusted proxy says; of a command, the machine."
    )
    function: str = ""
    department: str = ""


class AboutOut(BaseModel):
    account: str = Field(
        "",
        description="To whom it was done, or in whose name it was tried: an account's id, or its login in a command.",
    )
    name: str = Field("", description="What that account is called today, where there still is one.")
    login: str = ""
    reason: str = Field(
        "", description="The words of who did it: why a document was taken out, what is said of an answer."
    )


class AskedOut(BaseModel):
    sha256: str
    text: str = Field("", description="As long as the policy keeps it.")


class EntryOut(BaseModel):
    sequence: int
    form: int
    id: str
    at: datetime
    action: str
    result: Result
    origin: str = Field(description="api, cli, watch or server")
    route: str
    request: str = Field(description="Entries of one request share it.")
    status: int
    code: str
    on: dict[str, Any] = Field(
        description="What it was about: documents with versions, pages and passages, answers, groups. Of an answer "
        "each document says its `use`: `quoted`, `shown` among the sources, or `refused` (shown under a refusal)."
    )
    who: WhoOut | None = None
    about: AboutOut | None = None
    question: AskedOut | None = None
    erased: list[str] = Field(description="Parts that it had: who, about, question.")
    buffered: bool = Field(description="It was kept in a file first, because the database did not answer.")
    hash: str


class TrailOut(BaseModel):
    entries: list[EntryOut]
    next: int | None = Field(description="What to give as `before` (or `after`) for more; null: that was all.")
    fitting: int | None = Field(
        description="How many entries fit in all; null but for the first page, and above 100,000."
    )
    acts: int | None = Field(
        description="The same without what was begun, where what came of it fits too; null as `fitting`."
    )
    documents: int | None = Field(description="How many documents, of those that are kept, `document` may mean.")


class HeadOut(BaseModel):
    sequence: int
    hash: str


class BadOut(BaseModel):
    sequence: int = Field(description="The first entry that is not as it was written.")
    why: Literal[WHYS] = Field(description="What is wrong with it.")  # type: ignore[valid-type]


class VerifiedOut(BaseModel):
    """What came of a verification. `bad` null: every entry up to `entries` is as it was written."""

    at: datetime
    entries: int = Field(description="So many, from the first, are as they were written.")
    anchors: int = Field(
        description="Numbers and hashes of this machine that were found in their places; 0: a cut end is not shown."
    )
    bad: BadOut | None


class ChainOut(BaseModel):
    head: HeadOut | None = Field(description="The last entry; null: there is none.")
    verified: VerifiedOut | None = Field(description="The last verification, as the trail itself says; null: never.")
