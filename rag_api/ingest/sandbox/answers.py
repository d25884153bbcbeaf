"""A read document as JSON and plain arrays, and back. Never pickles: a file that took over the
reader is still only believed as text."""

from __future__ import annotations

from dataclasses import asdict, astuple
from datetime import date
from typing import Any

import numpy as np

from rag_api.domain import CutLine, Metadata, Note, Page, ReadDocument, TargetGroup, Titles, noted
from rag_api.text.blocks import packed, unpacked


def encoded(document: ReadDocument) -> tuple[dict[str, Any], bytes]:
    pages = [
        {**{key: getattr(page, key) for key in ("number", "width", "height", "rotation", "start", "text", "text_from")}}
        for page in document.pages
    ]
    metadata = asdict(document.metadata)
    metadata |= {key: value.isoformat() for key, value in metadata.items() if isinstance(value, date)}
    boxes = b"".join(np.ascontiguousarray(page.boxes, np.float32).tobytes() for page in document.pages)
    return {
        "metadata": metadata,
        "pages": pages,
        "warnings": [noted(warning) for warning in document.warnings],
        "cut": [astuple(line) for line in document.cut],
        "uncertain": document.uncertain,
        "blocks": packed(document.blocks),
        "titles": asdict(document.titles),
    }, boxes


def decoded(answer: dict[str, Any], boxes: np.ndarray) -> ReadDocument:
    said = answer["metadata"]
    said["target_groups"] = tuple(TargetGroup(group) for group in said["target_groups"])
    for field in ("valid_from", "valid_until"):
        said[field] = date.fromisoformat(said[field]) if said[field] else None
    pages, at = [], 0
    for page in answer["pages"]:
        pages.append(Page(**page, boxes=boxes[at : at + len(page["text"])]))
        at += len(page["text"])
    cut, uncertain = (
        tuple(CutLine(*line) for line in answer["cut"]),
        tuple((start, end) for start, end in answer["uncertain"]),
    )
    titles = Titles(tuple(answer["titles"]["names"]), answer["titles"]["patients"])
    warnings = tuple(Note(**warning) for warning in answer["warnings"])
    return ReadDocument(Metadata(**said), tuple(pages), warnings, cut, uncertain, unpacked(answer["blocks"]), titles)
