"""An adapter of the configured generator as the reader that points: constrained tokens, and their
probabilities.

Nothing is written. Two requests a question: where an answer begins in each passage, or that there
is none; then where it ends. A passage stands in front of the question, so that the generator keeps
it from one question to the next. Our own generator scores by POST /score; another
server by POST /completions, as OpenAI's API has it, with the adapter's name as the model's (vLLM
serves LoRA so).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import httpx

from rag_api.config import Settings
from rag_api.errors import GeneratorUnavailable
from rag_api.qa_readers.llm import AddressOf, log_sum, post
from rag_api.retrieval.reader_model.passages import ReadingPassage
from rag_api.retrieval.reader_model.pointing_reader import PointedReading
from services.contract.reading_prompt import LABELS, NONE, TO, VERSION, passage_part, question_part

TokenPrompt = tuple[
    list[str], list[str]
]  # its pieces, each cut into tokens by itself, and what may follow: one token each
TOLD = 20  # tokens that another server tells the log-probabilities of
UNSAID = -12.0  # nats of what is not among them


class TokenScorer(Protocol):
    def scores(self, prompts: Sequence[TokenPrompt]) -> list[list[float]]:
        """Return the log-probability of each prompt's continuations. Raises
        GeneratorUnavailable."""


class AdapterReader:
    """Raises GeneratorUnavailable where the generator is away or has no adapter of this name."""

    def __init__(self, name: str, scorer: TokenScorer, client: httpx.Client) -> None:
        self.name, self._scorer, self._client = f"adapter:{name}:{VERSION}", scorer, client

    def point(self, question: str, passages: Sequence[ReadingPassage]) -> list[PointedReading]:
        if not passages:
            return []
        asked = [
            [passage_part(one.title, one.heading, [line.text for line in one.lines]), question_part(question)]
            for one in passages
        ]
        begins = self._scores(
            [(prompt, [*LABELS[: len(one.lines)], NONE]) for prompt, one in zip(asked, passages, strict=True)]
        )
        firsts = [max(range(len(log_p) - 1), key=log_p.__getitem__) for log_p in begins]
        ends = [
            ([*prompt, LABELS[first], TO], [f" {label}" for label in LABELS[first : len(one.lines)]])
            for prompt, first, one in zip(asked, firsts, passages, strict=True)
        ]
        return [
            _reading(begin, first, end) for begin, first, end in zip(begins, firsts, self._scores(ends), strict=True)
        ]

    def close(self) -> None:
        self._client.close()

    def _scores(self, prompts: Sequence[TokenPrompt]) -> list[list[float]]:
        """The same among themselves."""
        found = self._scorer.scores(prompts)
        if [len(one) for one in found] != [len(after) for _, after in prompts]:
            raise GeneratorUnavailable("the generator tells another number of log-probabilities than it was asked for")
        return [[value - log_sum(one) for value in one] for one in found]


class AdapterScorer:
    """Our own generator's POST /score: all prompts in one request."""

    def __init__(self, adapter: str, model: str, url: AddressOf, client: httpx.Client) -> None:
        self._adapter, self._model, self._url, self._client = adapter, model, url, client

    def scores(self, prompts: Sequence[TokenPrompt]) -> list[list[float]]:
        asked = [{"prompt": prompt, "adapter": self._adapter, "continuations": after} for prompt, after in prompts]
        answer = post(self._client, f"{self._url()}/score", {"model": self._model, "prompts": asked})
        try:
            return [[float(value) for value in one["logprobs"]] for one in answer["prompts"]]
        except (KeyError, TypeError, ValueError) as error:
            raise GeneratorUnavailable("what the generator answers to /score are no log-probabilities") from error


class CompletionsScorer:
    """Any server with OpenAI's POST /completions: the likeliest next tokens of all prompts in one
    request. What is not among them is UNSAID. The space before a range's first letter may become
    one token with it: then only its end is read as it was not learned."""

    def __init__(self, model: str, url: AddressOf, client: httpx.Client) -> None:
        self._model, self._url, self._client = model, url, client

    def scores(self, prompts: Sequence[TokenPrompt]) -> list[list[float]]:
        texts = ["".join(pieces) for pieces, _ in prompts]
        asked = {"model": self._model, "prompt": texts, "max_tokens": 1, "temperature": 0, "logprobs": TOLD}
        answer = post(self._client, f"{self._url()}/completions", asked)
        try:
            choices = sorted(answer["choices"], key=lambda one: int(one["index"]))
            scores = [
                {str(token): float(value) for token, value in one["logprobs"]["top_logprobs"][0].items()}
                for one in choices
            ]
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise GeneratorUnavailable(
                "the generator reports no log-probabilities of /completions: BEDSIDE_READER=adapter:NAME needs them"
            ) from error
        return [[own.get(text, UNSAID) for text in after] for own, (_, after) in zip(scores, prompts, strict=False)]


def open_adapter_reader(adapter: str, settings: Settings, url: AddressOf, client: httpx.Client) -> AdapterReader:
    if settings.generator_kind == "openai":
        return AdapterReader(adapter, CompletionsScorer(adapter, url, client), client)
    model = settings.generator_model
    return AdapterReader(f"{model}:{adapter}", AdapterScorer(adapter, model, url, client), client)


def _reading(begin: Sequence[float], first: int, end: Sequence[float]) -> PointedReading:
    none = begin[-1]
    some = math.log(max(1e-9, -math.expm1(min(0.0, none))))
    further = max(range(len(end)), key=end.__getitem__)
    begins = tuple(min(0.0, value - some) for value in begin[:-1])
    return PointedReading(some - none, first, first + further, begins[first] + end[further], begins)
