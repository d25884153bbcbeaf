"""Ingest folders again whenever something in them changed. Knows nothing of parts or terminals."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from watchfiles import DefaultFilter, watch

from rag_api.errors import InvalidInput, TooManyMissing, Unavailable
from rag_api.ingest.sources.report import IngestReport

_POLL = 10_000  # milliseconds: folders on network drives tell nothing of their changes, so they are looked at
SITES_EVERY = 300.0  # seconds between two looks at SharePoint
_AGAIN = 300.0  # seconds until files are looked at again that could not be read and may be readable soon,
_REST = 20  # or so many times what a run takes, where that is longer
_SETTLED = 5_000  # milliseconds without another change: a file that is being copied is not read halfway

Ingest = Callable[[bool], IngestReport]  # given whether to take out what is missing


def watch_folders(
    paths: Sequence[Path], ingest: Ingest, tell: Callable[[IngestReport | str], None], stop: threading.Event,
    poll: int = _POLL, settled: int = _SETTLED, every: float | None = None, again: float = _AGAIN,
) -> None:  # fmt: skip
    """Ingest once the watch has begun and after each change, until `stop` is set; and every so many
    seconds where sites are asked too, which tell nothing by themselves. A file that could not be
    read and may be soon is tried again, changed or not. What is gone is taken out, unless that
    looks like a slip: then it is told. Raises InvalidInput where there is no such folder to begin
    with."""
    if not paths:
        _once(ingest, tell)
        while not stop.wait(every):
            _once(ingest, tell)
        return
    for path in paths:
        if not path.exists():
            raise InvalidInput(f"{path}: there is no such file or folder")
    changes = watch(
        *paths, watch_filter=DefaultFilter(ignore_dirs=()), stop_event=stop, force_polling=True, poll_delay_ms=poll, step=settled,
        debounce=10 * settled, raise_interrupt=True,
        rust_timeout=round(1000 * min(every or 5.0, again, 5.0)), yield_on_timeout=True,
    )  # fmt: skip
    # The first look comes when the watch has begun, some seconds before: what changes from then on
    # is seen. The watch tells whole seconds apart, so what changed in the very second in which it
    # began must be read later than that.
    due = -math.inf
    for changed in changes:
        if changed or time.monotonic() >= due:
            due = _due(_once(ingest, tell), every, again)


def _due(report: IngestReport | None, every: float | None, again: float) -> float:
    """When to look again though nothing changes, by time.monotonic()."""
    tries = max(again, _REST * report.seconds) if report is not None and report.kept else math.inf
    return time.monotonic() + min(every or math.inf, tries)


def _once(ingest: Ingest, tell: Callable[[IngestReport | str], None]) -> IngestReport | None:
    try:
        report = ingest(True)
    except TooManyMissing as refused:
        tell(refused.message)
        report = ingest(False)
    except (Unavailable, InvalidInput) as problem:  # the next change tries again
        tell(problem.message)
        return None
    tell(report)
    return report
