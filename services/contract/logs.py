"""Logs of every service: one line each, as words for people or as JSON for machines, with the id of the request that it belongs to.
Questions and document texts are never in them."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from services.contract.request_ids import current


class JsonLines(logging.Formatter):
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


class Words(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        of = f" [{current()[:8]}]" if current() else ""
        line = f"{datetime.fromtimestamp(record.created):%H:%M:%S} {record.levelname.lower():7}{of} {record.getMessage()} {fields}".rstrip()
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def configure(kind: str, level: int = logging.INFO) -> None:
    """kind: "json" or "text". To standard error; uvicorn's own lines and other libraries' warnings go the same way."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if kind == "json" else Words())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("rag_api", "services", "uvicorn"):
        logging.getLogger(name).setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = (
            [],
            name != "uvicorn.access",
        )  # api/page.py and request_ids.py log requests
