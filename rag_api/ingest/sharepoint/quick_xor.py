"""QuickXorHash: the one digest that SharePoint tells of every file. It finds what was cut short or
damaged, not what was forged."""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import NDArray

_BITS, _SHIFT = 160, 11  # byte i is added at bit 11 * i, around a circle of 160


class QuickXor:
    """Bytes in pieces; the digest as Graph writes it."""

    def __init__(self) -> None:
        self._columns: NDArray[np.uint8] = np.zeros(_BITS, np.uint8)  # bytes 160 apart fall on the same bits
        self._length = 0

    def update(self, piece: bytes) -> None:
        at = self._length % _BITS
        padded = np.zeros(-(-(at + len(piece)) // _BITS) * _BITS, np.uint8)
        padded[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
        self._columns ^= np.bitwise_xor.reduce(padded.reshape(-1, _BITS), axis=0)
        self._length += len(piece)

    def digest(self) -> str:
        total, whole = 0, (1 << _BITS) - 1
        for index, byte in enumerate(self._columns.tolist()):
            wide = byte << (index * _SHIFT % _BITS)
            total ^= (wide & whole) | (wide >> _BITS)
        total ^= self._length << (_BITS - 64)
        return base64.b64encode(total.to_bytes(_BITS // 8, "little")).decode()
