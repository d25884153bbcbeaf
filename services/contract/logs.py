"""Logs of every service: one line each, as words for people or as JSON for machines, with the id of
the request that it belongs to.

Questions and document texts are never in them. Of an exception they say what it is and where it was
raised; its message, which may quote what was asked, only at level debug.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

from services.contract.request_ids import current

MOST_CAUSES = 5  # of an exception that are logged


class Discreet(logging.Formatter):
    def __init__(self, messages: bool = False) -> None:
        super().__init__()
        self.messages = messages

    def formatException(self, ei: Any) -> str:
        if self.messages:
            return super().formatException(ei)
        parts: list[str] = []
        error: BaseException | None = ei[1]
        while error is not None and len(parts) < MOST_CAUSES:
            kind = type(error)
            parts.append("".join(traceback.format_tb(error.__traceback__)) + f"{kind.__module__}.{kind.__qualname__}")
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\nfrom\n".join(parts)


class JsonLines(Discreet):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **({"request": current()} if current() else {}),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


class TextFormatter(Discreet):
    def format(self, record: logging.LogRecord) -> str:
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        of = f" [{current()[:8]}]" if current() else ""
        line = (
            f"{datetime.fromtimestamp(record.created):%H:%M:%S} {record.levelname.lower():7}{of} "
            f"{record.getMessage()} {fields}".rstrip()
        )
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def configure(kind: str, level: int = logging.INFO) -> None:
    """kind: "json" or "text". To standard error; uvicorn's own lines and other libraries' warnings
    go the same way."""
    handler = logging.StreamHandler(sys.stderr)
    messages = level <= logging.DEBUG
    handler.setFormatter(JsonLines(messages) if kind == "json" else TextFormatter(messages))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("rag_api", "services", "uvicorn"):
        logging.getLogger(name).setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = (
            [],
            name != "uvicorn.access",
        )  # api/server/page.py and request_ids.py log requests
