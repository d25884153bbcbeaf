"""WardQA's documents, cut into passages as Bedside cuts and finds them, as what the reader learns from and is measured on."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np
import torch

from rag_api.bench.wardqa import Split, WardPassage, WardQuestion, document_text, read_wardqa
from rag_api.bench.wardqa.measure import auc
from rag_api.domain import Chunk, Filters, Metadata, Page
from rag_api.embed import Embedder
from rag_api.embed.neutral import neutral
from rag_api.ingest.chunk import chunk, embedding_text
from rag_api.retrieval.reader import Passage
from rag_api.stores.memory import MemoryStore
from rag_api.text.quotable_spans import Quotable, quotable
from services.reader import altered
from services.reader.examples import Pair, Texts, batches
from services.reader.model import ReaderModel, split_rows

FOUND = 8  # passages that a question finds, of which another one is put before the reader in each epoch
ALPHA = 0.65  # of the fusion, as calibrated for the encoder
MOSTLY = 0.5  # share of a sentence that must stand in a passage
OTHERS = 2  # passages that a question finds and that do not answer it, which an epoch reads
RIVALS = 0.35  # share of the questions for which another document's passage stands below their document's title
ALTERED = 0.5  # share of the questions that an epoch reads altered as well
REFUSED = 0.06  # share of the answerable questions that may be refused when near misses are counted


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the pairs that are known of it, and the passages that it finds, best first; one that stands not alone finds none.
    `line`: for each passage, the spans that are of the answer's line."""

    own: tuple[Pair, ...]
    found: tuple[int, ...]
    near_miss: str
    document: str
    line: dict[int, frozenset[int]]
    altered: tuple[Pair, ...] = ()  # of the same question altered by rule
    rivals: tuple[Pair, ...] = ()  # found passages of other documents below this document's title


