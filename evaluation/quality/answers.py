"""Does the answer hold the judged words? For verbatim answers; compares text only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from rag_api.evaluate.judged import Judged


def plain(text: str) -> str:
    """What is left when layout is taken away: NFKC, lower case, one space for white space, no
    hyphenation, no end marks."""
    text = unicodedata.normalize("NFKC", text).replace("\u00ad", "").casefold()
    text = re.sub(r"[‐‑‒–—−]", "-", text)
    text = re.sub(r"(?<=\w)-\s+(?=\w)", "-", text)
    return re.sub(r"\s+", " ", text).strip(" .;:,!?")


def holds(answer: str, span: str) -> bool:
    """The answer contains the judged span or, being shorter, lies in it. An empty answer holds
    nothing."""
    said, judged = plain(answer), plain(span)
    if not said or not judged:
        return False
    return judged in said or said in judged or judged.replace("-", "") in said.replace("-", "")


def accuracy(answers: Mapping[str, str], questions: Sequence[Judged]) -> dict[str, Any]:
    """Share of answerable questions whose answer (by question id; absent: none was given) holds the
    judged span."""
    judged = [q for q in questions if q.answerable and q.span]

    def share(part: Sequence[Judged]) -> dict[str, Any]:
        right = sum(holds(answers.get(q.id, ""), q.span) for q in part)
        return {"accuracy": right / len(part) if part else 0.0, "n": len(part)}

    return {
        **share(judged),
        "languages": {
            name: share([q for q in judged if q.language == name]) for name in sorted({q.language for q in judged})
        },
        "splits": {name: share([q for q in judged if q.split == name]) for name in sorted({q.split for q in judged})},
    }
