"""Public question sets that the reader begins with: SQuAD 2.0 and XQuAD (CC BY-SA 4.0), PolicyQA (MIT). Other languages than German and
English are left out, being further from Dutch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rag_api.errors import InvalidInput
from rag_api.retrieval.reader import Passage
from rag_api.text.quotable_spans import quotable
from services.reader.examples import Pair, Texts

FILES = ("squad/dev-v2.0.rebuilt.json", "qa/policyqa.dev.json", "qa/xquad.de.json")
OF = {"qa/policyqa.dev.json": 2000}  # its questions are few and repeated over hundreds of policies


def public_pairs(folder: Path, texts: Texts, seed: int = 0) -> list[Pair]:
    """Return a pair for each question, and for every fourth one with another passage of its article. Raises InvalidInput."""
    chance, pairs = np.random.default_rng(seed), list[Pair]()
    for name in FILES:
        if not (folder / name).exists():
            raise InvalidInput(f"{folder} has no {name}")
        own = [pair for article in json.loads((folder / name).read_text("utf-8"))["data"] for pair in _article(article, texts, chance)]
        pairs += [own[n] for n in chance.permutation(len(own))[: OF.get(name, len(own))]]
    return pairs


def _article(article: dict[str, Any], texts: Texts, chance: np.random.Generator) -> Iterator[Pair]:
    title = article.get("title", "").replace("_", " ")
    passages = [_passage(title, paragraph["context"]) for paragraph in article["paragraphs"]]
    numbers = [texts.passage(passage) for passage in passages]
    for at, paragraph in enumerate(article["paragraphs"]):
        for asked in paragraph["qas"]:
            question = texts.question(asked["question"])
            places = [(answer["answer_start"], answer["answer_start"] + len(answer["text"])) for answer in asked["answers"]]
            answers = tuple(sorted({n for n, span in enumerate(passages[at].spans) for place in places if _holds(span, place)}))
            if asked.get("is_impossible", False) or answers:
                yield Pair(question, numbers[at], () if asked.get("is_impossible", False) else answers)
            if len(numbers) > 1 and chance.random() < 0.25:
                yield Pair(question, numbers[(at + 1 + int(chance.integers(len(numbers) - 1))) % len(numbers)])


def _passage(title: str, text: str) -> Passage:
    return Passage(title, "", text, tuple((quote.start, quote.end) for quote in quotable(text)))


def _holds(span: tuple[int, int], place: tuple[int, int]) -> bool:
    return min(span[1], place[1]) - max(span[0], place[0]) >= 0.5 * (place[1] - place[0])
