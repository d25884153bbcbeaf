"""A reader's weights that have learned nothing."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from rag_api.readers.network import PLACES, Sizes

SIZES = Sizes(heads=2, width=8, token=8, inner=16, told=8, joined=16)


def weights(encoder: str, seed: int = 0, places: int = PLACES) -> bytes:
    """Of one network that has learned nothing, for the encoder's lowest layer."""
    chance, s = np.random.default_rng(seed), SIZES
    shapes = {
        "compare.weight": (s.heads * s.width, s.hidden),
        "token.weight": (s.token, s.hidden),
        "token.bias": (s.token,),
        "found.weight": (s.inner, places * (s.heads + 1)),
        "found.bias": (s.inner,),
        "own.weight": (s.inner, s.token + 1),
        "told.weight": (s.told, s.inner),
        "told.bias": (s.told,),
        "weight.weight": (1, s.hidden),
        "weight.bias": (1,),
        "asked.weight": (s.told, s.hidden),
        "asked.bias": (s.told,),
        "said.weight": (s.told, s.hidden),
        "said.bias": (s.told,),
        "joined.weight": (s.joined, 5 * s.told),
        "joined.bias": (s.joined,),
        "out.weight": (2, s.joined),
        "out.bias": (2,),
        "mean": (s.hidden,),
    }
    arrays = {name: chance.normal(0, 0.1, shape).astype(np.float16) for name, shape in shapes.items()}
    file = io.BytesIO()
    about: dict[str, Any] = {"encoder": np.array(encoder), "layers": np.array(1), "scale": np.ones(1, np.float16)}
    np.savez(file, **about, **arrays)  # type: ignore[arg-type]
    return file.getvalue()
