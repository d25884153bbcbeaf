"""A small hospital: a few documents, loaded into the database and the store without ingestion, and
asked about."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.domain import (
    LOCAL_USER,
    Answer,
    AnswerStatus,
    Chunk,
    Document,
    DocumentStatus,
    Indexed,
    Metadata,
    Mode,
    Page,
)
from rag_api.ingest.common.chunk import embedding_text

DOUBTFUL = "§§"
LINE, WIDTH, HEIGHT = 60, 5.0, 12.0  # characters a line; points a character

CHILD = (
    "Paracetamol intraveneus bij kinderen. Geef kinderen van 10 tot 50 kg 15 mg/kg paracetamol per gift. "
    "Wacht ten minste zes uur tussen twee giften. De maximale dosis is 60 mg/kg per dag. "
)
FALL = (
    "After a fall. Do not move the patient before a nurse has examined neck and hips. "
    "Call the rapid response team when the patient is drowsy or vomits. Report every fall in the incident system "
    "within 24 hours. "
)
KITCHEN = (
    "Openingsuren van het restaurant. Het restaurant is open van 11.30 tot 14 uur. Bezoekers betalen aan de kassa. "
)


def boxes(text: str) -> NDArray[np.float32]:
    """[len(text), 4]: a typewriter's page; white space has no box."""
    column, row = np.arange(len(text)) % LINE, np.arange(len(text)) // LINE
    found = np.stack(
        [50 + column * WIDTH, 60 + row * HEIGHT, 50 + (column + 1) * WIDTH, 60 + row * HEIGHT + 10], axis=1
    )
    found[[i for i, c in enumerate(text) if c.isspace()]] = np.nan
    return found.astype(np.float32)


def load(
    container: Container, source: str, *texts: str, status: DocumentStatus = DocumentStatus.INDEXED, **metadata: Any
) -> Document:
    """One page and one chunk for each text; its file is a PDF in name only. A text that holds
    DOUBTFUL was read from an image, and its sentences from there to the next DOUBTFUL are in
    doubt."""
    uncertain, texts, text_from = _in_doubt(texts)
    content = f"%PDF-1.7 {source} {texts}".encode()
    sha256 = hashlib.sha256(content).hexdigest()
    about = Metadata(**({"title": texts[0].split(". ")[0]} | metadata))
    document_id = hashlib.sha256(f"{source}\0{sha256}".encode()).hexdigest()[:32]
    document = Document(
        document_id, source, sha256, "application/pdf", status, "", about, len(texts), len(texts), len(content)
    )
    starts = [sum(map(len, texts[:i])) for i in range(len(texts))]
    pages = [
        Page(n, 595.0, 842.0, 0, start, text, boxes(text), text_from)
        for n, (start, text) in enumerate(zip(starts, texts, strict=True), 1)
    ]
    chunks = [
        Chunk(str(uuid.uuid5(uuid.NAMESPACE_OID, f"{document_id}:{page.start}")), document_id, about.title, (page.number,),
              page.start, page.start + len(page.text), page.text, about)
        for page in pages
    ]  # fmt: skip
    PgDocuments(container.db).save_indexed([Indexed(document, pages, (), uncertain)])
    container.store.replace_document(
        document_id, chunks, container.embedder.passages([embedding_text(c) for c in chunks])
    )
    folder = container.settings.data_dir / "files"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{sha256}.pdf").write_bytes(content)
    return document


def _in_doubt(texts: tuple[str, ...]) -> tuple[list[tuple[int, int]], tuple[str, ...], str]:
    parts = "\0".join(texts).split(DOUBTFUL)
    borders = list(accumulate(map(len, parts)))
    plain = tuple("".join(parts).split("\0"))
    assert len(plain) == 1 or len(parts) == 1, "places in one text only"
    return list(zip(borders[:-1:2], borders[1::2], strict=False)), plain, "ocr" if len(parts) > 1 else "pdf"


def load_hospital(container: Container) -> dict[str, Document]:
    return {
        "child": load(container, "paracetamol-kind.pdf", CHILD, version="3", department="Pediatrie", language="nl"),
        "fall": load(container, "falls.pdf", FALL, version="1.2", language="en"),
        "kitchen": load(container, "restaurant.pdf", KITCHEN, language="nl"),
    }


def empty(container: Container) -> None:
    container.store.delete_documents(list(container.store.document_ids()))
    # to truncate takes a hundred times as long
    for table in ("documents", "conversations", "judged_questions", "owner_questions", "outbox"):
        container.db.run(f"delete from {table}")


def answered(conversation: str, number: int) -> Answer:
    """As the local user asked, in a conversation of their own."""
    return Answer(
        f"{conversation}-{number}", conversation, LOCAL_USER.id, "hoe vaak?", "hoe vaak?", "nl", Mode.VERBATIM, AnswerStatus.ANSWERED,
        "zes uur", (), (), (), "m", "e", "p", {"seconds": 1.0}, datetime.now(UTC),
    )  # fmt: skip
