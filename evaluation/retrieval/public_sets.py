"""Public sets of questions for retrieval, read from the folders they come in. Nothing of them is
kept here."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rag_api.domain import Chunk, Metadata, Page
from rag_api.errors import InvalidInput
from rag_api.ingest.common.chunk import chunk

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"  # beside a checkout


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Each question has one right document; a rank is that of its first chunk."""

    name: str
    chunks: list[Chunk]
    questions: list[tuple[str, str]]  # the question, the document's id


def read_set(name: str, folder: Path | None = None, every: int = 1) -> QuestionSet:
    """every: one document (of SQuAD: article) in so many, for a quick look. Raises InvalidInput
    when the set is not there."""
    try:
        return SETS[name](folder or SHARED / name, every)
    except KeyError:
        raise InvalidInput(f"there is no set {name!r}: {', '.join(SETS)}") from None
    except (OSError, ValueError, TypeError) as error:
        raise InvalidInput(f"the set {name} cannot be read: {error}. Name its folder with --data.") from error


def _squad(folder: Path, every: int) -> QuestionSet:
    """SQuAD v1.1's paragraphs, whole, each with its article's title, and all questions."""
    path = next(iter(sorted(folder.glob("dev-v1.1*.json"))), folder / "dev-v1.1.json")
    chunks, questions = [], []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"][::every]:
        title = article["title"].replace("_", " ")
        for paragraph in article["paragraphs"]:
            text, identity = paragraph["context"], _identity(article["title"], paragraph["context"])
            about = Metadata(title=title, language="en")
            chunks.append(Chunk(str(uuid.UUID(identity)), identity, title, (1,), 0, len(text), text, about))
            questions += [(asked["question"].strip(), identity) for asked in paragraph["qas"]]
    return QuestionSet("squad", list({c.id: c for c in chunks}.values()), questions)


def _medquad(folder: Path, every: int) -> QuestionSet:
    """MedQuAD's web pages, each the answers that stand on it, cut into chunks as documents are; all
    questions."""
    titles: dict[str, str] = {}
    answers: dict[str, dict[str, None]] = {}  # in order, each once
    asked: list[tuple[str, str]] = []
    for line in (folder / "medquad.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        page = row["id"].split("#")[0]
        titles.setdefault(page, row["title"])
        answers.setdefault(page, {})[row["answer"]] = None
        asked.append((row["question"], page))
    kept = {page: _identity("medquad", page) for page in list(titles)[::every]}
    chunks = []
    for page, identity in kept.items():
        text = "\n\n".join(answers[page])
        laid_out = Page(1, 595.0, 842.0, 0, 0, text, np.empty((0, 4), np.float32))
        chunks += chunk(identity, Metadata(title=titles[page], language="en"), [laid_out])
    return QuestionSet("medquad", chunks, [(question, kept[page]) for question, page in asked if page in kept])


def _identity(*parts: str) -> str:
    return hashlib.md5("\0".join(parts).encode(), usedforsecurity=False).hexdigest()


SETS: dict[str, Callable[[Path, int], QuestionSet]] = {"squad": _squad, "medquad": _medquad}
