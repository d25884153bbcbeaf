"""A document's blocks -> overlapping chunks, across page borders. Thesis, section 3.2.3.

A chunk ends between sentences, items or rows, never below a heading; each is an exact slice of the
document text. What is longer than a chunk by itself is cut where LangChain's
RecursiveCharacterTextSplitter cuts.
"""

from __future__ import annotations

import uuid
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from rag_api.domain import EVERYONE, Block, BlockKind, Chunk, Metadata, Page
from rag_api.text.blocks import blocks_of, headings
from rag_api.text.sentence_splitter import sentences_of

_SEPARATORS = ["\n\n", "\n", ". ", "? ", "! ", "; ", ", ", " ", ""]
_NAMESPACE = uuid.UUID("6d0f7f0e-6a5c-5f0e-9d61-0c5b2c1f5a11")
Offsets = tuple[int, int]


def chunk(
    document_id: str,
    metadata: Metadata,
    pages: Sequence[Page],
    size: int = 800,
    overlap: int = 160,
    groups: tuple[str, ...] = EVERYONE,
    blocks: Sequence[Block] = (),
) -> list[Chunk]:
    """Chunks of about `size` characters in order; together they cover every character that is not
    white space. blocks: of the text; made from its characters when there are none."""
    text = "".join(page.text for page in pages)
    starts = [page.start for page in pages]
    blocks = blocks or blocks_of(text)
    paths = _Paths(text, blocks, metadata.title)
    return [
        Chunk(
            id=chunk_id(document_id, start, end),
            document_id=document_id,
            title=metadata.title,
            pages=_pages(pages, starts, start, end),
            start=start,
            end=end,
            text=text[start:end],
            metadata=metadata,
            groups=groups,
            headings=paths.at(start),
        )
        for start, end in spans(text, size, overlap, blocks)
    ]


def embedding_text(chunk: Chunk) -> str:
    """What is embedded: the title alone gained 0.08 MRR (thesis, section 3.2.4)."""
    return f"Titel: {chunk.title}\nTekst: {chunk.text}"


def chunk_id(document_id: str, start: int, end: int) -> str:
    return str(uuid.uuid5(_NAMESPACE, f"{document_id}:{start}:{end}"))


def spans(text: str, size: int, overlap: int, blocks: Sequence[Block] | None = None) -> list[Offsets]:
    """(start, end) of each chunk: starting at a word, ending after the white space that follows its
    last word."""
    units = list(_units(text, blocks_of(text) if blocks is None else blocks, size))
    found: list[Offsets] = []
    first = 0
    while first < len(units):
        last = first
        while last + 1 < len(units) and _length(text, units[first][0], units[last + 1][1]) <= size:
            last += 1
        found.append((units[first][0], units[last][1]))
        if last + 1 == len(units):
            break
        again = last + 1
        while again - 1 > first and _length(text, units[again - 1][0], units[last][1]) <= overlap:
            again -= 1
        first = again
    return found


def _length(text: str, start: int, end: int) -> int:
    return len(text[start:end].rstrip())


def _units(text: str, blocks: Sequence[Block], size: int) -> Iterator[Offsets]:
    """What is not cut: sentences, items, rows, each with the headings and introduction above it; no
    longer than a chunk."""
    begin: int | None = None
    for start, end, leads in _parts(text, blocks):
        start = start if begin is None else begin
        if leads and _length(text, start, end) < size // 2 and text[end:].strip():
            begin = start
            continue
        begin = None
        places = [(start, end)] if _length(text, start, end) <= size else _pieces(text, start, end, size)
        for a, b in places:
            a += _white(text, a)
            if a < b:
                yield a, b


def _parts(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int, bool]]:
    """(start, end, whether it only leads in what follows); they partition the text."""
    for n, block in enumerate(blocks):
        if block.kind == BlockKind.HEADING:
            yield block.start, block.end, True
        elif block.kind == BlockKind.ROW:
            yield block.start, block.end, block.header
        elif block.kind == BlockKind.ITEM:
            yield block.start, block.end, False
        elif block.kind == BlockKind.PARAGRAPH:
            places = sentences_of(text, block.start, block.end)
            listed = n + 1 < len(blocks) and blocks[n + 1].kind in (BlockKind.LIST, BlockKind.TABLE)
            for start, end in places:
                yield start, end, listed and end == block.end and text[start:end].rstrip().endswith(":")


def _pieces(text: str, start: int, end: int, size: int) -> Iterable[Offsets]:
    """Of what is longer than a chunk."""
    # a second to import: only who chunks waits for it
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size,
        chunk_overlap=0,
        separators=_SEPARATORS,
        keep_separator="end",
        strip_whitespace=True,
        add_start_index=False,
    )
    at = start
    for piece in splitter.split_text(text[start:end]):
        if not piece.strip():  # it stands behind the piece before already
            continue
        found = text.find(piece, at)
        # where text repeats, the place found may be another: nothing between two may be lost
        if text[at:found].strip():
            found, piece = at + _white(text, at), text[at + _white(text, at) : found + len(piece)]
        at = found + len(piece) + _white(text, found + len(piece))
        yield found, at
    if text[at:end].strip():
        yield at, end


def _white(text: str, at: int) -> int:
    """How many characters of white space stand at `at`."""
    end = at
    while end < len(text) and text[end].isspace():
        end += 1
    return end - at


class _Paths:
    """The headings above each place of a text."""

    def __init__(self, text: str, blocks: Sequence[Block], title: str) -> None:
        self.text, self.blocks, self.title = text, blocks, " ".join(title.casefold().split())
        self.starts = [block.start for block in blocks]

    def at(self, position: int) -> tuple[str, ...]:
        """The headings that what begins there stands below, but for the document's title."""
        index = bisect_right(self.starts, position) - 1
        path = [
            " ".join(self.text[self.blocks[at].start : self.blocks[at].end].split())
            for at in headings(self.blocks, index)
        ]
        return tuple(words for words in path if words.casefold() != self.title)


def _pages(pages: Sequence[Page], starts: Sequence[int], start: int, end: int) -> tuple[int, ...]:
    """The numbers of the pages that [start, end) has words on."""
    first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
    touched = [
        page.number
        for page in pages[first : last + 1]
        if page.text[max(0, start - page.start) : max(0, end - page.start)].strip()
    ]
    return tuple(touched) or (pages[first].number,)
