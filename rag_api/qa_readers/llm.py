"""The configured language model as a reader: does the passage answer, by the log-odds of yes
against no, and which of its sentences does.

Nothing is generated. Our own generator scores all of it in one request (POST /score), its prefix
cache sparing what passages and prompts share: the passage stands before the question, so that it is
computed once. Another server must report log-probabilities; one that does not is refused when the
reader is opened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

import httpx

from rag_api.config import Settings
from rag_api.errors import ConfigurationError, GeneratorUnavailable
from rag_api.retrieval.reader_model.reader import PassageJudgement, ReaderPassage
from services.contract.templates import guess_language

Language = Literal["nl", "en"]
AddressOf = Callable[[], str]  # where the configured generator answers now
ChatPrompt = tuple[str, tuple[str, ...]]  # the user's message, and what may follow it

VERSION = 1  # of the prompts: what was fitted to their scores is kept under it
# sentences that are asked about, those in front; an OpenAI-compatible server tells no more than so
# many tokens
MOST = 20
LONGEST = 4_000  # characters of a passage
WORDS: Mapping[Language, tuple[str, str]] = {"nl": ("ja", "nee"), "en": ("yes", "no")}
UNSAID = -12.0  # nats of what a server does not name among its likeliest tokens
_ASKS: Mapping[Language, tuple[str, str]] = {
    "nl": (
        "Staat het antwoord op precies deze vraag in de passage? Antwoord alleen met ja of nee.",
        "Welke zin beantwoordt de vraag? Antwoord alleen met het nummer.",
    ),
    "en": (
        "Does the passage hold the answer to exactly this question? Answer only yes or no.",
        "Which sentence answers the question? Answer only with its number.",
    ),
}
_NAMES: Mapping[Language, tuple[str, str]] = {"nl": ("Passage", "Vraag"), "en": ("Passage", "Question")}


def variants(word: str) -> tuple[str, ...]:
    """How a model may begin to say it: with a capital or not, after a space or not. Their
    probabilities are added."""
    return tuple(dict.fromkeys((word, word.capitalize(), f" {word}", f" {word.capitalize()}")))


def prompts_of(question: str, passage: ReaderPassage) -> tuple[ChatPrompt, ChatPrompt | None]:
    """Return yes or no, and which sentence; the latter only where there are several. Both begin
    with the passage."""
    language = guess_language(question)
    named, asked = _NAMES[language]
    spans = passage.spans[:MOST]
    numbered = (
        "\n".join(f"[{n}] {' '.join(passage.text[a:b].split())}" for n, (a, b) in enumerate(spans, 1)) or passage.text
    )
    above = "\n".join(part for part in (passage.title, passage.heading) if part.strip())
    shared = f"{named}: {above}\n{numbered[:LONGEST]}\n\n{asked}: {question}\n"
    yes, no = WORDS[language]
    whether = (shared + _ASKS[language][0], (*variants(yes), *variants(no)))
    which = tuple(text for n in range(1, len(spans) + 1) for text in (str(n), f" {n}"))
    return whether, (shared + _ASKS[language][1], which) if len(spans) > 1 else None


class PromptScorer(Protocol):
    def scores(self, prompts: Sequence[ChatPrompt]) -> list[list[float]]:
        """Return log p(continuation | prompt) for each continuation of each prompt. Raises
        GeneratorUnavailable."""

    def close(self) -> None: ...


class LlmReader:
    def __init__(self, name: str, scorer: PromptScorer) -> None:
        self.name = name
        self._scorer = scorer

    def judge(self, question: str, passages: Sequence[ReaderPassage]) -> list[PassageJudgement]:
        pairs = [prompts_of(question, passage) for passage in passages]
        asked = [prompt for pair in pairs for prompt in pair if prompt is not None]
        scores = iter(self._scorer.scores(asked) if asked else ())
        return [
            _judgement(passage, next(scores), next(scores) if which is not None else None)
            for passage, (_, which) in zip(passages, pairs, strict=True)
        ]

    def close(self) -> None:
        self._scorer.close()


def _judgement(passage: ReaderPassage, whether: Sequence[float], which: Sequence[float] | None) -> PassageJudgement:
    half = len(whether) // 2
    answers = log_sum(whether[:half]) - log_sum(whether[half:])
    return PassageJudgement(answers, _spans(len(passage.spans), which))


def _spans(count: int, which: Sequence[float] | None) -> tuple[float, ...]:
    """Log-probabilities; a sentence beyond MOST was not asked about."""
    if which is None:
        return (0.0,) * count
    options = [log_sum(which[at : at + 2]) for at in range(0, len(which), 2)]
    whole = log_sum(options)
    return (*(one - whole for one in options), *[UNSAID] * (count - len(options)))


def log_sum(values: Iterable[float]) -> float:
    """Return log(sum(exp(values))). Several ways to say one thing exclude one another."""
    every = list(values)
    top = max(every)
    return top + math.log(sum(math.exp(value - top) for value in every))


class BedsideScorer:
    """Our own generator's POST /score, all prompts in one request or a few."""

    AT_ONCE = 64

    def __init__(self, url: Callable[[], str], model: str, client: httpx.Client) -> None:
        self._url, self._model, self._client = url, model, client

    def scores(self, prompts: Sequence[ChatPrompt]) -> list[list[float]]:
        found: list[list[float]] = []
        for start in range(0, len(prompts), self.AT_ONCE):
            part = prompts[start : start + self.AT_ONCE]
            asked = [
                {"messages": [{"role": "user", "content": text}], "continuations": list(after)} for text, after in part
            ]
            answer = post(self._client, f"{self._url()}/score", {"model": self._model, "prompts": asked})
            try:
                found += [[float(value) for value in one["logprobs"]] for one in answer["prompts"]]
            except (KeyError, TypeError, ValueError) as error:
                raise GeneratorUnavailable("what the generator answers to /score are no log-probabilities") from error
        return found

    def close(self) -> None:
        self._client.close()


