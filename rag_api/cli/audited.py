"""Names of the commands in the audit trail, and the entries around each: one before it does
anything, one with what came of it.

A command that is not in this table does not run.
"""

from __future__ import annotations

import getpass
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import typer
from typer.main import get_current_context  # type: ignore[attr-defined] # typer's own; no other name for it is public

if TYPE_CHECKING:
    from rag_api.audit.entry import Event
    from rag_api.container import Container


@dataclass(frozen=True, slots=True)
class CommandAct:
    """`on`: options and arguments that are named in the entry; `account`: the one that says to whom
    it is done."""

    action: str
    on: tuple[str, ...] = ()
    account: str = ""


# By what is typed after `bedside`. None: shows and changes nothing of a hospital's, or writes its
# own entries.
COMMANDS: dict[str, CommandAct | None] = {
    "ask": CommandAct("question.asked", ("mode",)),  # what was asked stands in the second entry, as it was stored
    "demo": None,  # the handbook and its sample question; serving is an entry
    "dev": None,
    "serve": None,  # `served`
    "ingest": CommandAct("documents.ingested", ("paths", "sources", "watch", "retire_missing", "yes", "ray", "stop")),
    "documents": CommandAct("documents.listed", ("search", "status")),
    "gaps": CommandAct("gaps.read", ("department", "since", "as_csv")),
    "judged list": CommandAct("judged.listed"),
    "judged export": CommandAct("judged.exported", ("name", "file")),
    "judged import": CommandAct("judged.imported", ("name", "file")),
    "judged feedback": CommandAct("judged.feedback_taken", ("name",)),
    "owners list": CommandAct("owners.listed"),
    "owners import": CommandAct("owner.named", ("file",)),
    "users add": CommandAct("account.made", ("roles", "groups", "machine", "issuer"), account="login"),
    "users list": CommandAct("accounts.listed"),
    "users suspend": CommandAct("account.suspended", ("undo",), account="login"),
    "users password": CommandAct("account.password_set", account="login"),
    "users roles": CommandAct("account.changed", ("given",), account="login"),
    "users groups": CommandAct("account.changed", ("given",), account="login"),
    "keys add": CommandAct("key.made", ("name", "scopes", "days"), account="user"),
    "keys list": CommandAct("keys.listed"),
    "keys revoke": CommandAct("key.revoked", ("key",)),
    "audit head": CommandAct("audit.head_read"),
    "audit verify": CommandAct("audit.verified", ("anchor",)),
    "audit export": CommandAct("audit.exported", ("since", "until", "after")),
    "audit forget": CommandAct("audit.forgotten", ("identity", "conversations"), account="user"),
    "audit retain": CommandAct("audit.retained"),
    "quality calibrate": CommandAct("service.calibrated"),
    "index mend": None,  # what is there is found again
    "index sentences": None,  # vectors of what is there
    "index backup": None,  # Weaviate's own, without a database to write to
    "index backups": None,
    "index restore": None,
    "index copy": CommandAct("index.copied", ("to", "name", "embedder", "replace", "then_switch")),
    "index switch": CommandAct("index.switched", ("to", "name", "embedder")),
    "quality evaluate": CommandAct("judged.evaluated", ("stored",)),
    "quality try": CommandAct("judged.evaluated", ("stored",)),
    "quality compare": None,  # files
    "quality report": CommandAct("judged.evaluated", ("stored",)),
    "quality follow-ups": CommandAct("judged.evaluated", ("stored",)),
    "quality askers": CommandAct("judged.evaluated", ("stored",)),
    "quality export-prompts": CommandAct("judged.exported", ("stored",)),
    "backup": CommandAct("service.backed_up"),
    "pack": CommandAct("service.packed", ("groups", "days", "check")),
    "restore": None,  # nobody else may be connected
    "doctor": None,  # looks at parts, of which the database may be away
    "migrate": None,  # the trail's own tables may not be there yet
    "abbreviations": None,
    "openapi": None,
    "mcp": None,  # each use is a request, with its own entry
    "bench": None,  # on databases of its own
}


@dataclass(slots=True)
class Doing:
    """What a command adds while it runs."""

    on: dict[str, Any] = field(default_factory=dict)
    question: str = ""


def operator_who() -> dict[str, Any]:
    """Whoever works on the machine itself: its user and its name."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = "unknown"
    return {"user": "local", "name": name, "client": socket.gethostname()}


@contextmanager
def acting(container: Container, event: Event) -> Iterator[Doing]:
    """Write that it begins, and what came of it. Raises AuditUnavailable, also where it is done
    already."""
    from rag_api.audit.entry import Result
    from rag_api.errors import BedsideError

    doing = Doing()
    container.trail.write(event)

    def end(result: Result, status: int = 0, code: str = "") -> None:
        done = replace(
            _again(event), result=result, status=status, code=code, on={**event.on, **doing.on}, question=doing.question
        )
        container.trail.write(done)

    try:
        yield doing
    except BedsideError as error:
        end(Result.FAILED, 1, error.code)
        raise
    except typer.Exit as done:
        end(Result.FAILED if done.exit_code else Result.SUCCESS, done.exit_code)
        raise
    except KeyboardInterrupt:
        end(Result.STOPPED)
        raise
    except BaseException:
        end(Result.FAILED, 1, "internal")
        raise
    end(Result.SUCCESS)


@contextmanager
def audited_command(container: Container) -> Iterator[None]:
    """The entries around the command that runs now, if there is one."""
    context = get_current_context(silent=True)
    event = event_of(context) if context is not None else None
    if event is None:
        yield
        return
    with acting(container, event) as doing:
        assert context is not None
        context.meta["audit"] = doing
        yield


def also(question: str = "", **on: Any) -> None:
    """Say more in the second entry of the command that runs now."""
    context = get_current_context(silent=True)
    if context is not None and "audit" in context.meta:
        context.meta["audit"].on |= on
        context.meta["audit"].question = question


def event_of(context: Any) -> Event | None:
    """Return what begins. Raises TypeError for a command that is not in the table."""
    act = act_of(name_of(context))
    if act is None:
        return None
    given = {
        name: _word(context.params.get(name))
        for name in act.on
        if context.params.get(name) not in (None, "", False, ())
    }
    about = {"account": str(context.params.get(act.account))} if act.account else {}
    return begun(act.action, f"bedside {name_of(context)}", given, about)


def begun(
    action: str, route: str, on: dict[str, Any], about: dict[str, Any] | None = None, origin: str = "cli"
) -> Event:
    from rag_api.audit.entry import Event, Result

    return Event(
        action, Result.BEGUN, operator_who(), origin=origin, route=route, request=str(uuid4()), on=on, about=about or {}
    )  # fmt: skip


def act_of(name: str) -> CommandAct | None:
    """Raises TypeError for a command that is not in the table."""
    if name.split(" ")[0] in ("", "bench"):  # "": a command run by itself, as `make dev` does
        return None
    if name not in COMMANDS:
        raise TypeError(
            f"bedside {name}: a command must say what it is called in the audit trail: rag_api/cli/audited.py"
        )
    return COMMANDS[name]


def name_of(context: Any) -> str:
    """What is typed after `bedside`."""
    names: list[str] = []
    while context.parent is not None:
        names.insert(0, context.info_name or "")
        context = context.parent
    return " ".join(names)


def _again(event: Event) -> Event:
    from datetime import UTC, datetime

    return replace(event, id=str(uuid4()), at=datetime.now(UTC))


def _word(value: Any) -> Any:
    return (
        [str(one) for one in value]
        if isinstance(value, (list, tuple))
        else value
        if isinstance(value, (bool, int, float))
        else str(value)
    )
