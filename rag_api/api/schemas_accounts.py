"""The shapes of sign-in, accounts and keys on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rag_api.domain import Role, Scope

Group = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f,;]+$")]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*[^\s\x00-\x1f][^\x00-\x1f]*$")]


class In(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Me(BaseModel):
    id: str
    name: str
    roles: list[Role]
    groups: list[str]
    function: str = ""
    department: str = ""


class SessionOut(BaseModel):
    """`user` is null when nobody is signed in."""

    sign_in: Literal["off", "local", "oidc"] = Field(description="How one signs in here; off: there is one user.")
    user: Me | None = None
    idle_seconds: int | None = Field(None, description="The session ends after so long without use.")
    seconds_left: int | None = Field(None, description="Until it ends, if it is not used.")


class SignInIn(In):
    login: str = Field(min_length=1, max_length=200, pattern=r"^[^\x00]+$")
    password: str = Field(min_length=1, max_length=200, pattern=r"^[^\x00]+$")


class SignedOut(BaseModel):
    go_to: str | None = Field(None, description="Where the provider ends its own session.")


class AccountOut(BaseModel):
    id: str
    name: str
    login: str | None
    issuer: str | None
    roles: list[Role] = Field(description="Given by hand.")
    groups: list[str] = Field(description="Given by hand.")
    claimed_groups: list[str] = Field(description="What the provider named at the last sign-in.")
    all_roles: list[Role] = Field(description="With those that follow from groups.")
    function: str
    department: str
    suspended_at: datetime | None
    created_at: datetime
    signed_in_at: datetime | None


class AccountList(BaseModel):
    accounts: list[AccountOut]


class AccountIn(In):
    """What is absent stays as it is."""

    roles: list[Role] | None = Field(None, max_length=10)
    groups: list[Group] | None = Field(None, max_length=50)
    suspended: bool | None = None


class KeyIn(In):
    user: str = Field(min_length=1, max_length=200, pattern=r"^[^\x00]+$", description="The account that acts: by id or login.")
    name: Name
    scopes: list[Scope] = Field(min_length=1, max_length=10)
    days: int = Field(90, ge=1, le=730)


class KeyOut(BaseModel):
    id: str
    user_id: str
    name: str
    prefix: str
    scopes: list[Scope]
    created_by: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None


class NewKeyOut(KeyOut):
    key: str = Field(description="Shown this once: only its hash is kept.")


class KeyList(BaseModel):
    keys: list[KeyOut]
