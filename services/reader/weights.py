"""A trained network -> the file of weights that Bedside reads with (rag_api/readers/bedside.py)."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray


def pack(encoder: str, layers: int, network: Mapping[str, NDArray[np.float32]]) -> bytes:
    """Return it in half precision, with the encoder and how many of its layers it was trained on."""
    arrays: dict[str, NDArray[np.generic]] = {"encoder": np.array(encoder), "layers": np.array(layers)}
    arrays |= {name: array.astype(np.float16) for name, array in network.items()}
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()
