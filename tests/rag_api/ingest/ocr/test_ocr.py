"""Pages that are pictures: read with places, and what is in doubt is known. Real readers on small
pages; docs/evaluation.md has figures."""

from __future__ import annotations

import io
import socket
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest
from numpy.typing import NDArray
from PIL import Image
from reportlab.lib.utils import ImageReader

from evaluation.ocr.degrade import ScanKind
from rag_api.config import Settings
from rag_api.domain import Page, ReadDocument
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.job import Job
from rag_api.ingest.ocr import second
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.readers.read import PDF, read
from rag_api.ingest.readers.scanned import Ocr
from rag_api.ingest.sandbox.reader_process import ReaderProcess
from rag_api.ingest.sources.repository import MemoryDocuments
from rag_api.ingest.sources.sources import find_sources
from rag_api.stores.memory import MemoryStore
from tests.rag_api.ingest.kept import Embedder
from tests.rag_api.made_files.pdfs import both, pdf, write
from tests.rag_api.made_files.scans import DOSE, HALF, page_of, scanned


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("reading an image reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refused)


def read_scan(folder: Path, content: bytes, seconds: float = 300.0, alone: bool = False) -> ReadDocument:
    path = write(folder, "scan.pdf", content)
    return read(path, "scan.pdf", PDF, 100, ocr=Ocr(seconds, alone=alone))


def box_of(page: Page, words: str) -> NDArray[np.float32]:
    at = page.text.index(words)
    boxes = page.boxes[at : at + len(words)]
    boxes = boxes[~np.isnan(boxes).any(axis=1)]
    return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])


def ink_at(content: bytes, box: NDArray[np.float32]) -> tuple[float, float]:
    """(how dark the page is inside the box, and in a frame around it)"""
    with pdfium.PdfDocument(content) as document:
        grey = document[0].render(scale=2, grayscale=True).to_numpy()
    grey = grey.reshape(grey.shape[:2])
    x0, y0, x1, y1 = (2 * box).round().astype(int)
    wide = grey[max(0, y0 - 6) : y1 + 6, max(0, x0 - 6) : x1 + 6].astype(float)
    inside = grey[y0:y1, x0:x1].astype(float)
    around = (255 * wide.size - wide.sum() - (255 * inside.size - inside.sum())) / max(1, wide.size - inside.size)
    return 255 - float(inside.mean()), around


@pytest.mark.parametrize(
    "kind",
    [
        ScanKind("straight", 200, 85),
        ScanKind("skewed", 200, 70, skew=4.0),
        ScanKind("turned left", 150, 80, quarters=1),
        ScanKind("fax", 200, 0, specks=0.002, bilevel=True),
    ],
    ids=lambda kind: kind.name,
)
def test_a_scanned_page_is_read_with_places_on_its_words(kind: ScanKind, tmp_path: Path) -> None:
    content = scanned(page_of(*DOSE), kind=kind)
    document = read_scan(tmp_path, content)
    assert document.text.split() == " ".join(DOSE).split()
    assert document.pages[0].text_from == "ocr"
    assert document.warnings[0].startswith("page 1: read from an image")
    inside, around = ink_at(content, box_of(document.pages[0], "15 mg/kg"))
    assert inside > 20
    assert around < inside / 2


def test_a_page_upside_down_is_read(tmp_path: Path) -> None:
    document = read_scan(tmp_path, scanned(page_of(*DOSE), then=lambda grey: np.ascontiguousarray(grey[::-1, ::-1])))
    assert document.text.split() == " ".join(DOSE).split()
    assert box_of(document.pages[0], "Paracetamol")[3] > box_of(document.pages[0], "Wacht")[3]