class OpenAiScorer:
    """Any OpenAI-compatible server that reports log-probabilities: the first token's twenty
    likeliest. What is not among them is UNSAID."""

    def __init__(self, url: Callable[[], str], model: str, client: httpx.Client) -> None:
        self._url, self._model, self._client = url, model, client

    def check(self) -> None:
        """Raises ConfigurationError for a server that tells none; one that is silent now is not
        judged."""
        try:
            self.scores([("1 + 1 =", ("2",))])
        except _NoLogprobs as error:
            raise ConfigurationError(
                "BEDSIDE_READER=llm needs log-probabilities, which this generator does not report (logprobs of "
                "/chat/completions): "
                "name a model's folder instead, or use Bedside's own generator"
            ) from error
        except GeneratorUnavailable:
            return

    def scores(self, prompts: Sequence[ChatPrompt]) -> list[list[float]]:
        return [self._first_token(text, after) for text, after in prompts]

    def _first_token(self, text: str, after: Sequence[str]) -> list[float]:
        body = {
            "messages": [{"role": "user", "content": text}],
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": MOST,
        }
        answer = post(self._client, f"{self._url()}/chat/completions", {"model": self._model, **body})
        try:
            log_p = {
                str(one["token"]): float(one["logprob"])
                for one in answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
            }
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise _NoLogprobs("the generator reports no log-probabilities") from error
        return [log_p.get(one, UNSAID) for one in after]

    def close(self) -> None:
        self._client.close()


class _NoLogprobs(GeneratorUnavailable):
    pass


def post(client: httpx.Client, url: str, body: Mapping[str, Any]) -> Any:
    try:
        response = client.post(url, json=body)
        response.raise_for_status()
        return response.json()
    except httpx.HTTPStatusError as error:
        raise GeneratorUnavailable(
            f"the generator does not judge: {error.response.status_code} {error.response.text[:200]}"
        ) from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise GeneratorUnavailable(f"the generator does not judge: {error or type(error).__name__}") from error


def client_of(settings: Settings, transport: httpx.BaseTransport | None = None) -> httpx.Client:
    """Return a client that the configured generator knows."""
    key = settings.generator_api_key.get_secret_value() if settings.generator_api_key else None
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.Client(headers=headers, timeout=httpx.Timeout(60.0, connect=5.0), transport=transport)


def open_llm_reader(
    settings: Settings, generator_url: AddressOf, transport: httpx.BaseTransport | None = None
) -> LlmReader:
    """Raises ConfigurationError for a server that reports no log-probabilities."""
    client = client_of(settings, transport)
    name = f"llm:{settings.generator_model}:{VERSION}"
    if settings.generator_kind == "bedside":
        return LlmReader(name, BedsideScorer(generator_url, settings.generator_model, client))
    scorer = OpenAiScorer(generator_url, settings.generator_model, client)
    try:
        scorer.check()
    except ConfigurationError:
        client.close()
        raise
    return LlmReader(name, scorer)
