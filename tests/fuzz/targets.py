"""Targets of the fuzzer: bytes -> a call of ours, and what must hold of its result."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rag_api.domain import ReadDocument
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.kinds import Kind
from rag_api.ingest.readers.read import read
from tests.fuzz import chunking, files, protocol, trees

PAGES = 20


@dataclass(frozen=True)
class Target:
    run: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]
    words: tuple[bytes, ...] = ()  # that belong to the format
    change: trees.Change | None = None  # that leaves it well formed


def read_pdf(data: bytes) -> None:
    _read(files.pdf_of(data), Kind.PDF, "f.pdf")


def read_docx(data: bytes) -> None:
    _read(files.docx_of(data), Kind.DOCX, "f.docx")


def _read(content: bytes, kind: str, name: str) -> None:
    """As a reader's process does, which gives every exception for the file's fault: here one of our
    own lines is ours."""
    with tempfile.NamedTemporaryFile(suffix=Path(name).suffix) as file:
        Path(file.name).write_bytes(content)
        try:
            check(read(Path(file.name), name, kind, PAGES))
        except UnreadableDocument:
            pass
        except (MemoryError, RecursionError):
            raise
        except Exception as error:
            if files.is_ours(error):
                raise


def check(document: ReadDocument) -> None:
    text = document.text
    at = 0
    for page in document.pages:
        assert page.start == at, (page.number, page.start, at)
        assert len(page.boxes) == len(page.text)
        at += len(page.text)
    assert all(0 <= start < end <= len(text) for start, end in document.uncertain), document.uncertain
    chunking.check(document.pages, document.blocks, document.metadata)


TARGETS = {
    "pdf": Target(read_pdf, files.pdf_seeds, files.PDF_WORDS),
    "docx": Target(read_docx, files.docx_seeds, files.DOCX_WORDS, trees.change_xml),
    "chunking": Target(chunking.run, chunking.seeds, chunking.WORDS),
    "sse": Target(protocol.read_stream, protocol.stream_seeds, protocol.STREAM_WORDS, trees.change_stream),
    "wire": Target(protocol.read_model, protocol.model_seeds, protocol.MODEL_WORDS, trees.change_json),
}
