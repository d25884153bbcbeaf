"""`bedside audit`: the trail of who did what, by whoever works on the machine itself. Each of these
is an entry of it, too."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_api.cli.audited import also, begun
from rag_api.cli.console import opened, say
from rag_api.cli.options import AsJson

if TYPE_CHECKING:
    from rag_api.audit.verify import Verified

audit = typer.Typer(
    no_args_is_help=True, help="The trail of who asked, saw and changed what: check it, take it out, erase what is old."
)

Anchors = Annotated[
    list[str] | None, typer.Option("--anchor", help="NUMBER:HASH that was written down before; may be given again.")
]
AnchorFile = Annotated[
    Path | None, typer.Option("--anchors", help="A file with one on each line, as the log says them.")
]


@audit.command("head")
def head() -> None:
    """Print the last entry's number and hash: kept elsewhere, they show later whether the end was
    cut off."""
    with opened() as container:
        found = container.trail.say_head()
    typer.echo(f"{found.sequence}:{found.hash.hex()}" if found else "")


@audit.command("verify")
def verify(anchor: Anchors = None, anchors: AnchorFile = None, as_json: AsJson = False) -> None:
    """Check every entry against the chain, and the chain against the anchors: those given, and
    those of this machine. Ends with 1 and the first entry that is wrong, and why."""
    from rag_api.audit.verify import anchor_of, said_of

    with opened() as container:
        found = container.trail.verify([anchor_of(text) for text in [*(anchor or ()), *_lines(anchors)]])
        _print(found, as_json)
        also(**said_of(found))
        if found.bad is not None:
            raise typer.Exit(1)


@audit.command("export")
def export(
    since: Annotated[
        str | None, typer.Option(help="From this day or time on: 2026-01-31, 2026-01-31T12:00+01:00.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Before this day or time.")] = None,
    after: Annotated[int, typer.Option(help="After this number: the last `sequence` of an export before.")] = 0,
) -> None:
    """Print the trail as JSON lines, oldest first, for a SIEM. Goes on where an earlier export
    ended with --after."""
    from rag_api.audit.export import lines
    from rag_api.db.audit import TrailQuery

    with opened() as container:
        count = 0
        for line in lines(container.db.with_timeout(), TrailQuery(after=after, since=_time(since), until=_time(until))):
            typer.echo(line)
            count += 1
        also(entries=count)
    say(f"{count} entries")


@audit.command("forget")
def forget(
    user: Annotated[str, typer.Argument(help="The account: its id, or the login that it signs in by.")],
    identity: Annotated[bool, typer.Option("--identity", help="Also who it was: name, roles, addresses.")] = False,
    conversations: Annotated[
        bool, typer.Option(help="Also their stored conversations, with answers and feedback.")
    ] = True,
) -> None:
    """Erase what a person asked. That somebody asked, when, and what was shown, stays in the trail,
    which still verifies. What they asked owners, reported of documents, or judged, stays, without
    saying whose it was."""
    from rag_api.audit.erasing import forget_person, forget_questions
    from rag_api.db.owners.questions import detach
    from rag_api.db.people.accounts import get_account
    from rag_api.db.questions.answers import delete_conversations_of
    from rag_api.db.questions.reviews import forget_reviewer
    from rag_api.errors import NotFound

    with opened() as container:
        try:
            account = get_account(container.db, user).id
        except NotFound:
            account = user  # gone already, and `local`, who is none
        db, said = container.db.with_timeout(), begun("audit.erased", "bedside audit forget", {})
        erased = forget_questions(db, account, said) + (forget_person(db, account, said) if identity else 0)
        deleted = delete_conversations_of(db, account) if conversations else 0
        detached = detach(db, account)
        forget_reviewer(db, account)
        also(erased=erased, conversations=deleted, detached=detached)
    say(
        f"{user}: {erased} parts of entries erased, {deleted} conversations deleted, {detached} questions to owners "
        f"detached"
    )


@audit.command("retain")
def retain() -> None:
    """Erase what is older than BEDSIDE_AUDIT_QUESTION_DAYS and BEDSIDE_AUDIT_DAYS allow; the server
    does it daily."""
    with opened() as container:
        erased = container.trail.erase_old(begun("audit.erased", "bedside audit retain", {}))
        also(erased=erased)
    say(f"{erased} parts of entries erased")


def _print(found: Verified, as_json: bool) -> None:
    end = f"{found.head.sequence}:{found.head.hash.hex()}" if found.head else ""
    if as_json:
        bad = {"sequence": found.bad.sequence, "why": found.bad.why, "what": found.bad.what} if found.bad else None
        typer.echo(json.dumps({"entries": found.entries, "head": end, "anchors": found.anchors, "bad": bad}))
        return
    if found.bad is not None:
        typer.echo(f"WRONG: {found.bad.what} ({found.bad.why})")
    say(f"{found.entries} entries are as they were written, {found.anchors} anchors found; up to {end or 'nothing'}")
    if not found.anchors:
        say("No anchor was compared: that nothing was cut off at the end is not shown.")


def _lines(file: Path | None) -> list[str]:
    if file is None:
        return []
    return [line.split(" ")[0] for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def _time(text: str | None) -> str:
    from rag_api.audit.entry import stamp
    from rag_api.errors import InvalidInput

    try:
        return stamp(datetime.fromisoformat(text)) if text else ""
    except ValueError as error:
        raise InvalidInput(f"{text!r}: expected a day as 2026-01-31, or a time as 2026-01-31T12:00+01:00") from error
