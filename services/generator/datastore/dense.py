"""A dense datastore: what followed each token of some texts, found by the target's hidden state
there (DReSD, section 3).

States are z-scored, reduced by principal components and set to length one (sections 3.2 to 3.4).
Entries stand sorted by the token that follows, so the paper's filter by the next token is a slice,
and the nearest of the slice are found exactly. Read from memory-mapped files. Whatever stands in it
can be drafted for everyone's answers: it must hold only what all who ask may read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Seq
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from services.generator.errors import ModelError
from services.generator.models import StepInput, Target

FORMAT = 1
MANIFEST = "dense.json"
ARRAYS = {"tokens": np.int32, "places": np.int32, "starts": np.int64, "keys": np.float32, "probe": np.float32}
PROJECTION = {"mean": np.float32, "scale": np.float32, "components": np.float32}
BETWEEN = -1  # stands between two texts: no draft goes over it
DIMENSIONS = 64  # of a key (the paper's table 2)
SAMPLE = 1_000_000  # states that the projection is fitted on (section 3.2)
# embeddings that tell one model from another, and their least cosine in different number formats
PROBED, ALIKE = 64, 0.99
EPSILON = 1e-6


class BadDenseDatastore(ModelError):
    """A dense datastore that cannot be used; the message names the folder and the reason."""


@dataclass(frozen=True, slots=True)
class Projection:
    mean: NDArray[np.float32]  # [h]
    scale: NDArray[np.float32]  # [h]: one over the standard deviation
    components: NDArray[np.float32]  # [h, d]

    def keys(self, states: NDArray[np.float32]) -> NDArray[np.float32]:
        """Turn [n, h] into keys [n, d] of length one."""
        reduced = ((states - self.mean) * self.scale) @ self.components
        unit: NDArray[np.float32] = reduced / np.maximum(np.linalg.norm(reduced, axis=-1, keepdims=True), EPSILON)
        return unit


@dataclass(frozen=True, slots=True)
class DenseDatastore:
    """`places[starts[t]:starts[t + 1]]`: where token t stands in `tokens`; `keys` in the same
    order: of the state just before it."""

    tokens: NDArray[np.int32]
    places: NDArray[np.int32]  # [entries]
    starts: NDArray[np.int64]  # [vocabulary + 1]
    keys: NDArray[np.float32]  # [entries, d]
    probe: NDArray[np.float32]  # [PROBED, h]: some of the model's embeddings
    projection: Projection

    def nearest(self, token: int, state: NDArray[np.float32], count: int) -> list[tuple[int, float]]:
        """Return the places of `token` whose state was most like [h] `state`, the likest first,
        with the cosine."""
        first, end = int(self.starts[token]), int(self.starts[token + 1])
        if first == end:
            return []
        cosines = self.keys[first:end] @ self.projection.keys(state[None])[0]
        best = np.argpartition(cosines, -count)[-count:] if count < end - first else np.arange(end - first)
        best = best[np.argsort(-cosines[best], kind="stable")]
        return [(int(self.places[first + place]), float(cosines[place])) for place in best]

    def following(self, place: int, count: int) -> list[int]:
        """Return at most `count` tokens behind a place, up to the end of its text."""
        found: list[int] = self.tokens[place + 1 : place + 1 + count].tolist()
        return found[: found.index(BETWEEN)] if BETWEEN in found else found


def build(target: Target, texts: Iterable[tuple[Seq[int], int]]) -> DenseDatastore:
    """Make a datastore of texts (their tokens, and the first token that may be drafted). Raises
    BadDenseDatastore without any."""
    kept: list[NDArray[np.int32]] = []
    states: list[NDArray[np.float16]] = []
    for tokens, first in texts:
        first = max(first, 1)
        if len(tokens) > first:
            states.append(hidden_states(target, tokens)[first - 1 : -1].astype(np.float16))
            kept.append(np.array([*tokens[first:], BETWEEN], np.int32))
    if not kept:
        raise BadDenseDatastore("no text to build a dense datastore from")
    together = np.concatenate(kept)
    projection = fit(states)
    places = np.flatnonzero(together != BETWEEN).astype(np.int32)
    order = np.argsort(together[places], kind="stable")
    starts = np.searchsorted(together[places][order], np.arange(target.config.vocab_size + 1)).astype(np.int64)
    keys = np.concatenate([projection.keys(state.astype(np.float32)) for state in states])[order]
    return DenseDatastore(together, places[order], starts, keys, probe_of(target), projection)


def fit(states: Seq[NDArray[np.float16]]) -> Projection:
    """Fit z-scores and principal components on [n, h] states, evenly taken where there are more
    than SAMPLE."""
    every = max(1, sum(map(len, states)) // SAMPLE)
    sample = np.concatenate([state[::every] for state in states]).astype(np.float32)
    mean, scale = sample.mean(0), 1 / np.sqrt(sample.var(0) + EPSILON)
    scored = (sample - mean) * scale
    _, vectors = np.linalg.eigh(scored.T @ scored / len(scored))
    components = np.ascontiguousarray(vectors[:, ::-1][:, :DIMENSIONS]).astype(np.float32)
    return Projection(mean, scale, components)


@torch.inference_mode()
def hidden_states(target: Target, tokens: Seq[int]) -> NDArray[np.float32]:
    """Return [n, h]: the target's state after each token, behind the last norm."""
    cache, found = target.new_cache(1, len(tokens)), []
    for start, part in _chunks(tokens):
        ids = torch.tensor(part)[None]
        positions = torch.arange(start, start + len(part))[None]
        step = StepInput(ids, positions, (0,), (start,), (len(part),), None, logits_from=len(part), features=True)
        hidden = target.forward(step, cache).hidden
        assert hidden is not None
        found.append(hidden[0].float().cpu().numpy())
    return np.concatenate(found)


