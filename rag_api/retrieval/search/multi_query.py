"""More than one query for a question, written by the language model: options that are off unless a
hospital measures that they help it.

- `hyde`: a passage that could answer the question; it is searched for beside the question (Gao et
  al., 2023);
- `step_back`: the more general question behind it (Zheng et al., 2024);
- `split`: the questions that a question of several parts is made of.

The thesis (section 3.2.4) found none of them worth its time with small models. What the model
writes here is only ever searched for: it is never shown, and whether there is an answer, for which
patients, is decided from the question as it was asked.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from rag_api.domain import Hit
from rag_api.errors import BedsideError

log = logging.getLogger(__name__)

Option = Literal["hyde", "step_back", "split"]
OPTIONS: tuple[Option, ...] = ("hyde", "step_back", "split")
SECONDS = 20.0  # that a reader may wait for them, all together
LONGEST = 1500  # characters of one
MOST_PARTS = 3
TOKENS: dict[Option, int] = {"hyde": 200, "step_back": 60, "split": 120}

PROMPTS: dict[Option, str] = {
    "hyde": "Write a short passage of a hospital procedure, in the question's language, that answers this question. "
    "Write the passage only."
    "\n\nQuestion: {question}\n\nPassage:",
    "step_back": "Write one more general question, in the same language, whose answer holds the answer to this "
    "question. Keep the drug or"
    " procedure and the patient group. Write the question only.\n\nQuestion: {question}\n\nGeneral question:",
    "split": "If this question asks several things, write each as a question that stands alone, one a line, in the "
    "same language. If it"
    " asks one thing, repeat it. Write the questions only.\n\nQuestion: {question}\n\nQuestions:",
}


class Completes(Protocol):
    """A language model as far as this needs one."""

    async def complete(self, prompt: str, *, max_tokens: int) -> str: ...


def options_of(setting: str) -> tuple[Option, ...]:
    """BEDSIDE_MULTI_QUERY -> the options, in their own order."""
    named = setting.split(",")
    return tuple(option for option in OPTIONS if option in named)


async def alternatives(question: str, options: Sequence[Option], generator: Completes) -> list[str]:
    """What to search for beside the question, each once; what the model does not give in time is
    left out."""
    if not options:
        return []
    said = await asyncio.gather(*(_said(option, question, generator) for option in options))
    found = [text for option, text in zip(options, said, strict=True) for text in _texts(option, text)]
    return [text for text in dict.fromkeys(found) if text.casefold() != question.strip().casefold()]


async def _said(option: Option, question: str, generator: Completes) -> str:
    try:
        async with asyncio.timeout(SECONDS):
            return await generator.complete(PROMPTS[option].format(question=question), max_tokens=TOKENS[option])
    except (TimeoutError, BedsideError) as error:
        log.warning("the question is searched for without %s: %s", option, type(error).__name__)
        return ""


def _texts(option: Option, said: str) -> list[str]:
    lines = [re.sub(r"^(?:\d+[.)]|[-*•])\s+", "", line.strip()).strip('"“”') for line in said[:LONGEST].splitlines()]
    lines = [line for line in lines if line]
    if option == "hyde":
        return [" ".join(lines)] if lines else []
    return lines[: MOST_PARTS if option == "split" else 1]


def search_all(search: Callable[[str], list[Hit]], question: str, also: Sequence[str], limit: int) -> list[Hit]:
    """Search for the question and for what stands beside it. A hit's score is its mean over the
    queries; where a query did not find it, it counts as that query's last hit. What decides whether
    there is an answer, the scores of meaning and words, stays the question's own."""
    own = search(question)
    return merged([own, *map(search, also)], limit) if also else own


def merged(lists: Sequence[Sequence[Hit]], limit: int) -> list[Hit]:
    """Best first; the first list is the question's own."""
    own = {hit.chunk.id: hit for hit in lists[0]}
    least = [min((hit.score for hit in hits), default=0.0) for hits in lists]
    scores = [{hit.chunk.id: hit.score for hit in hits} for hits in lists]
    known: dict[str, Hit] = {}
    for hits in lists:
        for hit in hits:
            known.setdefault(hit.chunk.id, hit)

    def score(chunk: str) -> float:
        return sum(there.get(chunk, floor) for there, floor in zip(scores, least, strict=True)) / len(lists)

    floor = min((hit.dense_score for hit in lists[0]), default=0.0)
    ranked = sorted(known, key=lambda chunk: (-score(chunk), chunk not in own, chunk))[:limit]
    hits = [
        own.get(chunk) or replace(known[chunk], dense_score=min(known[chunk].dense_score, floor), bm25_score=0.0)
        for chunk in ranked
    ]
    return [replace(hit, score=score(hit.chunk.id), rank=rank) for rank, hit in enumerate(hits, 1)]
