"""The transform from a page's points to where they lie when it is displayed."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray


class PagePlane:
    """From PDF user space to page space: crop box, rotation and the flip of y, as PDFium itself
    displays the page."""

    def __init__(self, page: Any) -> None:
        self.width, self.height = float(raw.FPDF_GetPageWidthF(page)), float(raw.FPDF_GetPageHeightF(page))
        self.rotation = int(raw.FPDFPage_GetRotation(page)) % 4 * 90
        fine = 64  # device units per point while asking for the axes
        size = max(1, round(self.width * fine)), max(1, round(self.height * fine))

        def device(x: float, y: float) -> NDArray[np.float64]:
            dx, dy = ctypes.c_int(), ctypes.c_int()
            raw.FPDF_PageToDevice(page, 0, 0, size[0], size[1], 0, x, y, dx, dy)
            return np.array([dx.value, dy.value]) / fine

        origin = device(0, 0)
        # [2, 2] quarter turns
        self.matrix = np.round(np.column_stack([device(1000, 0) - origin, device(0, 1000) - origin]) / 1000)
        self.origin = origin

    def points(self, xy: NDArray[Any]) -> NDArray[np.float64]:
        """[n, 2] user space -> [n, 2] page space."""
        return xy @ self.matrix.T + self.origin

    def boxes(self, lbrt: NDArray[Any]) -> NDArray[np.float32]:
        """[n, 4] left, bottom, right, top in user space -> [n, 4] x0, y0, x1, y1 in page space."""
        one, other = self.points(lbrt[:, 0:2]), self.points(lbrt[:, 2:4])
        return np.hstack([np.minimum(one, other), np.maximum(one, other)]).astype(np.float32)
