"""The reader's network over states of question and passage, in numpy: services/reader/model.py, which trains it, says what it does.

It is small (160,000 weights): the encoder below it costs a hundred times as much. What concerns a passage alone is computed once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_api.readers.text import BEGIN, END, Tokenized, leads, segments

Array = NDArray[np.float32]
PLACES = 5  # where a question's token is looked for: the span, beside it, what it stands below, title and heading, anywhere


@dataclass(frozen=True, slots=True)
class Sizes:
    hidden: int = 384  # of the encoder's states
    heads: int = 4
    width: int = 32  # of a head
    token: int = 32  # of what is told of a question's token itself
    inner: int = 96
    told: int = 64
    joined: int = 128


@dataclass(frozen=True, slots=True, eq=False)
class ReadQuestion:
    ids: NDArray[np.int64]
    compared: Array  # [heads, tokens, width]
    own: Array  # [tokens, inner]
    weight: Array  # [tokens], sums to 1
    asked: Array  # [told]


@dataclass(frozen=True, slots=True, eq=False)
class ReadPassage:
    ids: NDArray[np.int64]
    compared: Array  # [heads, tokens, width]
    places: tuple[NDArray[np.intp], ...]  # the tokens of each segment (text.py)
    leads: tuple[int, ...]  # the segment that each span stands below
    said: Array  # [spans, told]


class Network:
    """Threads may share it. Raises KeyError or ValueError when arrays are missing or do not fit together."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
        told, self._heads = len(self._arrays["told.bias"]), self._arrays["found.weight"].shape[1] // PLACES - 1
        self.hidden = len(self._arrays["mean"])
        self._width = len(self._arrays["compare.weight"]) // self._heads
        known = self._arrays["joined.weight"].shape[1] == 5 * told and self._arrays["compare.weight"].shape[1] == self.hidden
        if not known or self._arrays["found.weight"].shape[1] % PLACES or len(self._arrays["compare.weight"]) % self._heads:
            raise ValueError("the arrays of the reader do not fit together")

    def question(self, states: Array, text: Tokenized, rarity: Array) -> ReadQuestion:
        own = self._standard(states)
        weight = self._linear("weight", own)[:, 0]
        weight = np.exp(weight - weight.max())
        token = np.concatenate([self._linear("token", own), rarity[:, None]], -1)
        asked = np.tanh(self._linear("asked", own.mean(axis=0)))
        return ReadQuestion(_ids(text), self._compared(own), self._linear("own", token), weight / weight.sum(), asked)

    def passage(self, states: Array, text: Tokenized) -> ReadPassage:
        own, count = self._standard(states), len(text.spans)
        of = segments(text, count)
        places = tuple(np.flatnonzero(of == number) for number in range(2 * count + 2))
        means = np.array([own[place].mean(axis=0) if len(place) else np.zeros(self.hidden) for place in places[:count]], np.float32)
        said = np.tanh(self._linear("said", means.reshape(count, self.hidden)))
        return ReadPassage(_ids(text), self._compared(own), places, tuple(leads(text, count)), said)

    def judge(self, question: ReadQuestion, passage: ReadPassage) -> Array:
        """Return for each span the log-odds that it answers, and that the whole answer holds it: [spans, 2]."""
        count = len(passage.said)
        if not count:
            return np.zeros((0, 2), np.float32)
        found = self._found(question, passage)  # [spans, tokens, PLACES * (heads + 1)]
        told = self._linear("told", _gelu(self._linear("found", found) + question.own))
        mean = np.einsum("t,stk->sk", question.weight, told)
        asked = np.broadcast_to(question.asked, mean.shape)
        joined = np.concatenate([mean, told.max(axis=1), asked, passage.said, asked * passage.said], -1)
        return self._linear("out", _gelu(self._linear("joined", joined)))

    def _found(self, question: ReadQuestion, passage: ReadPassage) -> Array:
        same = (question.ids[:, None] == passage.ids).astype(np.float32)
        near = np.concatenate([question.compared @ passage.compared.transpose(0, 2, 1), same[None]])
        nearest = np.stack([near[..., place].max(axis=-1, initial=-1) for place in passage.places]).transpose(0, 2, 1)
        count = len(passage.leads)
        span, led, above = nearest[:count], nearest[list(passage.leads)], np.broadcast_to(nearest[count], nearest[:count].shape)
        nothing = np.full_like(span[:1], -1)
        beside = np.maximum(np.concatenate([nothing, span[:-1]]), np.concatenate([span[1:], nothing]))
        return np.concatenate([span, beside, led, above, np.broadcast_to(nearest.max(axis=0), span.shape)], -1)

    def _compared(self, own: Array) -> Array:
        projected = self._linear("compare", own).reshape(len(own), self._heads, self._width)
        length = np.maximum(np.linalg.norm(projected, axis=-1, keepdims=True), 1e-12)
        return np.ascontiguousarray((projected / length).transpose(1, 0, 2))

    def _standard(self, states: Array) -> Array:
        return (states - self._arrays["mean"]) / self._arrays["scale"]

    def _linear(self, name: str, values: Array) -> Array:
        found: Array = values @ self._arrays[f"{name}.weight"].T
        return found + self._arrays[f"{name}.bias"] if f"{name}.bias" in self._arrays else found


def _ids(text: Tokenized) -> NDArray[np.int64]:
    return np.array([BEGIN, *text.ids, END], np.int64)


def _gelu(values: Array) -> Array:
    """By tanh, as it is trained."""
    found: Array = 0.5 * values * (1 + np.tanh(math.sqrt(2 / math.pi) * (values + 0.044715 * values**3)))
    return found
