"""The collections that the decision is fitted to and measured on: their documents, and the
questions with what answers them.

WardQA and the handbook with its sets are the project's; SQuAD, MedQuAD and the work instructions
lie beside a checkout (bench/sets.py) and are left out, with a word, where they do not.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np

from evaluation.calibration.cases import QuestionKind
from evaluation.quality.answers import holds
from evaluation.quality.whole import read_whole
from evaluation.retrieval.public_sets import SHARED
from evaluation.sets.wardqa import Split, document_text, read_wardqa
from rag_api import handbook
from rag_api.domain import Candidate, Metadata
from rag_api.evaluate.judged import read_judged

T = TypeVar("T")
Part = Literal["fit", "test"]
OWN = ("wardqa", "handbook", "hurried")
HURRIED: tuple[tuple[str, str, Part], ...] = (
    ("whole.csv", "", "fit"), ("whole-second.csv", "unanswered-second.csv", "fit"), ("whole-third.csv", "unanswered-third.csv", "test"),
)  # fmt: skip
MEDQUAD = 300  # questions that MedQuAD's collection can answer, and as many near misses
OFF_TOPIC = 40  # questions of other collections that each collection is asked, in each part
Right = Callable[[str, Candidate], bool]  # the source of a candidate's document, the candidate


def _nothing(source: str, candidate: Candidate) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A document that is already text."""

    source: str
    about: Metadata
    text: str


@dataclass(frozen=True, slots=True)
class CollectionQuestion:
    text: str
    language: str
    unit: str  # the source of the document that it is about
    kind: QuestionKind
    split: Part
    right: Right = _nothing
    sources: tuple[str, ...] = ()  # that answer it
    function: str = ""


@dataclass(frozen=True, slots=True)
class Collection:
    """`folder`: PDFs to be read; else `texts`. `leave_out`: whether its questions are asked again
    without the documents that answer."""

    name: str
    questions: tuple[CollectionQuestion, ...]
    texts: tuple[TextDocument, ...] = ()
    folder: Path | None = None
    lists: Path | None = None  # abbreviations and synonyms of its hospital
    leave_out: bool = False


def wardqa(splits: Sequence[Split] = ("validate", "test", "test_trades")) -> Collection:
    """Hurried words and near misses; `fit` is its validate part, `test` the two others that no
    reader is taught on."""
    passages = read_wardqa(splits)
    texts, questions = [], list[CollectionQuestion]()
    for source, parts in ((source, list(own)) for source, own in groupby(passages, key=lambda p: p.document)):
        first = parts[0]
        text, lines = document_text(parts)
        texts.append(
            TextDocument(source, Metadata(title=first.title, language=first.language, department=first.trade), text)
        )
        part: Part = "fit" if first.split in ("train", "validate") else "test"
        for passage in parts:
            for asked in (asked for asked in passage.questions if asked.alone):
                right = partial(_at, source, lines[passage.id][asked.line - 1])
                asked_in = language_of(asked.question, passage.language)
                questions.append(
                    CollectionQuestion(
                        asked.question, asked_in, source, QuestionKind.ANSWERABLE, part, right, (source,)
                    )
                )
                near = [(miss.question, language_of(miss.question, passage.language)) for miss in asked.near_misses]
                questions += [
                    CollectionQuestion(text, spoken, source, QuestionKind.NEAR_MISS, part) for text, spoken in near
                ]
    return Collection("wardqa", tuple(questions), texts=tuple(texts))


def language_of(question: str, otherwise: str) -> str:
    from rag_api.text.language import language_said

    return language_said(question) or otherwise


def the_handbook() -> Collection:
    """The sample handbook and its judged set, by halves."""
    questions = []
    for judged in read_judged(handbook_set(), "all"):
        near = "near-miss" in judged.note
        kind = (
            QuestionKind.ANSWERABLE if judged.answerable else QuestionKind.NEAR_MISS if near else QuestionKind.OFF_TOPIC
        )
        part: Part = "fit" if judged.split == "validate" else "test"
        right = partial(_says, tuple((place.document, place.span) for place in judged.places))
        sources = tuple(place.document for place in judged.places)
        questions.append(
            CollectionQuestion(
                judged.question,
                judged.language,
                judged.document or judged.id,
                kind,
                part,
                right,
                sources,
                judged.function,
            )
        )
    folder = Path(handbook.__file__).parent
    return Collection("handbook", tuple(questions), folder=folder / "pdf", lists=folder, leave_out=True)


