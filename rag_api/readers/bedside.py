"""Our own reader: multilingual-e5-small's states and small networks over them (network.py), whose weights lie in reader.npz beside this
(services/reader trains them; several, for their mean is steadier than any of them).

What is computed of a passage is kept, for the most recent ones: a document that is asked about twice is read once.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from rag_api.embed.e5.encoder import E5Encoder
from rag_api.errors import ConfigurationError
from rag_api.readers.network import Array, Network, ReadPassage, ReadQuestion
from rag_api.readers.text import passage_tokens, question_tokens, rarities
from rag_api.retrieval.reader import Judgement, Passage

KEPT = 2000  # passages; some 100 kB each
NOTHING = -30.0  # log-odds that a passage of which nothing may be quoted answers


class BedsideReader:
    """Threads may share it. Raises ConfigurationError when its weights are not there or are for another encoder."""

    def __init__(self, encoder: E5Encoder | None = None, weights: bytes | None = None) -> None:
        encoder = E5Encoder() if encoder is None else encoder
        packed = installed() if weights is None else weights
        arrays = dict(np.load(io.BytesIO(packed), allow_pickle=False))
        if str(arrays.pop("encoder")) != encoder.name:
            raise ConfigurationError(f"the reader's weights are for another encoder than {encoder.name}")
        self.name = f"bedside-reader-{hashlib.sha256(packed).hexdigest()[:12]}"
        self._encoder = encoder
        self._layers = encoder.layers(range(int(arrays.pop("layers"))))
        count = len({name.partition(".")[0] for name in arrays})
        self._networks = [Network(_own(arrays, number)) for number in range(count)]
        self._read = lru_cache(maxsize=KEPT)(self._reading)

    def judge(self, question: str, passages: Sequence[Passage]) -> list[Judgement]:
        if not passages:
            return []
        text = question_tokens(question, self._encoder.tokens)
        states = self._encoder.states_of([text.ids], self._layers)[0]
        rarity = rarities(text, self._encoder)
        asked = [network.question(states, text, rarity) for network in self._networks]
        return [judgement(self._judged(asked, read)) for read in self._encoder.side_by_side(self._read, passages)]

    def close(self) -> None:
        self._read.cache_clear()

    def _reading(self, passage: Passage) -> list[ReadPassage]:
        text = passage_tokens(passage, self._encoder.tokens)
        states = self._encoder.states_of([text.ids], self._layers)[0]
        return [network.passage(states, text) for network in self._networks]

    def _judged(self, asked: Sequence[ReadQuestion], read: Sequence[ReadPassage]) -> Array:
        """The mean of what the networks say."""
        found = [network.judge(question, passage) for network, question, passage in zip(self._networks, asked, read, strict=True)]
        mean: Array = np.mean(found, axis=0)
        return mean


def _own(arrays: Mapping[str, Array], number: int) -> dict[str, Array]:
    return {name.partition(".")[2]: array for name, array in arrays.items() if name.startswith(f"{number}.")}


def judgement(found: Array) -> Judgement:
    """found: [spans, 2], the log-odds against "none of them", and the block's."""
    if not len(found):
        return Judgement(NOTHING, (), ())
    spans = found[:, 0].astype(np.float64)
    answers = float(spans.max() + np.log(np.exp(spans - spans.max()).sum()))
    return Judgement(answers, tuple((spans - answers).tolist()), tuple(found[:, 1].tolist()))


def installed() -> bytes:
    """Return the weights that come with Bedside. Raises ConfigurationError."""
    path = Path(str(files(__package__).joinpath("reader.npz")))
    if not path.exists():
        raise ConfigurationError("BEDSIDE_READER=bedside: this copy of Bedside has no weights of a reader (services/reader trains them)")
    return path.read_bytes()
