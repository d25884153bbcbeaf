"""`python -m tests.faults.embedder`: the embedding service, as in production, on the weights that every test has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import uvicorn
from numpy.typing import NDArray

from rag_api.embed.e5.encoder import E5Encoder
from services.embedder.app import Encode, create_app
from services.embedder.config import Settings

NAME = E5Encoder.name  # its languages' directions, and what the decision was fitted to, are known by this name


def load(settings: Settings) -> Encode:
    encoder = E5Encoder()

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        """The prefixes are in the texts already."""
        return np.array([encoder._vector(text) for text in texts], np.float32)

    return encode


if __name__ == "__main__":
    own = Settings()
    uvicorn.run(create_app(own, load), host=own.host, port=own.port, log_level="warning")