def test_a_digit_that_cannot_be_made_out_is_in_doubt_and_the_rest_is_not(tmp_path: Path) -> None:
    def blotted(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Over the lower half of the 8, that stands 60 points from the top."""
        scale = grey.shape[0] / HALF[1]
        x, y = 40 + 14 * 2.56, 60
        grey[int((y - 6) * scale) : int((y + 1) * scale), int(x * scale) : int((x + 8) * scale)] = 120
        return grey

    document = read_scan(
        tmp_path, scanned(page_of("Geef 8 mg morfine.", "Bewaar de ampullen achter slot."), then=blotted)
    )
    in_doubt = [document.text[start:end].strip() for start, end in document.uncertain]
    assert len(in_doubt) == 1
    assert in_doubt[0].startswith("Geef")
    assert "ampullen" not in in_doubt[0]


def test_a_scanned_page_between_others_is_read_and_a_stamp_on_a_page_of_text_is_left_alone(tmp_path: Path) -> None:
    stamp = io.BytesIO()
    with pdfium.PdfDocument(scanned(page_of("ONTVANGEN"))) as made:
        made[0].render(scale=1).to_pil().save(stamp, "PNG")

    def with_stamp(canvas: object) -> None:
        canvas.drawImage(ImageReader(stamp), 240, 20, 120, 80)  # type: ignore[attr-defined]

    whole = pdfium.PdfDocument.new()
    for content in (
        pdf(page_of(*DOSE), size=HALF),
        scanned(page_of(*DOSE)),
        pdf(both(page_of(*DOSE), with_stamp), size=HALF),
    ):
        with pdfium.PdfDocument(content) as part:
            whole.import_pages(part)
    out = io.BytesIO()
    whole.save(out)
    document = read_scan(tmp_path, out.getvalue())
    assert [page.text_from for page in document.pages] == ["pdf", "ocr", "pdf"]
    assert [page.text.split() for page in document.pages] == [" ".join(DOSE).split()] * 3


def test_what_another_program_read_of_a_scan_is_not_believed(tmp_path: Path) -> None:
    """An invisible layer of words with a wrong dose below a picture of the right one."""
    picture = io.BytesIO()
    with pdfium.PdfDocument(pdf(page_of(*DOSE), size=HALF)) as made:
        made[0].render(scale=3).to_pil().save(picture, "PNG")

    def layered(canvas: object) -> None:
        canvas.drawImage(ImageReader(picture), 0, 0, *HALF)  # type: ignore[attr-defined]
        for n, text in enumerate(DOSE):
            words = canvas.beginText(40, 240 - 30 * n)  # type: ignore[attr-defined]
            words.setTextRenderMode(3)
            words.setFont("Helvetica", 14)
            words.textLine(text.replace("15 mg", "75 mg"))
            canvas.drawText(words)  # type: ignore[attr-defined]

    content = pdf(layered, size=HALF)
    assert "15 mg/kg" in read_scan(tmp_path, content).text
    # where images are not read
    assert "75 mg/kg" in read(write(tmp_path, "scan.pdf", content), "scan.pdf", PDF, 10).text


def picture_page(image: Image.Image, size: tuple[float, float]) -> bytes:
    return pdf(lambda canvas: canvas.drawImage(ImageReader(image), 0, 0, *size), size=size)


@pytest.mark.parametrize(
    "content",
    [
        picture_page(Image.new("RGB", (1, 1), "black"), (400, 400)),
        picture_page(Image.new("L", (40, 40), 90), (1, 1)),
        picture_page(Image.effect_noise((300, 300), 90), (14_000, 14_000)),
    ],
    ids=["a picture of one pixel", "a page of one point", "a page of five metres"],
)
def test_a_picture_without_words_is_named(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument) as error:
        read_scan(tmp_path, content)
    assert error.value.reason == "no_text_layer"


def test_a_broken_picture_costs_only_its_page(tmp_path: Path) -> None:
    stream = io.BytesIO()
    Image.new("L", (200, 200), 90).save(stream, "JPEG")
    image = Image.open(io.BytesIO(stream.getvalue()))
    content = pdf(
        lambda canvas: canvas.drawImage(ImageReader(image), 0, 0, *HALF), page_of(*DOSE), size=HALF, pageCompression=0
    )
    at = content.find(b"/DCTDecode")
    start = content.find(b"stream", at if at > 0 else 0) + 10
    broken = content[:start] + b"\0" * 200 + content[start + 200 :]
    document = read_scan(tmp_path, broken)
    assert "15 mg/kg" in document.text
    assert document.pages[0].text == ""


def test_an_image_that_takes_too_long_is_left_unread_and_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument):
        read_scan(tmp_path, scanned(page_of(*DOSE)), seconds=1e-6)
    content = io.BytesIO()
    whole = pdfium.PdfDocument.new()
    for part in (pdf(page_of(*DOSE), size=HALF), scanned(page_of(*DOSE))):
        with pdfium.PdfDocument(part) as opened:
            whole.import_pages(opened)
    whole.save(content)
    document = read_scan(tmp_path, content.getvalue(), seconds=1e-6)
    assert any("BEDSIDE_OCR_TIMEOUT" in warning and warning.startswith("page 2") for warning in document.warnings)


def test_one_reader_alone_is_said_and_believed_less(tmp_path: Path) -> None:
    content = scanned(page_of(*DOSE), kind=ScanKind("poor", 100, 25, blur=1.0))
    alone = read_scan(tmp_path, content, alone=True)
    assert any("tesseract-ocr-nld" in warning for warning in alone.warnings)


def test_there_is_a_second_reader_where_tesseract_knows_dutch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    second.second_reader.cache_clear()
    assert second.second_reader() is None
    second.second_reader.cache_clear()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", store="memory")


def test_an_ingested_scan_is_reported_with_its_doubts(settings: Settings, tmp_path: Path) -> None:
    """In the reader's own process, which has no network, within its limits of memory."""
    folder = tmp_path / "in"
    write(folder, "scan.pdf", scanned(page_of(*DOSE)))
    repo, told = MemoryDocuments(), []
    report = ingest(
        find_sources([folder]),
        settings=settings,
        documents_repo=repo,
        store=MemoryStore(8),
        embedder=Embedder(),
        progress=lambda at: told.append((at.source, at.step, at.page, at.of)),
        readers=1,
    )
    (item,) = report.items
    assert (item.outcome, item.from_images, report.from_images) == ("indexed", 1, 1)
    assert ("scan.pdf", "reading", 1, 1) in told
    (document,) = repo.current().values()
    assert repo.pages(document.id)[0].text.split() == " ".join(DOSE).split()
    assert item.uncertain == len(repo.read[document.id].uncertain)


def test_switched_off_no_image_is_read(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    write(folder, "scan.pdf", scanned(page_of(*DOSE)))
    off = settings.model_copy(update={"ocr": "off"})
    report = ingest(
        find_sources([folder]),
        settings=off,
        documents_repo=MemoryDocuments(),
        store=MemoryStore(8),
        embedder=Embedder(),
        readers=1,
    )
    assert [(item.outcome, item.reason) for item in report.items] == [("failed", "no_text_layer")]


def test_an_image_that_needs_more_memory_than_there_is_fails_by_name(tmp_path: Path) -> None:
    path = write(tmp_path, "scan.pdf", scanned(page_of(*DOSE)))
    with ReaderProcess(timeout=300, memory_mb=60) as reader, pytest.raises(UnreadableDocument) as error:
        reader.read(Job(path, "scan.pdf", PDF, 10, ocr_seconds=60))
    assert error.value.reason in ("too_much_memory", "no_text_layer")


def test_a_file_that_leaves_half_of_the_memory_taken_is_the_last_of_its_process(tmp_path: Path) -> None:
    path = write(tmp_path, "scan.pdf", scanned(page_of(*DOSE)))
    with ReaderProcess(timeout=300, memory_mb=1024) as reader:
        reader.read(Job(path, "scan.pdf", PDF, 10, ocr_seconds=60))  # its engine keeps what it had
        assert reader.process_id is None
    with ReaderProcess(timeout=300, memory_mb=8192) as reader:
        reader.read(Job(path, "scan.pdf", PDF, 10, ocr_seconds=60))
        assert reader.process_id is not None


def test_the_reader_tells_before_each_image(tmp_path: Path) -> None:
    path = write(tmp_path, "scan.pdf", scanned(page_of(*DOSE), page_of("Tweede bladzijde")))
    told: list[tuple[int, int]] = []
    with ReaderProcess(timeout=300, memory_mb=1024) as reader:
        document = reader.read(
            Job(path, "scan.pdf", PDF, 10, ocr_seconds=300), lambda page, of: told.append((page, of))
        )
    assert told == [(1, 2), (2, 2)]
    assert "Tweede bladzijde" in document.text
