"""Console of the commands: how they open the container, say what they do, and print what came of
it. People read standard error, results go to standard output."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

import typer

from services.contract.dropped_settings import DROPPED, dropped

if TYPE_CHECKING:
    from rich.console import Console

    from rag_api.config import Settings
    from rag_api.container import Container
    from rag_api.errors import BedsideError


_log = logging.getLogger("rag_api")
_logged = False  # whether lines are for a log that machines read


def say(line: str, level: int = logging.INFO) -> None:
    if _logged:
        _log.log(level, line)
    else:
        typer.echo(line, err=True)


@contextmanager
def speaking_as_a_service() -> Iterator[None]:
    """In production all that is said is lines of JSON, also why it does not start. Elsewhere people
    read it, as of any command."""
    global _logged
    from services.contract import logs

    if os.environ.get("BEDSIDE_ENVIRONMENT") != "production":
        yield
        return
    logs.configure("json")
    _logged = True
    try:
        yield
    except typer.Exit as ended:  # it was said why
        raise SystemExit(ended.exit_code) from None
    except Exception:
        _log.critical("ended by an error that is Bedside's own", exc_info=True)
        raise SystemExit(1) from None
    finally:
        _logged = False


def read_settings() -> Settings:
    """Nonsense in the environment is answered with the variable's name and a sentence, not a
    traceback."""
    from pydantic import ValidationError

    from rag_api.config import Settings
    from rag_api.stores.active_index import in_force

    for line in unheard(os.environ):
        say(line, logging.WARNING)
    try:
        settings = Settings()
    except ValidationError as error:
        for wrong in error.errors():
            name = "".join(f"BEDSIDE_{str(part).upper()}: " for part in wrong["loc"][:1])
            say(f"{name}{str(wrong['msg']).removeprefix('Value error, ')}", logging.ERROR)
        raise typer.Exit(2) from None
    with said():
        return in_force(settings)


def unheard(environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each variable that looks like a setting and is none: it would be passed
    over in silence."""
    from rag_api.config import Settings

    known = {f"BEDSIDE_{name.upper()}" for name in Settings.model_fields}
    lines = dropped(environment)
    for name in environment.keys() - known - DROPPED.keys():
        others = name.startswith(("BEDSIDE_GENERATOR_", "BEDSIDE_EMBEDDER_"))  # of those services
        if name.startswith("BEDSIDE_") and not others and (meant := get_close_matches(name, known, 1, cutoff=0.85)):
            lines.append(f"{name} is no setting; did you mean {meant[0]}?")
    return lines


def make_data_dir(settings: Settings) -> None:
    """Nothing is kept where it cannot be: said at once, with the variable's name. A new one is
    closed to this machine's other users; started by root, the embedded PostgreSQL opens it again,
    for a user of its own."""
    try:
        settings.data_dir.expanduser().mkdir(0o700, parents=True, exist_ok=True)
    except OSError as error:
        say(f"BEDSIDE_DATA_DIR: {settings.data_dir} cannot be made or is no folder ({error.strerror})", logging.ERROR)
        raise typer.Exit(2) from None


@contextmanager
def opened(settings: Settings | None = None) -> Iterator[Container]:
    """The container, closed at the end however it comes; what a user can cause or must hear of is
    one sentence. What the command does is in the audit trail."""
    from rag_api.cli.audited import audited_command
    from rag_api.container import Container
    from rag_api.errors import BedsideError

    settings = settings or read_settings()
    make_data_dir(settings)
    try:
        with _closing_at_sigterm(), Container(settings, say) as container, audited_command(container):
            yield container
    except BedsideError as error:
        say_error(error)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        say("stopped")
        raise typer.Exit(130) from None


@contextmanager
def _closing_at_sigterm() -> Iterator[None]:
    """SIGTERM ends the command as an exit does, so that embedded servers are stopped too;
    afterwards it means what it meant before."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def said() -> Iterator[None]:
    """What a user can cause or must hear of is one sentence."""
    from rag_api.errors import BedsideError

    try:
        yield
    except BedsideError as error:
        say_error(error)
        raise typer.Exit(1) from None


def say_error(error: BedsideError) -> None:
    """Its sentence, and below it each row of a table that is wrong, when there are several."""
    from rag_api.errors import InvalidInput

    say(f"bedside: {error.message}", logging.ERROR)
    rows = error.rows if isinstance(error, InvalidInput) else ()
    for row in rows if len(rows) > 1 else ():
        say(f"  {row.where}: {row.what}", logging.ERROR)


def wide_console() -> Console:
    """Standard output for a table: as wide as the terminal, and into a file or a pipe as wide as
    the table is, with no name cut off."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=10_000)


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar for something countable: call it with how many are done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
