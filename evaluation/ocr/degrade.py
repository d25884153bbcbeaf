"""A page as a scanner, a copier or a fax would give it. Made by code from seeds: the same page is
always made the same way."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray
from PIL import Image

Grey = NDArray[np.uint8]  # [height, width]
Affine = NDArray[np.float64]  # [2, 3]


@dataclass(frozen=True, slots=True)
class ScanKind:
    name: str
    dpi: int
    quality: int  # of JPEG; 0: black and white, without losses
    skew: float = 0.0  # degrees, either way
    quarters: int = 0  # turns
    blur: float = 0.0  # pixels
    contrast: float = 1.0
    specks: float = 0.0  # share of the pixels
    stamps: int = 0
    bilevel: bool = False


KINDS = (
    ScanKind("300 dpi", 300, 85),
    ScanKind("200 dpi, a little skewed", 200, 60, skew=0.8),
    ScanKind("150 dpi, poor JPEG", 150, 30, skew=0.5, blur=0.6),
    ScanKind("crooked", 200, 60, skew=3.5),
    ScanKind("stamped", 200, 60, skew=0.5, stamps=3),
    ScanKind("fax", 200, 0, skew=0.4, specks=0.004, blur=0.7, bilevel=True),
    ScanKind("copy of a copy", 200, 50, skew=1.2, blur=1.1, contrast=0.55, specks=0.002),
    ScanKind("on its side or upside down", 200, 60, skew=0.5, quarters=1),
)
_STAMPS = ("KOPIE", "ONTVANGEN 12/03/2024", "VERVALLEN", "Dr. Janssens", "COPY 3", "Gezien 08-11")


@dataclass(frozen=True, slots=True, eq=False)
class Degraded:
    grey: Grey
    dpi: int
    moved: Affine  # from the page's own space to that of the scan, in points


def degrade(page: pdfium.PdfPage, kind: ScanKind, seed: Sequence[int]) -> Degraded:
    rng = np.random.default_rng(seed)
    scale = kind.dpi / 72
    grey = page.render(scale=scale, grayscale=True).to_numpy()
    grey = np.ascontiguousarray(grey.reshape(grey.shape[:2]))
    for _ in range(kind.stamps):
        _stamp(grey, rng)
    grey, matrix = _turned(
        grey, rng.uniform(0.5, 1) * kind.skew * rng.choice([-1, 1]), kind.quarters * int(rng.integers(1, 4))
    )
    if kind.blur:
        grey = np.asarray(cv2.GaussianBlur(grey, (0, 0), kind.blur), np.uint8)
    if kind.contrast < 1:
        shade = np.linspace(0, 25, grey.shape[1])[None, :] + rng.normal(0, 6, grey.shape)
        grey = np.clip(235 - (255 - grey.astype(np.float32)) * kind.contrast - shade, 0, 255).astype(np.uint8)
    if kind.specks:
        grey[rng.random(grey.shape) < kind.specks] = 0
        grey[rng.random(grey.shape) < kind.specks] = 255
    if kind.bilevel:
        grey = np.where(grey < 140 + rng.normal(0, 18, grey.shape), 0, 255).astype(np.uint8)
    moved = matrix.copy()
    moved[:, 2] /= scale
    return Degraded(grey, kind.dpi, moved)


def _turned(grey: Grey, skew: float, quarters: int) -> tuple[Grey, Affine]:
    height, width = grey.shape
    matrix = np.asarray(cv2.getRotationMatrix2D((width / 2, height / 2), skew, 1.0), np.float64)
    if skew:
        grey = np.asarray(
            cv2.warpAffine(grey, matrix, (width, height), flags=cv2.INTER_LINEAR, borderValue=(255,)), np.uint8
        )
    for _ in range(quarters % 4):  # counterclockwise
        matrix = np.array([[0, 1, 0], [-1, 0, grey.shape[1]]], np.float64) @ np.vstack([matrix, [0, 0, 1]])
        grey = np.ascontiguousarray(np.rot90(grey))
    return grey, matrix


def _stamp(grey: Grey, rng: np.random.Generator) -> None:
    """Grey letters in a frame, slanted or level, anywhere."""
    height, width = grey.shape
    text = str(rng.choice(_STAMPS))
    size = height / 1100 * float(rng.uniform(0.8, 1.6))
    (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, size, 2)
    side = wide + 40
    sheet = np.full((side, side), 255, np.uint8)
    cv2.putText(sheet, text, (20, side // 2 + high // 2), cv2.FONT_HERSHEY_DUPLEX, size, (90,), 2, cv2.LINE_AA)
    cv2.rectangle(sheet, (8, side // 2 - high), (side - 8, side // 2 + high), (90,), 2)
    turn = cv2.getRotationMatrix2D((side / 2, side / 2), float(rng.choice([0.0, 12.0, 25.0, -18.0])), 1.0)
    sheet = np.asarray(cv2.warpAffine(sheet, turn, (side, side), borderValue=(255,)), np.uint8)
    x, y = int(rng.uniform(0, max(1, width - side))), int(rng.uniform(0, max(1, height - side)))
    part = grey[y : y + side, x : x + side]
    np.minimum(part, sheet[: part.shape[0], : part.shape[1]], out=part)


def as_pdf(pages: Sequence[tuple[Degraded, ScanKind]]) -> bytes:
    """A PDF of nothing but these pictures."""
    document = pdfium.PdfDocument.new()
    for scan, kind in pages:
        one = io.BytesIO()
        image = Image.fromarray(scan.grey).convert("1") if kind.bilevel else Image.fromarray(scan.grey)
        image.save(one, "PDF", resolution=scan.dpi, **({} if kind.bilevel else {"quality": kind.quality}))
        with pdfium.PdfDocument(one.getvalue()) as single:
            document.import_pages(single)
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()
