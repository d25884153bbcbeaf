"""Rights to read a document."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from rag_api.api.schemas.base import GROUP


class AccessOut(BaseModel):
    groups: list[str] = Field(description="Whose members may read it.")
    said_by: Literal["admin", "source", "department", "default"] = Field(
        description="Who said so: an admin, the folder or site it came from, its department, or nobody (`default`)."
    )
    user_id: str = Field(description="Of who said it, where that was a person.")
    user_name: str = Field(description="Of that account, else its id.")
    said_at: datetime | None


class AccessIn(BaseModel):
    """Null: what the folder, the site or the department says counts again."""

    groups: (
        Annotated[list[Annotated[str, Field(max_length=100, pattern=GROUP)]], Field(min_length=1, max_length=50)] | None
    ) = Field(examples=[["intensive-care"]])


class DepartmentAccessOut(AccessOut):
    department: str


class DepartmentAccessList(BaseModel):
    departments: list[DepartmentAccessOut]
