"""Every error that a user can cause or must hear of.

BedsideError
├── InvalidInput            400  a request or option that makes no sense; the message says what to
│                                do
│   ├── MachineAccount           a password for an account that acts by keys: with one a person
│   │                            would sign in as the machine
│   └── NotAReviewer             a review is given to somebody who may read the document and has no
│                                role to say that it holds
├── NotSignedIn             401  nobody known asks: no session or key, or one that has ended
├── NotAllowed              403  somebody known asks for what their role or key is not for, or
│                                another site asks in their name
│   ├── AccountSuspended         somebody whose account may not be used just now would sign in
│   ├── MembershipAdminNeeded    an admin would change who is in which group, and so who reads what
│   ├── NotForYourself           nobody gives themselves a group or a role
│   ├── MoreThanYours            a key that would carry more than who makes it has
│   └── PackOutOfDate            a downtime pack after its last day, or on a machine whose clock is
│                                before it was made
├── NotFound                404  no such document, conversation, answer or page
│   └── NoSuchReader             whom something is given to: no account that may read it is called
│                                so, or several are
├── Conflict                409  the thing changed or exists already
│   ├── NoWayBack                an admin would lose a document that nobody else could give back
│   ├── TooManyMissing           so much of a folder is gone that retiring it looks like a slip
│   └── IngestionStopped         an admin stopped it; what was done stays
├── TooManyTries            429  wrong passwords
│   └── TooManyRequests       more questions or requests than one person or key may send in a minute
│       └── TooBusy             as many questions are being answered, and wait, as the service can
│                               bear
├── DocumentTooLong         422  a document that was to be read whole, and is more than the
│                                generator reads at once
├── PersonalDataFound       422  what is sent holds what identifies a patient: its writer decides
├── UnreadableDocument      422  a file that cannot become text; `reason` is one of REASONS
├── ConfigurationError           refuses to start: a setting is missing or nonsense
├── EmbedderMismatch        409  the index was made by another embedder
└── Unavailable             503  a part does not answer
    ├── DatabaseUnavailable
    ├── AuditUnavailable         the trail cannot be written, so nothing is shown or done
    ├── StoreUnavailable
    ├── EmbedderUnavailable
    ├── ReadingUnavailable       what opens files; questions do not need it
    ├── DiskFull                 there is no room for what is to be stored; questions still get
    │                            their sources
    ├── SourceUnavailable        SharePoint does not answer, or not to this application; the message
    │                            says what to do
    ├── SignInUnavailable      the OpenID provider does not answer, or not as one
    └── GeneratorUnavailable
        └── GeneratorRefused   it answers, but not to this request (unknown model); sources still
                               come
            └── PromptTooLong  the prompt is more than it reads at once

Foreign exceptions are translated into these once, at the edge that knows them (db, stores, embed,
generator); api/problems.py maps them to problem+json in one place.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


class BedsideError(Exception):
    """Base of all errors with a stable `code` and an HTTP `status`."""

    code = "internal"
    status = 500

    def __init__(self, message: str, rows: Sequence[Wrong] = ()) -> None:
        """`rows`: what is wrong, one by one, for what tells it in another language."""
        super().__init__(message)
        self.message = message
        self.rows = tuple(rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors go from process to process, and some are made of other things than they are told
        by."""
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[BedsideError], args: tuple[Any, ...], state: dict[str, Any]) -> BedsideError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is wrong with what was given. `code` and `values` say it for other languages
    than the message's."""

    where: str  # "line 4"; '' for all of it
    what: str
    code: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


class InvalidInput(BedsideError):
    """Of a table, the message says how many rows are wrong."""

    code, status = "invalid_input", 400


class MachineAccount(InvalidInput):
    code = "machine_account"


class NotAReviewer(InvalidInput):
    code = "not_a_reviewer"


class NotSignedIn(BedsideError):
    code, status = "not_signed_in", 401


class NotAllowed(BedsideError):
    code, status = "not_allowed", 403


