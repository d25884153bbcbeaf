"""Types that the models of requests and responses are made of."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from rag_api.domain import PersonalChoice


class In(BaseModel):
    """Requests refuse unknown fields."""

    model_config = ConfigDict(extra="forbid")


def _is_day(value: Any) -> Any:
    """Only 2026-01-31: pydantic takes a number of seconds for a day too, and 20260131 would be one
    in 1970."""
    if not isinstance(value, date) and not (
        isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value)
    ):
        raise ValueError("a day is written as 2026-01-31")
    return value


class WordsOfStaff(In):
    """What holds words of staff about a document or an answer."""

    personal_data: PersonalChoice = Field(
        PersonalChoice.STOP,
        description="When the words seem to hold what identifies a patient: `stop` (422 `personal_data`, nothing is "
        "stored; `errors` say what was seen, `instead` is what would be kept), `remove` it, or `keep` it where the "
        "hospital's setting lets you.",
    )


UUID = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
DOCUMENT = r"^[0-9a-f]{32}$"
Day = Annotated[date, BeforeValidator(_is_day)]
# Without the character NUL, which a database refuses. A validator of its own would hide a field's
# other pattern from the API's document.
Words = Annotated[str, Field(pattern=r"^[^\x00]*$")]
Name = Annotated[Words, Field(max_length=200)]
UuidText = Annotated[str, Field(pattern=UUID, max_length=36)]
DocumentIdText = Annotated[str, Field(pattern=DOCUMENT, max_length=32)]
# A name of a group. What is a blank differs from one kind of pattern to the other: \x85 is one to
# some, \ufeff to others.
GROUP = r"^[^\s,;\x00-\x1f\x85\ufeff]([^,;\x00-\x1f]*[^\s,;\x00-\x1f\x85\ufeff])?$"
CAN_HARM = (
    "What is reported can harm a patient: it comes first, to quality staff too, and a mail's subject says so. In an "
    "emergency call somebody: nobody is told sooner than they look."
)
# Something other than blanks, as in GROUP.
NOT_BLANK = r"^[^\x00]*[^\s\x00-\x1f\x85\ufeff][^\x00]*$"
MetadataField = Literal[
    "title",
    "department",
    "document_type",
    "target_groups",
    "version",
    "valid_from",
    "valid_until",
    "owner",
    "language",
    "supersedes",
]
