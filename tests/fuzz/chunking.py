"""Texts -> blocks, sentences and chunks: every place must hold, and no word may be missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import atheris

from rag_api.domain import Block, Metadata, Page
from rag_api.ingest.common.boxed_text import no_boxes
from rag_api.ingest.common.chunk import chunk
from rag_api.text.bm25_analyzer import document_terms
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.sentence_splitter import sentences_of

WORDS = tuple(
    "\n|\n\n|\t|1. |a) |- |• |o |mg. |bijv. |Let op: |¹|½|\u00ad|\u200b|\u2028|\x0b|\x0c|\u0301|İ|ﬁ| | |0,5 "
    "mg/kg|http://|1.2.3".encode().split(b"|")
)


def run(data: bytes) -> None:
    drawn = atheris.FuzzedDataProvider(data)
    size, share, count = drawn.ConsumeIntInRange(1, 1200), drawn.ConsumeIntInRange(0, 90), drawn.ConsumeIntInRange(1, 4)
    texts = [drawn.ConsumeBytes(drawn.ConsumeIntInRange(0, 3000)).decode("utf-8", "replace") for _ in range(count)]
    pages, at = [], 0
    for number, text in enumerate(texts, 1):
        pages.append(Page(number, 595, 842, 0, at, text, no_boxes(len(text))))
        at += len(text)
    check(pages, (), Metadata(title="f"), size, size * share // 100)


def seeds() -> Iterator[bytes]:
    """What is drawn last stands last: numbers are taken from the end."""
    text = "Kalium\n\nGeef 15 mg/kg, bijv. 3 dd. Let op: niet bij nierfalen.\n1. Spoel.\n2. Wacht 5 min.\n"
    yield f"{text}a) eerst\nLeeftijd\tDosis\n0-1\t2,5 mg\n".encode() + b"\x03\x0a\x01\x00"
    yield "\u2022 één\n\u2022 twee\n\nZie http://linden.example/a.\n".encode() * 20 + b"\xff\x00\x20\x01"


def check(
    pages: Sequence[Page], blocks: Sequence[Block], metadata: Metadata, size: int = 800, overlap: int = 160
) -> None:
    text = "".join(page.text for page in pages)
    numbers = {page.number for page in pages}
    chunks = chunk("d" * 32, metadata, pages, size, overlap, blocks=blocks)
    covered = bytearray(len(text))
    for one in chunks:
        assert one.text == text[one.start : one.end] != "", (one.start, one.end)
        assert one.pages, (one.start, one.end)
        assert set(one.pages) <= numbers, one.pages
        covered[one.start : one.end] = b"\1" * (one.end - one.start)
        document_terms(one.text)
    assert all(there or text[at].isspace() for at, there in enumerate(covered)), "a word is in no chunk"
    assert all(one.start < two.start for one, two in pairwise(chunks))
    sentences = sentences_of(text, 0, len(text))
    assert [start for start, _ in sentences[1:]] == [end for _, end in sentences[:-1]]
    for found in quotable(text, blocks or None):
        assert 0 <= found.start < found.end <= len(text), (found.start, found.end)
