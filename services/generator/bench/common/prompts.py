"""Prompts to decode: questions on the sample handbook, on paragraphs in SQuAD's format, and
instructions without a context.

The handbook's passages are chosen by BM25 from its text files, so that neither a store nor an
embedder is needed; what is measured is decoding, and for that they need to be the kind of text that
retrieval finds. Knows no model and no drafter.
"""

from __future__ import annotations

import csv
import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.generator.bench.common.recorded import BadRecords, json_rows
from services.generator.types import Passage

ROOT = Path(__file__).resolve().parents[4]
HANDBOOK = ROOT / "rag_api" / "handbook"
SOURCES = ROOT / "tests" / "support" / "handbook" / "sources"  # in a checkout only
DATA = ROOT.parent / "shared" / "data"  # where data for measuring may lie; never shipped
SQUAD, CONTROL = DATA / "squad" / "dev-v1.1.rebuilt.json", DATA / "recorded" / "alpaca_eval_llama-3.1-8b.jsonl"

CHUNK, OVERLAP, PASSAGES = 800, 160, 3  # characters, as the product cuts and shows them


@dataclass(frozen=True, slots=True)
class PromptJob:
    """Without passages the question is an instruction."""

    id: str
    question: str
    passages: tuple[Passage, ...] = ()


def handbook(seed: int = 0) -> list[PromptJob]:
    """The judged English questions whose procedure is English, each with the three nearest of all
    English passages; in random order."""
    texts = {name: (title, text) for name, title, text in _english(SOURCES)}
    if not texts:
        raise BadRecords(f"{SOURCES}: no English sources of a handbook")
    passages = [passage for name, (title, text) in texts.items() for passage in chunks(name, title, text)]
    index = Bm25([passage.text for passage in passages])
    jobs = []
    with (HANDBOOK / "judged.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if row["language"] == "en" and Path(row["document"]).stem in texts:
                jobs.append(
                    PromptJob(
                        row["id"], row["question"], tuple(passages[n] for n in index.best(row["question"], PASSAGES))
                    )
                )
    random.Random(seed).shuffle(jobs)  # noqa: S311
    return jobs


def _english(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Read file, title and text of every English procedure."""
    for file in sorted(folder.glob("*.md")):
        _, front, body = file.read_text(encoding="utf-8").split("---\n", 2)
        if re.search(r"^language: en$", front, re.M):
            title = re.search(r"^title: (.+)$", front, re.M)
            yield file.stem, title[1] if title else file.stem, plain(body)


def plain(markdown: str) -> str:
    """Remove layout hints and rules; a table's row becomes a line, as in the PDF's text."""
    text = re.sub(r"<!--.*?-->|^\|[-| :]+\|$", "", markdown, flags=re.M | re.S)
    text = re.sub(r"^\|(.*)\|$", lambda row: re.sub(r"\s*\|\s*", " ", row[1]).strip(), text, flags=re.M)
    text = re.sub(r"^(#+|-|>|\d+\.) +", "", text, flags=re.M).replace("**", "")
    return re.sub(r"\n\s*\n+", "\n", text).strip()


def chunks(name: str, title: str, text: str) -> Iterator[Passage]:
    """Split into about CHUNK characters, cut at a space."""
    start = 0
    while start < len(text):
        end = start + CHUNK if start + CHUNK >= len(text) else text.rfind(" ", start, start + CHUNK)
        yield Passage(f"{name}:{start}", title, text[start:end].strip())
        if end >= len(text):
            return
        start = text.find(" ", end - OVERLAP) + 1


def squad(file: Path, seed: int = 0) -> list[PromptJob]:
    """Return every question's paragraph and two others of its article, in random order; articles
    take turns."""
    try:
        articles = json.loads(file.read_text(encoding="utf-8"))["data"]
        by_article = [list(_article(article)) for article in articles]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecords(f"{file}: not in SQuAD's format: {type(error).__name__}: {error}") from None
    choose = random.Random(seed)  # noqa: S311
    for jobs in by_article:
        choose.shuffle(jobs)
    longest = max(map(len, by_article), default=0)
    return [jobs[turn] for turn in range(longest) for jobs in by_article if turn < len(jobs)]


def _article(article: dict[str, Any]) -> Iterator[PromptJob]:
    title, paragraphs = (
        article["title"].replace("_", " "),
        [paragraph["context"] for paragraph in article["paragraphs"]],
    )
    for number, paragraph in enumerate(article["paragraphs"]):
        for question in paragraph["qas"]:
            choose = random.Random(question["id"])  # noqa: S311
            others = [n for n in range(len(paragraphs)) if n != number]
            shown = [number, *choose.sample(others, min(PASSAGES - 1, len(others)))]
            choose.shuffle(shown)
            yield PromptJob(
                question["id"],
                question["question"].strip(),
                tuple(Passage(f"{n}", title, paragraphs[n]) for n in shown),
            )


def control(file: Path = CONTROL) -> list[PromptJob]:
    """Read instructions alone: jsonl of {source | prompt}."""
    jobs = []
    for number, row in json_rows(file):
        text = row.get("source", row.get("prompt"))
        if not isinstance(text, str):
            raise BadRecords(f"{file}:{number}: wants the text `source` or `prompt`")
        jobs.append(PromptJob(str(row.get("id", number)), text))
    return jobs


def exported(file: Path | None) -> list[PromptJob]:
    """Read what `bedside quality export-prompts FILE` wrote: jsonl of {id, question, documents:
    [{title, text}]}."""
    if file is None:
        raise BadRecords("--set exported wants --data FILE")
    jobs = []
    for number, row in json_rows(file):
        try:
            passages = tuple(
                Passage(f"{n}", document["title"], document["text"]) for n, document in enumerate(row["documents"])
            )
            jobs.append(PromptJob(str(row["id"]), row["question"], passages))
        except (KeyError, TypeError) as error:
            raise BadRecords(
                f"{file}:{number}: wants id, question and documents of title and text ({type(error).__name__}: {error})"
            ) from None
    return jobs


class Bm25:
    """Okapi BM25 over lower-case words without endings, enough to choose passages of one small
    handbook."""

    def __init__(self, texts: list[str], k1: float = 1.2, b: float = 0.75) -> None:
        self._counts = [Counter(_words(text)) for text in texts]
        mean = sum(sum(counts.values()) for counts in self._counts) / max(len(texts), 1)
        self._norms = [k1 * (1 - b + b * sum(counts.values()) / mean) for counts in self._counts]
        documents = Counter(word for counts in self._counts for word in counts)
        self._weights = {
            word: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) * (k1 + 1) for word, n in documents.items()
        }

    def best(self, question: str, count: int) -> list[int]:
        words = set(_words(question))
        scores = [
            sum(self._weights[word] * counts[word] / (counts[word] + norm) for word in words if word in counts)
            for counts, norm in zip(self._counts, self._norms, strict=True)
        ]
        return sorted(range(len(scores)), key=lambda number: (-scores[number], number))[:count]


def _words(text: str) -> list[str]:
    return [re.sub(r"(?<=..)(ing|ed|es|s)$", "", word) for word in re.findall(r"[^\W_]+", text.lower())]
