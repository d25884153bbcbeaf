"""An adapter of the configured generator as the reader that points: constrained tokens, and their probabilities.

Nothing is generated. Two requests a question (POST /score): where an answer begins in each passage, or that there is none; then where it
ends, or why. A passage stands in front of the question and is cut into tokens by itself, so that the generator keeps it from one question
to the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import httpx

from rag_api.errors import GeneratorUnavailable
from rag_api.readers.llm import AddressOf, log_sum, post
from rag_api.retrieval.passages import ReadingPassage
from rag_api.retrieval.reading import Reading
from services.contract.reading_prompt import BECAUSE, LABELS, NONE, REASONS, TO, VERSION, passage_part, question_part


class AdapterReader:
    """Raises GeneratorUnavailable where the generator is away or has no adapter of this name."""

    def __init__(self, adapter: str, model: str, url: AddressOf, client: httpx.Client) -> None:
        self.name = f"adapter:{model}:{adapter}:{VERSION}"
        self._adapter, self._model, self._url, self._client = adapter, model, url, client

    def point(self, question: str, passages: Sequence[ReadingPassage]) -> list[Reading]:
        if not passages:
            return []
        asked = [[passage_part(one.title, one.heading, [line.text for line in one.lines]), question_part(question)] for one in passages]
        begins = self._scores([(prompt, [*LABELS[: len(one.lines)], NONE]) for prompt, one in zip(asked, passages, strict=True)])
        firsts = [max(range(len(told) - 1), key=told.__getitem__) for told in begins]
        ends = [
            ([*prompt, LABELS[first], TO], [f" {label}" for label in LABELS[first : len(one.lines)]])
            for prompt, first, one in zip(asked, firsts, passages, strict=True)
        ]
        reasons = [([*prompt, NONE, BECAUSE], list(REASONS.values())) for prompt in asked]
        told = self._scores([*ends, *reasons])
        return [
            _reading(begin, first, end, why)
            for begin, first, end, why in zip(begins, firsts, told[: len(asked)], told[len(asked) :], strict=True)
        ]

    def close(self) -> None:
        self._client.close()

    def _scores(self, prompts: Sequence[tuple[list[str], list[str]]]) -> list[list[float]]:
        """Return log-probabilities of each prompt's continuations among themselves."""
        body: dict[str, Any] = {
            "model": self._model,
            "prompts": [{"prompt": prompt, "adapter": self._adapter, "continuations": after} for prompt, after in prompts],
        }
        answer = post(self._client, f"{self._url()}/score", body)
        try:
            found = [[float(value) for value in one["logprobs"]] for one in answer["prompts"]]
        except (KeyError, TypeError, ValueError) as error:
            raise GeneratorUnavailable("what the generator answers to /score are no log-probabilities") from error
        if [len(one) for one in found] != [len(after) for _, after in prompts]:
            raise GeneratorUnavailable("the generator answers to /score with another number of log-probabilities than was asked for")
        return [[value - log_sum(one) for value in one] for one in found]


def _reading(begin: Sequence[float], first: int, end: Sequence[float], why: Sequence[float]) -> Reading:
    none = begin[-1]
    some = math.log(max(1e-9, -math.expm1(min(0.0, none))))
    further = max(range(len(end)), key=end.__getitem__)
    reason = list(REASONS)[max(range(len(why)), key=why.__getitem__)]
    return Reading(some - none, first, first + further, min(0.0, begin[first] - some + end[further]), reason)
