"""Our own reader: multilingual-e5-small's states and a small network over them (network.py), whose weights, reader.npz,
services/reader trains.

The encoder's states of passages are kept, of the most recent ones: what is asked about twice is encoded once.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from rag_api.embed.e5.encoder import E5Encoder
from rag_api.errors import ConfigurationError
from rag_api.readers.network import Array, Network, ReadPassage
from rag_api.readers.text import passage_tokens, question_tokens, rarities
from rag_api.retrieval.reader import Judgement, Passage

WEIGHTS = "reader.npz"
KEPT = 500  # passages, whose states take some 150 kB each
NOTHING = -30.0  # log-odds that a passage of which nothing may be quoted answers


class BedsideReader:
    """Threads may share it. Raises ConfigurationError when its weights are not there or are for another encoder."""

    def __init__(self, encoder: E5Encoder | None = None, *, weights: bytes) -> None:
        encoder = E5Encoder() if encoder is None else encoder
        arrays = _arrays(weights)
        if str(arrays.pop("encoder")) != encoder.name:
            raise ConfigurationError(f"the reader's weights are for another encoder than {encoder.name}")
        self.name = f"bedside-reader-{hashlib.sha256(weights).hexdigest()[:12]}"
        self.encoder = encoder
        self._layers = encoder.layers(range(int(arrays.pop("layers"))))
        self._network = _network(arrays)
        self._states = lru_cache(maxsize=KEPT)(self._computed)

    def judge(self, question: str, passages: Sequence[Passage]) -> list[Judgement]:
        if not passages:
            return []
        text = question_tokens(question, self.encoder.tokens)
        states = self.encoder.states_of([text.ids], self._layers)[0]
        asked = self._network.question(states, text, rarities(text, self.encoder))
        read = self.encoder.side_by_side(self._reading, passages)
        return [judgement(self._network.judge(asked, own)[_places(passage)]) for passage, own in zip(passages, read, strict=True)]

    def close(self) -> None:
        self._states.cache_clear()

    def _reading(self, passage: Passage) -> ReadPassage:
        """Its spans in the order in which they stand: what stands beside one tells."""
        text = passage_tokens(replace(passage, spans=tuple(sorted(passage.spans))), self.encoder.tokens)
        return self._network.passage(self._states(text.ids).astype(np.float32), text)

    def _computed(self, ids: tuple[int, ...]) -> NDArray[np.float16]:
        return self.encoder.states_of([ids], self._layers)[0].astype(np.float16)


def _arrays(weights: bytes) -> dict[str, Any]:
    try:
        arrays = dict(np.load(io.BytesIO(weights), allow_pickle=False))
        return {"encoder": arrays.pop("encoder"), "layers": arrays.pop("layers"), **arrays}
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
        raise ConfigurationError(f"{WEIGHTS} does not hold a reader's weights ({error})") from error


def _network(arrays: Mapping[str, Array]) -> Network:
    try:
        return Network(arrays)
    except (KeyError, ValueError) as error:
        raise ConfigurationError(f"{WEIGHTS} is of an earlier version of Bedside: train it again ({error})") from error


def _places(passage: Passage) -> list[int]:
    """Return where each span stands among them sorted."""
    order = sorted(range(len(passage.spans)), key=passage.spans.__getitem__)
    return [at for _, at in sorted(zip(order, range(len(order)), strict=True))]


def judgement(found: Array) -> Judgement:
    """found: [spans, 2], the log-odds against "none of them", and the block's."""
    if not len(found):
        return Judgement(NOTHING, (), ())
    spans = found[:, 0].astype(np.float64)
    answers = float(spans.max() + np.log(np.exp(spans - spans.max()).sum()))
    return Judgement(answers, tuple((spans - answers).tolist()), tuple(found[:, 1].tolist()))


def weights_in(data_dir: Path) -> bytes:
    """Return what a hospital trained itself, reader.npz in its data directory, else what comes with Bedside. Raises ConfigurationError."""
    for path in (data_dir / WEIGHTS, Path(str(files(__package__).joinpath(WEIGHTS)))):
        if path.exists():
            return path.read_bytes()
    raise ConfigurationError(
        f"BEDSIDE_READER=bedside needs {data_dir / WEIGHTS}, which `python -m services.reader.train` makes: none comes with Bedside, "
        "since it did not pass the test for it (docs/evaluation.md)"
    )
