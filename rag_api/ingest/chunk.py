"""Document text -> overlapping chunks, across page borders. Thesis, section 3.2.3.

Where chunks begin and end is LangChain's RecursiveCharacterTextSplitter's choice; that each is an exact slice of the document
text is ours.
"""

from __future__ import annotations

import uuid
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from rag_api.domain import EVERYONE, Chunk, Metadata, Page

_SEPARATORS = ["\n\n", "\n", ". ", "? ", "! ", "; ", ", ", " ", ""]
_NAMESPACE = uuid.UUID("6d0f7f0e-6a5c-5f0e-9d61-0c5b2c1f5a11")


def chunk(
    document_id: str, metadata: Metadata, pages: Sequence[Page], size: int = 800, overlap: int = 160, groups: tuple[str, ...] = EVERYONE
) -> list[Chunk]:
    """Chunks of about `size` characters in order; together they cover every character that is not white space."""
    text = "".join(page.text for page in pages)
    starts = [page.start for page in pages]
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
        )
        for start, end in spans(text, size, overlap)
    ]


def embedding_text(chunk: Chunk) -> str:
    """What is embedded: the title alone gained 0.08 MRR (thesis, section 3.2.4)."""
    return f"Titel: {chunk.title}\nTekst: {chunk.text}"


def chunk_id(document_id: str, start: int, end: int) -> str:
    return str(uuid.uuid5(_NAMESPACE, f"{document_id}:{start}:{end}"))


def spans(text: str, size: int, overlap: int) -> Iterable[tuple[int, int]]:
    """(start, end) of each chunk: starting at a word, ending after the white space that follows its last word."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # a second to import: only who chunks waits for it

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=overlap, separators=_SEPARATORS, keep_separator="end", strip_whitespace=True, add_start_index=False
    )
    start, end = 0, 0
    for piece in splitter.split_text(text):
        # Pieces come in order and reach back by at most `overlap`. Where text repeats, an equal place before the true one may be
        # found: then nothing between two chunks may be lost.
        found = text.find(piece, max(start, end - overlap))
        if text[end:found].strip():
            found, piece = end + _white(text, end), text[end + _white(text, end) : found + len(piece)]
        start, end = found, found + len(piece) + _white(text, found + len(piece))
        yield start, end
    if rest := text[end:].strip():
        yield text.index(rest, end), len(text)


def _white(text: str, at: int) -> int:
    """How many characters of white space stand at `at`."""
    end = at
    while end < len(text) and text[end].isspace():
        end += 1
    return end - at


def _pages(pages: Sequence[Page], starts: Sequence[int], start: int, end: int) -> tuple[int, ...]:
    """The numbers of the pages that [start, end) has words on."""
    first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
    touched = [page.number for page in pages[first : last + 1] if page.text[max(0, start - page.start) : max(0, end - page.start)].strip()]
    return tuple(touched) or (pages[first].number,)
