"""Generated documents of any number, for measuring speed. Their words are distributed as in a
hospital's own, their sense is nil.

The words are the sample handbook's, with its frequencies, and compounds made of them. The frequent
ones (function words, "patiënt") are everywhere; every other word belongs to a few subjects, and a
document has one subject. A subject has its phrases, from which text is pieced together: 3,000
chunks have 250,000 different pairs of words, where as many of Dutch law texts have 170,000. Vectors
lie around their subject's centre. So a question's words are as rare as in a real collection of that
size, and its neighbours are near.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray

from rag_api import handbook
from rag_api.domain import Chunk, Metadata, TargetGroup
from rag_api.text.bm25_analyzer import words

CHUNKS_PER_DOCUMENT = 100
WORDS = (70, 140)  # of a chunk: about 800 characters at most
EVERYWHERE = 400  # the most frequent words, of every subject
INVENTED = 60_000  # compounds
SUBJECTS = 400
OF_SUBJECT = 900  # words that a subject has of its own; a word is in several
PHRASES = 8_000  # words of running text that a subject's phrases are taken from, those at its beginning more often
PHRASE, ASKED = 12, 3  # words of a phrase in a text and in a question, mean
SPREAD = 0.8  # length of the noise beside a centre of length 1
_DEPARTMENTS = (
    "Pediatrie",
    "Spoedgevallen",
    "Intensieve zorg",
    "Apotheek",
    "Cardiologie",
    "Verloskunde",
    "Chirurgie",
    "",
)


@dataclass(frozen=True, slots=True)
class Generated:
    id: str
    chunks: list[Chunk]
    vectors: NDArray[np.float32]  # [chunks, dim], unit length


class Corpus:
    """The same documents for the same seed, whatever the number asked for: a larger corpus begins
    with the smaller one."""

    def __init__(self, dim: int, seed: int = 0, clustered: bool = True, lengths: tuple[int, int] = WORDS) -> None:
        """clustered: vectors lie around their subject's centre; else anywhere, which is the worst
        case for an index of them. lengths: words of a chunk, from and to."""
        self.dim, self._seed, self._clustered, self._lengths = dim, seed, clustered, lengths
        rng = np.random.default_rng(seed)
        counts = _handbook_words()
        known = [word for word, _ in counts.most_common()]
        pieces = [word for word in known[EVERYWHERE:] if 4 <= len(word) <= 9 and word.isalpha()]
        invented = dict.fromkeys(pieces[a] + pieces[b] for a, b in rng.integers(len(pieces), size=(INVENTED, 2)))
        self._words = np.array([*known, *(word for word in invented if word not in counts)], dtype=object)
        self._common = _cumulative([counts[word] for word in known[:EVERYWHERE]])
        self._share = sum(counts[word] for word in known[:EVERYWHERE]) / counts.total()
        rare = np.arange(EVERYWHERE, len(self._words))
        # The handbook's own words come first in a subject, with the frequencies of natural language
        # (Zipf, Mandelbrot).
        self._subjects = [
            np.sort(rng.choice(rare, OF_SUBJECT, replace=False, p=_favouring(len(rare)))) for _ in range(SUBJECTS)
        ]
        for subject in self._subjects:
            rng.shuffle(subject)
        own = _cumulative(1.0 / (np.arange(OF_SUBJECT) + 2.7))
        self._phrases = [self._running_text(rng, subject, own) for subject in self._subjects]
        self._centres = _unit(rng.normal(size=(SUBJECTS, dim)))

    def documents(self, chunks: int, left_out: Container[str] = ()) -> Iterator[Generated]:
        """Documents of CHUNKS_PER_DOCUMENT chunks until there are as many chunks as wanted.
        left_out: ids of those that are not made."""
        for number in range(-(-chunks // CHUNKS_PER_DOCUMENT)):
            if self.document_id(number) in left_out:
                continue
            yield self._document(number, min(CHUNKS_PER_DOCUMENT, chunks - number * CHUNKS_PER_DOCUMENT))

    def questions(self, count: int) -> list[tuple[str, NDArray[np.float32]]]:
        """Questions of six to ten words, frequent and rare ones as in the documents, with a vector
        near their subject's."""
        rng = np.random.default_rng([self._seed, 1])
        asked = []
        for _ in range(count):
            subject = int(rng.integers(SUBJECTS))
            asked.append(
                (" ".join(self._draw(rng, subject, int(rng.integers(6, 11)), ASKED)), self._near(rng, subject, 1)[0])
            )
        return asked

    @staticmethod
    def document_id(number: int) -> str:
        return str(uuid.UUID(int=(number << 32) + 1))

    def _document(self, number: int, chunks: int) -> Generated:
        rng = np.random.default_rng([self._seed, 2, number])
        subject = int(rng.integers(SUBJECTS))
        lengths = rng.integers(*self._lengths, chunks)
        drawn = self._draw(rng, subject, int(lengths.sum()) + 4)
        title, ends = " ".join(drawn[-4:]), np.cumsum(lengths)
        identity = self.document_id(number)
        about = Metadata(
            title=title,
            department=_DEPARTMENTS[number % len(_DEPARTMENTS)],
            document_type=("procedure", "protocol", "folder")[number % 3],
            target_groups=(TargetGroup.CHILD,) if number % 5 == 0 else (),
            language="nl",
        )
        places = zip(ends - lengths, ends, strict=True)
        made = [self._chunk(identity, n, " ".join(drawn[start:end]), about) for n, (start, end) in enumerate(places)]
        return Generated(identity, made, self._near(rng, subject, chunks))

    def _chunk(self, document: str, number: int, text: str, about: Metadata) -> Chunk:
        identity = str(uuid.UUID(int=uuid.UUID(document).int + number + 1))
        return Chunk(
            identity, document, about.title, (number // 4 + 1,), 700 * number, 700 * number + len(text), text, about
        )

    def _running_text(
        self, rng: np.random.Generator, subject: NDArray[np.int64], own: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        common = np.searchsorted(self._common, rng.random(PHRASES))
        rare = subject[np.searchsorted(own, rng.random(PHRASES))]
        return np.where(rng.random(PHRASES) < self._share, common, rare)

    def _draw(self, rng: np.random.Generator, subject: int, count: int, phrase: int = PHRASE) -> list[str]:
        """Phrases of the subject until there are so many words."""
        lengths = rng.geometric(1 / phrase, count)
        starts = (PHRASES * rng.random(count) ** 1.5).astype(np.int64)
        needed = int(np.searchsorted(np.cumsum(lengths), count)) + 1
        places = [
            np.arange(start, start + length) for start, length in zip(starts[:needed], lengths[:needed], strict=True)
        ]
        return [str(word) for word in self._words[self._phrases[subject][np.concatenate(places)[:count] % PHRASES]]]

    def _near(self, rng: np.random.Generator, subject: int, count: int) -> NDArray[np.float32]:
        drawn = _unit(rng.normal(size=(count, self.dim)))
        return _unit(self._centres[subject] + SPREAD * drawn) if self._clustered else drawn


@cache
def _handbook_words() -> Counter[str]:
    found: Counter[str] = Counter()
    for path in sorted((Path(handbook.__file__).parent / "pdf").glob("*.pdf")):
        with pdfium.PdfDocument(path) as document:
            for page in document:
                found.update(words(page.get_textpage().get_text_range()))
    return found


def _cumulative(weights: Sequence[float] | NDArray[np.floating]) -> NDArray[np.float64]:
    total = np.cumsum(np.asarray(weights, np.float64))
    shares: NDArray[np.float64] = total / total[-1]
    return shares


def _favouring(count: int) -> NDArray[np.float64]:
    weights = 1.0 / (np.arange(count) + 1000.0)
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return unit
