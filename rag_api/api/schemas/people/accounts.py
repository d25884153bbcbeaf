"""The shapes of sign-in, accounts and keys on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from rag_api.api.schemas.base import GROUP, In
from rag_api.api.schemas.base import Name as AnyName
from rag_api.api.schemas.people.access import AccessOut
from rag_api.domain import Role, Scope

Group = Annotated[str, Field(max_length=100, pattern=GROUP)]
Name = Annotated[
    str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*[^\s\x00-\x1f\x85\ufeff][^\x00-\x1f]*$")
]

Password = Annotated[str, Field(min_length=12, max_length=200, pattern=r"^[^\x00]+$")]


class Me(BaseModel):
    id: str
    name: str
    roles: list[Role]
    groups: list[str]
    function: str = ""
    department: str = ""


class PackOut(BaseModel):
    made_at: datetime
    valid_until: datetime
    without_reader: bool = Field(False, description="The model that must agree elsewhere was left out of it.")


class SessionOut(BaseModel):
    """`user` is null when nobody is signed in."""

    sign_in: Literal["off", "local", "oidc"] = Field(description="How one signs in here; off: there is one user.")
    user: Me | None = None
    idle_seconds: int | None = Field(None, description="The session ends after so long without use.")
    seconds_left: int | None = Field(None, description="Until it ends, if it is not used.")
    written_answers: bool = Field(
        False, description="Whether a page should offer answers that the model writes (`mode` `answer`)."
    )
    hands_free: bool = Field(
        False, description="Whether a page should offer dictation and reading aloud, by the device alone."
    )
    pack: PackOut | None = Field(
        None, description="Of a downtime pack, which answers and stores nothing; null elsewhere."
    )


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
    signs_in: Literal["provider", "password", "keys"] = Field(
        description="By what: with the provider, here, or as a machine with keys only."
    )
    roles: list[Role] = Field(description="Given by hand.")
    groups: list[str] = Field(description="Given by hand.")
    claimed_groups: list[str] = Field(description="What the provider named at the last sign-in.")
    all_roles: list[Role] = Field(description="With those that follow from groups.")
    function: str
    department: str
    suspended_at: datetime | None
    created_at: datetime
    signed_in_at: datetime | None
    sessions: int = Field(description="That live now: where they are signed in.")


class AccountList(BaseModel):
    accounts: list[AccountOut]
    total: int = Field(description="Of those that were asked for, on all pages.")
    groups: list[str] = Field(description="All that accounts are in, or documents are for.")


class GroupOut(BaseModel):
    name: str
    readers: int = Field(description="Accounts in it that read documents and are not suspended.")


class GroupList(BaseModel):
    groups: list[GroupOut]


class NewAccountIn(In):
    """Without a password it is a machine's: it acts by keys only."""

    login: str = Field(
        max_length=100, pattern=r"^[0-9A-Za-z._@+-]+$", description="What it signs in by, in whatever case."
    )
    name: Name
    password: Password | None = None
    roles: list[Role] = Field(default=[], max_length=10)
    groups: list[Group] = Field(default=[], max_length=50)
    function: AnyName = Field("", description="What they are, by id or name as `GET /facets` has it; orders sources.")
    department: AnyName = Field("", description="Theirs: its documents come first. Neither grants anything.")


class PasswordIn(In):
    password: Password


class EndedOut(BaseModel):
    sessions: int = Field(description="That were ended.")


class MembershipOut(BaseModel):
    """A group that lets somebody read a document, and where their being in it comes from."""

    group: str
    given_by: list[Literal["everyone", "hand", "provider"]] = Field(
        description="everyone: all are in it. hand: an admin said so. provider: the sign-in named it last time."
    )


class WhyOut(BaseModel):
    """Whether somebody can see a document. `through` and `reader` both have to hold, and they must
    not be suspended."""

    account: str
    name: str
    sees: bool
    suspended: bool
    reader: bool = Field(description="Whether a role of theirs reads documents at all.")
    through: list[MembershipOut] = Field(description="The document's groups that they are in.")
    access: AccessOut = Field(description="Who may read the document, and who said so.")


class ColleagueOut(BaseModel):
    name: str
    called: str = Field(description="What a review or a question is given to them by: no other reader is called so.")
    may_review: bool = Field(description="They may say that a document still holds.")


class ColleagueList(BaseModel):
    colleagues: list[ColleagueOut] = Field(description="By name.")
    total: int


class AccountIn(In):
    """What is absent stays as it is."""

    roles: list[Role] | None = Field(None, max_length=10)
    groups: list[Group] | None = Field(None, max_length=50)
    function: AnyName | None = None
    department: AnyName | None = None
    suspended: bool | None = Field(None, strict=True)


class KeyIn(In):
    user: str = Field(
        min_length=1, max_length=200, pattern=r"^[^\x00]+$", description="The account that acts: by id or login."
    )
    name: Name
    scopes: list[Scope] = Field(min_length=1, max_length=10)
    days: int = Field(90, ge=1, le=730)


class KeyOut(BaseModel):
    id: str
    user_id: str
    account: str = Field(description="That it acts as: its login, or its name.")
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