class AccountSuspended(NotAllowed):
    code = "account_suspended"


class MembershipAdminNeeded(NotAllowed):
    code = "membership_admin_needed"


class NotForYourself(NotAllowed):
    code = "not_for_yourself"


class MoreThanYours(NotAllowed):
    code = "more_than_yours"


class PackOutOfDate(NotAllowed):
    code = "pack_out_of_date"


class NotFound(BedsideError):
    code, status = "not_found", 404


class NoSuchReader(NotFound):
    code = "no_such_reader"


class Conflict(BedsideError):
    code, status = "conflict", 409


class DocumentTooLong(BedsideError):
    code, status = "document_too_long", 422


class NoWayBack(Conflict):
    code = "no_way_back"


class TooManyMissing(Conflict):
    code = "too_many_missing"


class IngestionStopped(Conflict):
    code = "ingestion_stopped"


class TooManyTries(BedsideError):
    """`retry_after`: in so many seconds the next may be; `of`: what there were too many of, for who
    counts."""

    code, status = "too_many_tries", 429

    def __init__(self, message: str, retry_after: float, of: str = "tries") -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.of = of


class TooManyRequests(TooManyTries):
    code = "too_many_requests"

    def __init__(self, message: str, retry_after: float, of: str = "requests") -> None:
        super().__init__(message, retry_after, of)


class TooBusy(TooManyRequests):
    code = "too_busy"

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message, retry_after, "waiting")


class PersonalDataFound(BedsideError):
    """Nothing was stored or sent on. `rows` say what was seen and where, `instead` is the text
    without it."""

    code, status = "personal_data", 422

    def __init__(self, rows: Sequence[Wrong], instead: str, may_keep: bool) -> None:
        said = "send it again with personal_data `remove`" + (
            " or, where the answer needs it, `keep`" if may_keep else ""
        )
        super().__init__(f"What was sent seems to hold what identifies a patient; {said}.", rows)
        self.instead = instead
        if not may_keep:
            self.code = "personal_data_refused"


class UnreadableDocument(BedsideError):
    """A file that cannot become text. `reason` is a stable word for reports, the message names the
    file and says why."""

    code, status = "unreadable_document", 422
    REASONS = (
        "encrypted", "empty", "broken", "too_large", "too_slow", "too_much_memory", "no_text_layer", "xfa_form", "unsupported",
        "not_permitted", "only_rendered", "wrong_metadata", "not_indexed",
    )  # fmt: skip

    def __init__(self, reason: str, message: str) -> None:
        assert reason in self.REASONS, reason
        super().__init__(message)
        self.reason = reason


class ConfigurationError(BedsideError):
    code = "configuration"


class EmbedderMismatch(BedsideError):
    code, status = "embedder_mismatch", 409


class Unavailable(BedsideError):
    code, status = "unavailable", 503


class DatabaseUnavailable(Unavailable):
    code = "database_unavailable"


class AuditUnavailable(Unavailable):
    code = "audit_unavailable"


class DiskFull(Unavailable):
    """Bedside's own disk, or the database's."""

    code = "disk_full"


class StoreUnavailable(Unavailable):
    code = "store_unavailable"


class ReadingUnavailable(Unavailable):
    code = "reading_unavailable"


class EmbedderUnavailable(Unavailable):
    code = "embedder_unavailable"


class SourceUnavailable(Unavailable):
    code = "source_unavailable"


class SignInUnavailable(Unavailable):
    code = "sign_in_unavailable"


class GeneratorUnavailable(Unavailable):
    code = "generator_unavailable"


class GeneratorRefused(GeneratorUnavailable):
    code = "generator_refused"


class PromptTooLong(GeneratorRefused):
    """To its reader a refusal like any other, but where a document was to be read whole."""

    code = "prompt_too_long"


@contextmanager
def room() -> Iterator[None]:
    """Around writing files. Raises DiskFull."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DiskFull("The disk is full: nothing more can be stored. Make room on it, then try again.") from error