class Ward:
    """Some splits' questions. `taught`: they are also altered by rule, and passages of others stand below their documents' titles."""

    def __init__(self, splits: Sequence[Split], texts: Texts, *, taught: bool = False) -> None:
        self.texts = texts
        self._chance = np.random.default_rng(0) if taught else None
        documents = [list(own) for _, own in groupby(read_wardqa(splits), key=lambda passage: passage.document)]
        self._embedder: Embedder = neutral(texts.encoder)
        self._store = MemoryStore(texts.encoder.dim)
        self._numbers: dict[str, int] = {}  # of passages, by their chunk's id
        self._passages: dict[int, Passage] = {}
        self._texts: dict[str, str] = {}  # of documents
        self._titles: dict[str, str] = {}
        chunks = {parts[0].document: self._index(parts) for parts in documents}
        self.asked: list[Asked] = []
        for parts in documents:
            places = document_text(parts)[1]
            for part in parts:
                for question in part.questions:
                    self._ask(part, question, chunks[part.document], places[part.id])
        self._add_rivals()

    def pairs(self, epoch: int, seed: int = 0) -> list[Pair]:
        """Return what an epoch reads: every question with its own passage, and with others that it finds and that do not answer it."""
        chance, pairs = np.random.default_rng((seed, epoch)), list[Pair]()
        for asked in self.asked:
            pairs += asked.own
            count = 0 if not asked.found else 1 if asked.near_miss else OTHERS
            places = [min(int(chance.geometric(0.3)), len(asked.found)) - 1 for _ in range(count)]
            for other in dict.fromkeys(asked.found[place] for place in places):
                if other not in [pair.passage for pair in asked.own]:
                    pairs.append(Pair(asked.own[0].question, other))
            pairs += asked.rivals
            if asked.altered and chance.random() < ALTERED:
                pairs.append(asked.altered[int(chance.integers(len(asked.altered)))])
        return pairs

    def part(self, share: float) -> Ward:
        """Return the questions of this share of the documents."""
        documents = list(dict.fromkeys(asked.document for asked in self.asked))
        kept = set(documents[: max(1, round(share * len(documents)))])
        other = copy.copy(self)
        other.asked = [asked for asked in self.asked if asked.document in kept]
        return other

    def measure(self, model: ReaderModel, reads: int = 7) -> dict[str, Any]:
        """Let it read what each question finds, and choose and decide by that alone."""
        asked = [asked for asked in self.asked if asked.found]
        pairs = [Pair(one.own[0].question, number) for one in asked for number in one.found[:reads]]
        scores = self.scores(model, pairs)
        confidence, right = list[float](), list[bool]()
        for one in asked:
            spans = {n: own for n in one.found[:reads] if len(own := scores[one.own[0].question, n])}
            best = max(spans, key=lambda number: float(spans[number].max()))
            confidence.append(max(float(own.logsumexp(0)) for own in spans.values()))
            right.append(int(spans[best].argmax()) in one.line.get(best, frozenset()))
        yes, no = ([c for c, a in zip(confidence, asked, strict=True) if bool(a.near_miss) == near] for near in (False, True))
        rights = [r for r, a in zip(right, asked, strict=True) if not a.near_miss]
        least = float(np.quantile(yes, REFUSED))
        return {
            "answerable": len(yes),
            "right": round(float(np.mean(rights)), 4),
            "right_and_answered": round(float(np.mean([r and c >= least for r, c in zip(rights, yes, strict=True)])), 4),
            "near_misses_refused": round(float(np.mean([c < least for c in no])), 4),
            "auc": auc(yes, no),
        }

    @torch.no_grad()
    def scores(self, model: ReaderModel, pairs: Sequence[Pair]) -> dict[tuple[int, int], torch.Tensor]:
        """Return by question and passage each span's log-odds that it answers."""
        found: dict[tuple[int, int], torch.Tensor] = {}
        for own in batches(pairs, self.texts, 64, 0):
            batch = self.texts.batch(own)
            for pair, one in zip(own, split_rows(model.eval()(batch), batch.rows), strict=True):
                found[pair.question, pair.passage] = one[:, 0]
        return found

    def _index(self, parts: Sequence[WardPassage]) -> list[Chunk]:
        first, text = parts[0], document_text(parts)[0]
        page = Page(1, 595.0, 842.0, 0, 0, text, np.full((len(text), 4), np.nan, np.float32))
        chunks = chunk(first.document, Metadata(title=first.title, language=first.language, department=first.trade), [page])
        self._store.replace_document(first.document, chunks, self._embedder.passages([embedding_text(own) for own in chunks]))
        for own in chunks:
            passage = cut_out(own.title, text, own.start, own.end)[0]
            self._numbers[own.id] = self.texts.passage(passage)
            self._passages[self._numbers[own.id]] = passage
        self._texts[first.document], self._titles[first.document] = text, first.title
        return chunks

    def _ask(self, part: WardPassage, question: WardQuestion, chunks: Sequence[Chunk], lines: Sequence[tuple[int, int]]) -> None:
        text = self._texts[part.document]
        start, end = lines[question.line - 1]
        at = text.find(question.answer.replace(" | ", "\t"), start, end)
        answer = (at, at + len(question.answer.replace(" | ", "\t"))) if at >= 0 else (start, end)
        needed = (lines[question.block[0] - 1][0], lines[question.block[1] - 1][1])
        number, line, own = self.texts.question(question.question), dict[int, frozenset[int]](), list[Pair]()
        for piece in chunks:
            spans = [(q.start, q.end) for q in cut_out(part.title, text, piece.start, piece.end)[1]]
            passage = self._numbers[piece.id]
            line[passage] = frozenset(n for n, span in enumerate(spans) if _share(span, (start, end)) >= 0.5)
            answers = tuple(n for n, span in enumerate(spans) if _share(span, answer) >= 0.5)
            block = tuple(
                n for n, span in enumerate(spans) if min(span[1], needed[1]) - max(span[0], needed[0]) >= 0.5 * (span[1] - span[0])
            )
            if answers:
                own.append(Pair(number, passage, answers, block))
        if not own:
            return
        alone = question.alone
        self._keep(Asked(tuple(own), self._find(question.question) if alone else (), "", part.document, line), question.question)
        for miss in question.near_misses:
            pairs = tuple(Pair(self.texts.question(miss.question), pair.passage) for pair in own)
            self._keep(Asked(pairs, self._find(miss.question) if alone else (), miss.changed, part.document, {}), miss.question)

    def _keep(self, asked: Asked, question: str) -> None:
        if self._chance is not None:
            asked = replace(asked, altered=tuple(self._altered(asked, question, self._chance)))
        self.asked.append(asked)

    def _altered(self, asked: Asked, question: str, chance: np.random.Generator) -> Iterator[Pair]:
        """About something else no passage of the document answers it; said otherwise, the same do."""
        own, document = asked.own[0], f"{self._titles[asked.document]}\n{self._texts[asked.document]}"
        for otherwise in (altered.renamed(question, chance), altered.misspelt(question, chance)):
            if otherwise is not None:
                yield replace(own, question=self.texts.question(otherwise))
        if asked.near_miss:
            return
        for another in (altered.exchanged(question, document, chance), altered.turned(question, document, chance)):
            if another is not None:
                yield Pair(self.texts.question(another), own.passage)
        passage = self._passages[own.passage]
        if (both := altered.exchanged_in_both(question, passage, document, chance)) is not None:
            number = self.texts.passage(both[1])
            yield replace(own, question=self.texts.question(both[0]), passage=number)
            yield Pair(own.question, number)
        if (words := altered.in_own_words(passage.text, passage.spans[own.answers[0]], passage.title, chance)) is not None:
            yield Pair(self.texts.question(words), own.passage, own.answers[:1])

    def _add_rivals(self) -> None:
        """What else is found, of other documents, below the title of its own: its document then has many passages, as long ones have."""
        for place, asked in enumerate(self.asked):
            if self._chance is None or asked.near_miss or not asked.found or self._chance.random() >= RIVALS:
                continue
            title = self._passages[asked.own[0].passage].title
            others = [self._passages[number] for number in asked.found if self._passages[number].title != title]
            if others:
                other = replace(others[int(self._chance.integers(len(others)))], title=title)
                self.asked[place] = replace(asked, rivals=(Pair(asked.own[0].question, self.texts.passage(other)),))

    def _find(self, question: str) -> tuple[int, ...]:
        hits = self._store.search(question, self._embedder.query(question), FOUND, Filters(), ALPHA, "information", ())
        return tuple(dict.fromkeys(self._numbers[hit.chunk.id] for hit in hits))


def _share(span: tuple[int, int], other: tuple[int, int]) -> float:
    """Of the shorter one that lies in the other."""
    return (min(span[1], other[1]) - max(span[0], other[0])) / max(1, min(span[1] - span[0], other[1] - other[0]))


def cut_out(title: str, text: str, start: int, end: int) -> tuple[Passage, list[Quotable]]:
    """Return what `text[start:end]` holds of whole sentences, with what they stand below, and what may be quoted of it."""
    quotes = [quote for quote in _quotable(text) if min(quote.end, end) - max(quote.start, start) >= MOSTLY * (quote.end - quote.start)]
    if not quotes:
        return Passage(title, "", text[start:end], ()), []
    first, last = min(quote.start for quote in quotes), max(quote.end for quote in quotes)
    above = {place for quote in quotes for place in (*quote.lead, *quote.path[-1:]) if place[0] < first}
    heading = "\n".join(" ".join(text[a : min(b, first)].split()) for a, b in sorted(above))
    return Passage(title, heading, text[first:last], tuple((quote.start - first, quote.end - first) for quote in quotes)), quotes


@lru_cache(maxsize=512)
def _quotable(text: str) -> tuple[Quotable, ...]:
    """A document is cut once, not at every question."""
    return tuple(quotable(text))
