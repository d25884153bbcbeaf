"""The question of a conversation -> what is searched for. Rules first (query/followup.py); the
language model only when it is configured.

A model's rewriting is believed only as far as it can be checked: one line, no number that nobody
said, none of the follow-up's left out. What fails the check, comes too late or cannot be had is
replaced by what the rules say.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag_api.answering.generator.client import Generator
from rag_api.errors import BedsideError
from rag_api.query.followup import is_short, standalone

log = logging.getLogger(__name__)

SECONDS = 8.0  # that a reader may wait for a better query
LONGEST = 300  # characters of a query
HISTORY = 3  # questions before this one that a model is shown

PROMPT = """Rewrite the last question of a conversation so that it can be understood without the others.
Keep its language and every word, number and unit that it says. Add only what it takes from the earlier questions.
If it says another patient group, drug or weight than they do, that one counts and theirs does not.
If it can be understood by itself, repeat it unchanged. Write the question and nothing else.

Earlier questions:
{earlier}

Last question: {question}

Rewritten question:"""


@dataclass(frozen=True, slots=True)
class StandaloneQuery:
    text: str
    by: Literal["reader", "rules", "llm"]  # reader: the question as it was asked


async def query_of(question: str, earlier: Sequence[str], generator: Generator | None) -> StandaloneQuery:
    """earlier: what was searched for before in this conversation, oldest first. generator: None
    where no model is to be asked."""
    found = standalone(question, earlier[-1] if earlier else None)
    by_rules = StandaloneQuery(found.query, "rules" if found.query != question else "reader")
    if generator is None or not earlier or not (found.leans or is_short(question)):
        return by_rules
    try:
        async with asyncio.timeout(SECONDS):
            said = await generator.complete(_prompt(question, earlier), max_tokens=100, stop=["\n\n"])
    except (TimeoutError, BedsideError) as error:
        log.warning("a follow-up question is rewritten by rules: %s", type(error).__name__)
        return by_rules
    rewritten = _cleaned(said)
    if not is_sound(rewritten, question, earlier):
        log.warning("a follow-up question is rewritten by rules: the model's rewriting failed the check")
        return by_rules
    return StandaloneQuery(rewritten, "llm" if rewritten != question else "reader")


def is_sound(rewritten: str, question: str, earlier: Sequence[str]) -> bool:
    """One line of a question's length, with every number of the question and none that was never
    said."""
    if not rewritten or "\n" in rewritten or len(rewritten) > LONGEST:
        return False
    own, there = _numbers(question), _numbers(rewritten)
    return own <= there and there <= own | {number for text in earlier for number in _numbers(text)}


def _numbers(text: str) -> set[str]:
    return {number.replace(",", ".") for number in re.findall(r"\d+(?:[.,]\d+)?", text)}


def _prompt(question: str, earlier: Sequence[str]) -> str:
    return PROMPT.format(earlier="\n".join(f"- {text}" for text in earlier[-HISTORY:]), question=question)


def _cleaned(said: str) -> str:
    """Without the quotes and the label that models like to add."""
    text = re.sub(r"^(?:rewritten question|herschreven vraag)\s*:\s*", "", said.strip(), flags=re.IGNORECASE)
    return text.strip().strip('"“”').strip()
