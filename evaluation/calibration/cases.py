"""A question as it was asked once of a collection, with all that a decision can be fitted to and
measured on. Values only.

What is kept is enough to weigh sentences anew, to have the passages read by another reader, and to
decide anew, without the collection.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from rag_api.errors import InvalidInput

VERSION = 1  # one more whenever a case is kept otherwise


class QuestionKind(StrEnum):
    """What a question is to its collection."""

    ANSWERABLE = "answerable"
    NEAR_MISS = "near miss"  # a document is about this, and does not say it
    OFF_TOPIC = "off topic"  # no document is about this
    LEFT_OUT = "left out"  # it can be answered, but its own documents were left out


@dataclass(frozen=True, slots=True)
class Sentence:
    """Of a hit; start and end in the hit's passage."""

    hit: int  # index of the case's hit
    start: int
    end: int
    features: tuple[float, ...]  # in the order of calibration.FEATURES
    right: bool


@dataclass(frozen=True, slots=True)
class CasePassage:
    """What was found, as a reader gets it."""

    title: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class DecisionCase:
    """`unit`: its document, since questions of one document fare alike. `open`: the rules for
    patients and drugs did not refuse it."""

    collection: str
    split: Literal["fit", "test"]
    kind: QuestionKind
    question: str
    language: str
    unit: str
    open: bool
    signals: Mapping[str, float]
    hits: tuple[str, ...]  # keys of the passages that may answer, best first
    sentences: tuple[Sentence, ...]  # as they were weighed, best first
    quoted: str = ""  # the best sentence with what it is read after

    @property
    def has_answer(self) -> bool:
        return self.kind == QuestionKind.ANSWERABLE

    @property
    def right(self) -> bool:
        """Its best sentence answers."""
        return bool(self.sentences) and self.sentences[0].right


@dataclass(frozen=True, slots=True)
class Extract:
    """All cases of some collections, and the passages that they found."""

    made_by: str  # of what their signals follow from: embedder and rules
    cases: tuple[DecisionCase, ...]
    passages: Mapping[str, CasePassage]


def write_extract(path: Path, extract: Extract) -> None:
    """In one step: a reader may be looking."""
    data = {
        "version": VERSION,
        "made_by": extract.made_by,
        "passages": {key: asdict(passage) for key, passage in extract.passages.items()},
        "cases": [_packed(case) for case in extract.cases],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_bytes(gzip.compress(json.dumps(data, ensure_ascii=False).encode(), 6, mtime=0))
    fresh.replace(path)


def _packed(case: DecisionCase) -> dict[str, Any]:
    sentences = [
        [s.hit, s.start, s.end, [round(value, 5) for value in s.features], int(s.right)] for s in case.sentences
    ]
    return asdict(replace(case, sentences=())) | {"sentences": sentences}


def read_extract(path: Path) -> Extract:
    """Raises InvalidInput for a file of another version."""
    data = json.loads(gzip.decompress(path.read_bytes()))
    if data["version"] != VERSION:
        raise InvalidInput(f"{path} was made by another version of Bedside: remove it, it will be made again.")
    passages = {key: CasePassage(**value) for key, value in data["passages"].items()}
    return Extract(data["made_by"], tuple(map(_unpacked, data["cases"])), passages)


def _unpacked(row: dict[str, Any]) -> DecisionCase:
    sentences = tuple(
        Sentence(hit, start, end, tuple(features), bool(right)) for hit, start, end, features, right in row["sentences"]
    )
    return DecisionCase(
        **{**row, "kind": QuestionKind(row["kind"]), "hits": tuple(row["hits"]), "sentences": sentences}
    )
