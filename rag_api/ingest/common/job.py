"""One file that is to be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Job:
    path: Path
    name: str  # for messages
    kind: str  # media type
    max_pages: int
    shown: Path | None = None
    ocr_seconds: float = 0.0  # what a page's image may take to read; 0: images are not read