def hurried() -> Collection:
    """The same documents asked in a hurried person's words, by people who had seen nothing else:
    two sets to fit to, the third to measure. A sentence is right that holds any of what a colleague
    needs."""
    folder, questions = Path(handbook.__file__).parent, list[CollectionQuestion]()
    for whole, unanswered, part in HURRIED:
        for row in read_whole(folder / "questions" / whole):
            if row.after or row.kind == "two":
                continue
            right = partial(_says, tuple((row.document, needed) for needed in row.needs))
            asked_in = language_of(row.question, row.language or "nl")
            questions.append(
                CollectionQuestion(
                    row.question, asked_in, row.id, QuestionKind.ANSWERABLE, part, right, (row.document,)
                )
            )
        for missed in read_judged(folder / "questions" / unanswered, "all") if unanswered else ():
            kind = QuestionKind.NEAR_MISS if "near-miss" in missed.note else QuestionKind.OFF_TOPIC
            questions.append(CollectionQuestion(missed.question, missed.language or "nl", missed.id, kind, part))
    return Collection("hurried", tuple(questions), folder=folder / "pdf", lists=folder)


def handbook_set() -> Path:
    from rag_api.evaluate.judged import HANDBOOK

    return HANDBOOK


def work_instructions() -> Collection:
    """Six Dutch work instructions of a weather service, with questions of ours."""
    folder = SHARED / "pdf" / "knmi"
    names = {path.stem.split()[1]: path.name for path in sorted(folder.glob("*.pdf"))}
    rows = csv.DictReader(files(__package__).joinpath("work_instructions.csv").read_text(encoding="utf-8").splitlines())
    questions = []
    for number, row in enumerate(rows):
        source = names[row["document"]] if row["document"] else ""
        kind = QuestionKind.ANSWERABLE if source else QuestionKind.NEAR_MISS
        right, sources = partial(_says, ((source, row["span"]),)) if source else _nothing, (source,) if source else ()
        part: Part = "test" if number % 2 else "fit"
        questions.append(
            CollectionQuestion(
                row["question"], language_of(row["question"], "nl"), f"{number}", kind, part, right, sources
            )
        )
    return Collection("work instructions", tuple(questions), folder=folder, leave_out=True)


def squad() -> Collection:
    """Every third article of SQuAD v2.0: four of its paragraphs, of each two questions that it
    answers and two that it does not."""
    path = next(iter(sorted((SHARED / "squad").glob("dev-v2.0*.json"))))
    texts, questions = [], list[CollectionQuestion]()
    for number, article in enumerate(json.loads(path.read_text(encoding="utf-8"))["data"][::3]):
        title, text = article["title"].replace("_", " "), ""
        part: Part = "test" if number % 2 else "fit"
        for paragraph in article["paragraphs"][:8:2]:
            base, context = len(text), paragraph["context"]
            text += f"{context}\n\n"
            answered = [asked for asked in paragraph["qas"] if not asked["is_impossible"]][:2]
            for asked in answered:
                begins = base + asked["answers"][0]["answer_start"]
                right = partial(_around, title, (begins, begins + len(asked["answers"][0]["text"])))
                questions.append(
                    CollectionQuestion(
                        asked["question"].strip(), "en", title, QuestionKind.ANSWERABLE, part, right, (title,)
                    )
                )
            missed = [asked["question"].strip() for asked in paragraph["qas"] if asked["is_impossible"]][:2]
            questions += [CollectionQuestion(asked, "en", title, QuestionKind.NEAR_MISS, part) for asked in missed]
        texts.append(TextDocument(title, Metadata(title=title, language="en"), text))
    return Collection("squad", tuple(questions), texts=tuple(texts))


