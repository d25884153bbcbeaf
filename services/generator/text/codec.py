"""Text <-> tokens. Control tokens are made of control text only; whatever a user or a document
wrote stays plain text.

Holds two tokenizers: the model's own, and a copy of it that knows no added tokens, so that
"<|im_end|>" inside a passage is nine ordinary characters. Knows nothing of prompts, passages or
models.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence as Seq
from functools import cached_property
from typing import Any

from tokenizers import Tokenizer
from tokenizers.decoders import DecodeStream


def _byte_alphabet() -> dict[str, int]:
    """Return GPT-2's printable stand-ins for bytes: those that print stand for themselves, the
    others follow from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}


BYTE_OF = _byte_alphabet()
_UNICODE_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def is_byte_level(tokenizer: Tokenizer) -> bool:
    """Say whether its tokens are written in GPT-2's stand-ins for bytes."""
    return '"ByteLevel"' in json.dumps(json.loads(tokenizer.to_str())["decoder"])


def piece_bytes(piece: str, byte_level: bool) -> bytes:
    """Return what a token says that a tokenizer writes like this; none of the special ones."""
    if byte := re.fullmatch(r"<0x([0-9A-F]{2})>", piece):
        return bytes.fromhex(byte[1])
    if byte_level and all(character in BYTE_OF for character in piece):
        return bytes(BYTE_OF[character] for character in piece)
    return piece.replace("\u2581", " ").encode()


class Codec:
    """Around a fast tokenizer of transformers."""

    def __init__(self, tokenizer: Any) -> None:
        self.hf = tokenizer
        self.full: Tokenizer = tokenizer.backend_tokenizer
        self.plain = _without_added_tokens(self.full)
        self.control: dict[str, int] = {str(token): ident for ident, token in tokenizer.added_tokens_decoder.items()}
        self.special_ids = frozenset(ident for ident, token in tokenizer.added_tokens_decoder.items() if token.special)

    def encode(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Turn plain text into tokens and their character ranges in `text`; no token of it is a
        control token."""
        encoding = self.plain.encode(text, add_special_tokens=False)
        ids, offsets = list(encoding.ids), list(encoding.offsets)
        forged = next((n for n, ident in enumerate(ids) if ident in self.special_ids), None)
        if forged is None:
            return ids, offsets
        # A vocabulary in which merges spell a control token: cut the text inside it.
        cut = (offsets[forged][0] + offsets[forged][1] + 1) // 2
        left, left_offsets = self.encode(text[:cut])
        right, right_offsets = self.encode(text[cut:])
        return left + right, left_offsets + [(start + cut, end + cut) for start, end in right_offsets]

    def encode_exactly(self, text: str, inside: bool = False) -> list[int] | None:
        """Return tokens that read as exactly `text` wherever in an answer they stand (`inside`: not
        at its beginning), or None.

        Some tokenizers put a space before everything they encode: they are shown a line break
        first.
        """
        for lead in ("", "\n", "\n\n"):
            lead_ids = self.encode(lead)[0] if lead else []
            ids = self.encode(lead + text)[0]
            if ids[: len(lead_ids)] != lead_ids:
                continue
            ids = ids[len(lead_ids) :]
            if (inside or self.decode(ids) == text) and self.decode(self._sample + ids) == "x" + text:
                return ids
        return None

    def decode(self, ids: Seq[int]) -> str:
        """Decode as a stream shows it: control tokens are left out."""
        stream = self.stream()
        return "".join(filter(None, (stream.step(self.full, ident) for ident in ids)))

    def stream(self) -> DecodeStream:
        return DecodeStream(skip_special_tokens=True)

    def token_bytes(self, token: int) -> bytes:
        """Return one token on its own, for log-probabilities; it may be a part of a character."""
        piece = self.full.id_to_token(token) or ""
        return piece.encode() if token in self.special_ids else piece_bytes(piece, self._byte_level)

    @cached_property
    def _byte_level(self) -> bool:
        return is_byte_level(self.full)

    @cached_property
    def prefix_ids(self) -> list[int]:
        """What the tokenizer puts before every text (a BOS, or nothing)."""
        return list(self.full.encode("", add_special_tokens=True).ids)

    @cached_property
    def _sample(self) -> list[int]:
        return self.encode("x")[0]


def _without_added_tokens(tokenizer: Tokenizer) -> Tokenizer:
    """Remove them. Unicode normalisation goes too: a copy of a passage has to keep its
    characters. The vocabulary, which takes a hundred megabytes, is the same one."""
    description = json.loads(tokenizer.to_str()) | {"model": {"type": "BPE", "vocab": {}, "merges": []}}
    description["added_tokens"] = []
    description["post_processor"] = None
    normalizer = description.get("normalizer")
    if normalizer and normalizer["type"] in _UNICODE_FORMS:
        description["normalizer"] = None
    elif normalizer and normalizer["type"] == "Sequence":
        normalizer["normalizers"] = [part for part in normalizer["normalizers"] if part["type"] not in _UNICODE_FORMS]
    plain = Tokenizer.from_str(json.dumps(description))
    plain.model = tokenizer.model
    return plain