def _chunks(tokens: Seq[int], size: int = 512) -> Iterator[tuple[int, Seq[int]]]:
    for start in range(0, len(tokens), size):
        yield start, tokens[start : start + size]


def probe_of(target: Target) -> NDArray[np.float32]:
    tokens = torch.arange(min(PROBED, target.config.vocab_size), device=target.device)
    return target.embed(tokens).float().cpu().numpy()


def write(folder: Path, store: DenseDatastore) -> None:
    """Write the arrays, then the manifest: a folder without one is none."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    for name in ARRAYS:
        np.save(folder / f"{name}.npy", getattr(store, name))
    for name, array in asdict(store.projection).items():
        np.save(folder / f"{name}.npy", array)
    said = {
        "format": FORMAT,
        "entries": len(store.places),
        "hidden": store.probe.shape[1],
        "vocabulary": len(store.starts) - 1,
    }
    (folder / MANIFEST).write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def read(folder: Path, target: Target) -> DenseDatastore:
    """Map a datastore into memory. Raises BadDenseDatastore on one that is not whole, or was built
    for another model."""
    try:
        said: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        found = {
            name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in (*ARRAYS, *PROJECTION)
        }
    except (OSError, ValueError) as error:
        raise BadDenseDatastore(f"{folder}: no dense datastore that can be read ({error})") from error
    if said.get("format") != FORMAT:
        raise BadDenseDatastore(
            f"{folder}: of format {said.get('format')}; this version reads {FORMAT}: build it again"
        )
    if (said.get("hidden"), said.get("vocabulary")) != (target.config.hidden_size, target.config.vocab_size):
        raise BadDenseDatastore(f"{folder}: built for a model of another size: build it again with this one")
    entries, wanted = said.get("entries"), ARRAYS | PROJECTION
    if (
        any(found[name].dtype != kind for name, kind in wanted.items())
        or not len(found["places"]) == len(found["keys"]) == entries
    ):
        raise BadDenseDatastore(f"{folder}: its files do not belong together")
    if not _same_model(found["probe"], probe_of(target)):
        raise BadDenseDatastore(
            f"{folder}: built for another model: its states mean nothing to this one; build it again"
        )
    projection = Projection(*(np.array(found.pop(name)) for name in PROJECTION))
    return DenseDatastore(**found, projection=projection)


def _same_model(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    if one.shape != other.shape:
        return False
    norms = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    return bool((np.sum(one * other, axis=-1) >= ALIKE * norms).all())