def medquad() -> Collection:
    """Half of MedQuAD's subjects, drawn by chance: all answers under a title are one document. Of
    their questions MEDQUAD are asked, and a sentence is right when it stands in what answers that
    question of that subject. As many are near misses, of the same form: of the other half, but for
    subjects whose title holds or is held by one that is there."""
    subjects = dict[str, dict[str, str]]()
    for line in (SHARED / "medquad" / "medquad.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["title"]:
            asked = subjects.setdefault(row["title"], {})
            asked[row["question"]] = f"{asked.get(row['question'], '')}{row['answer']}\n\n"
    titles = _drawn(sorted(subjects), len(subjects))
    there, left = titles[: len(titles) // 2], titles[len(titles) // 2 :]
    part: dict[str, Part] = {title: "test" if number % 2 else "fit" for number, title in enumerate(titles)}
    texts, answerable = list[TextDocument](), list[CollectionQuestion]()
    for title in there:
        text = ""
        for asked_of, answers in subjects[title].items():
            right = partial(_at, title, (len(text), len(text) + len(answers)))
            answerable.append(
                CollectionQuestion(asked_of, "en", title, QuestionKind.ANSWERABLE, part[title], right, (title,))
            )
            text += answers
        texts.append(TextDocument(title, Metadata(title=title, language="en"), text))
    far = [
        title
        for title in left
        if not any(title.casefold() in own.casefold() or own.casefold() in title.casefold() for own in there)
    ]
    near = [
        CollectionQuestion(asked_of, "en", title, QuestionKind.NEAR_MISS, part[title])
        for title in far
        for asked_of in subjects[title]
    ]
    return Collection("medquad", (*_drawn(answerable, MEDQUAD), *_drawn(near, MEDQUAD)), texts=tuple(texts))


def _drawn(all_of: Sequence[T], count: int) -> list[T]:
    """By chance, and the same each time."""
    return [all_of[int(number)] for number in np.random.default_rng(0).permutation(len(all_of))[:count]]


def _at(source: str, place: tuple[int, int], of: str, candidate: Candidate) -> bool:
    """Half of the shorter one lies in the other."""
    shared = min(candidate.end, place[1]) - max(candidate.start, place[0])
    return of == source and shared >= 0.5 * min(candidate.end - candidate.start, place[1] - place[0])


def _around(source: str, place: tuple[int, int], of: str, candidate: Candidate) -> bool:
    return of == source and candidate.start <= place[0] and place[1] <= candidate.end


def _says(places: tuple[tuple[str, str], ...], of: str, candidate: Candidate) -> bool:
    return any(of == source and holds(candidate.text, span) for source, span in places)


COLLECTIONS: dict[str, Callable[[], Collection]] = {
    "wardqa": wardqa,
    "handbook": the_handbook,
    "hurried": hurried,
    "work instructions": work_instructions,
    "squad": squad,
    "medquad": medquad,
}


def read_collections(names: Iterable[str] = COLLECTIONS) -> Iterator[Collection]:
    """Yield those that are there, each with questions of the others that it cannot answer. What
    lies beside a checkout may be absent."""
    there = [COLLECTIONS[name]() for name in COLLECTIONS if name in OWN or SHARED.is_dir()]
    for collection in there:
        if collection.name in names:
            yield replace(collection, questions=(*collection.questions, *_off_topic(collection, there)))


def _off_topic(collection: Collection, there: list[Collection]) -> Iterator[CollectionQuestion]:
    """As many of each other collection; none between the medical ones, which may well answer each
    other's questions."""
    clinical = {*OWN, "medquad"}
    others = [
        other for other in there if other.name != collection.name and not {other.name, collection.name} <= clinical
    ]
    for other in others:
        for part in ("fit", "test"):
            answerable = [q for q in other.questions if q.kind == QuestionKind.ANSWERABLE and q.split == part]
            most = OFF_TOPIC // len(others)
            for asked in answerable[:: max(1, len(answerable) // most)][:most]:
                yield CollectionQuestion(
                    asked.text, asked.language, f"{other.name} {asked.text}", QuestionKind.OFF_TOPIC, asked.split
                )
