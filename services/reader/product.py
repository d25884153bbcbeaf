"""WardQA's training questions as Bedside asks them without a reader: what they find, what each sentence scores, and how surely there is an
answer; with the same questions altered by rule, and the public sets, as examples for over.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np

from rag_api.bench.decision.collections import wardqa
from rag_api.bench.decision.extract import extract
from rag_api.bench.wardqa import document_text, read_wardqa
from rag_api.config import Settings
from rag_api.errors import InvalidInput
from rag_api.evaluate.cases import DecisionCase, Extract, Kind, read_extract, write_extract
from rag_api.retrieval.calibration import Calibration, calibration
from rag_api.retrieval.reader import Passage
from services.reader import altered
from services.reader.examples import Pair, Texts
from services.reader.over import Example


def asked(file: Path) -> Extract:
    """Return what the product finds for every training question; asked once, ten minutes of one core, and kept in `file`."""
    if not file.exists():
        write_extract(file, extract(Settings(), wardqa(("train",))))
    return read_extract(file)


def examples_of(extracted: Extract, texts: Texts) -> list[Example]:
    """Raises InvalidInput when nobody measured the embedder: then there is no score to learn over."""
    of = calibration(extracted.made_by)
    if of.not_found is None:
        raise InvalidInput(f"nothing was fitted for {extracted.made_by}: there is no score to learn over")
    wanted = (Kind.ANSWERABLE, Kind.NEAR_MISS)
    found = [(case, _example(case, extracted, texts, of)) for case in extracted.cases if case.kind in wanted and case.hits]
    known = [(case, example) for case, example in found if example.passages]
    return [*(example for _, example in known), *_altered(known, texts)]


def public_examples(pairs: Sequence[Pair], texts: Texts) -> list[Example]:
    """Each of a single passage; without a score."""
    return [_public(pair, len(texts.passages[pair.passage].spans)) for pair in pairs if texts.passages[pair.passage].spans]


def _public(pair: Pair, count: int) -> Example:
    right = np.isin(np.arange(count), pair.answers)
    return Example(((pair, tuple(range(count))),), np.zeros(count, np.float32), right, bool(right.any()), learns="public")


def _example(case: DecisionCase, extracted: Extract, texts: Texts, of: Calibration) -> Example:
    question, passages = texts.question(case.question), []
    for hit, key in enumerate(case.hits):
        own = [number for number, sentence in enumerate(case.sentences) if sentence.hit == hit]
        own.sort(key=lambda number: (case.sentences[number].start, case.sentences[number].end))
        if own:
            told = extracted.passages[key]
            spans = tuple((case.sentences[n].start, case.sentences[n].end) for n in own)
            passages.append((Pair(question, texts.passage(Passage(told.title, told.heading, told.text, spans))), tuple(own)))
    scores = [of.weights.score(sentence.features) for sentence in case.sentences]
    coefficients = of.not_found.coefficients if of.not_found is not None else {}
    odds = coefficients.get("intercept", 0.0) + sum(coefficients.get(name, 0.0) * value for name, value in case.signals.items())
    right = np.array([sentence.right for sentence in case.sentences], np.bool_)
    return Example(tuple(passages), np.array(scores, np.float32), right, case.has_answer, odds)


def _altered(known: Sequence[tuple[DecisionCase, Example]], texts: Texts, seed: int = 11) -> Iterator[Example]:
    """Of each that can be answered one that says the same otherwise, and one about what its document does not say."""
    documents = {
        name: f"{parts[0].title}\n{document_text(parts)[0]}"
        for name, parts in ((name, list(own)) for name, own in groupby(read_wardqa(("train",)), key=lambda part: part.document))
    }
    chance = np.random.default_rng(seed)
    for case, example in known:
        if not case.has_answer:
            continue
        document = documents[case.unit]
        same = [altered.renamed(case.question, chance), altered.misspelt(case.question, chance)]
        other = [altered.exchanged(case.question, document, chance), altered.turned(case.question, document, chance)]
        for questions, right in ((same, example.right), (other, np.zeros_like(example.right))):
            made = [question for question in questions if question]
            if made:
                number = texts.question(made[int(chance.integers(len(made)))])
                passages = tuple((replace(pair, question=number), own) for pair, own in example.passages)
                yield replace(example, passages=passages, right=right, answerable=questions is same, learns="alone")
