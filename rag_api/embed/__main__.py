"""Measure an embedder's language directions and keep them: python -m rag_api.embed e5-small"""

from __future__ import annotations

import sys

import numpy as np

from rag_api.embed import EMBEDDERS
from rag_api.embed.neutral import FOLDER, measure

embedder = EMBEDDERS[sys.argv[1]]()
np.save(FOLDER / f"{embedder.name}.npy", measure(embedder))
