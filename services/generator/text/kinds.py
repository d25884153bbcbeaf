"""Which tokens of a vocabulary are one word, written otherwise: " The", "the" and "The". For drafters, which look for where words agree."""

from __future__ import annotations

import numpy as np
from tokenizers import Tokenizer

from services.generator.native.text import TokenKinds
from services.generator.text.codec import is_byte_level, piece_bytes

CLOSING = frozenset(",.;:!?")


def token_kinds(tokenizer: Tokenizer) -> TokenKinds:
    """Return the kinds of its tokens: what they say in small letters, without the spaces before.

    Control tokens, spaces and parts of characters are each their own kind.
    """
    pieces, byte_level = tokenizer.get_vocab(with_added_tokens=True), is_byte_level(tokenizer)
    size = 1 + max(pieces.values())
    kind, closing, first = np.arange(size, dtype=np.int32), np.zeros(size, np.int8), dict[str, int]()
    added = tokenizer.get_added_tokens_decoder()
    for piece, token in sorted(pieces.items(), key=lambda each: each[1]):
        word = "" if token in added else _word(piece_bytes(piece, byte_level))
        if word:
            kind[token], closing[token] = first.setdefault(word, token), CLOSING.issuperset(word)
    return TokenKinds(kind, closing)


def _word(said: bytes) -> str:
    try:
        return said.decode().lstrip(" ").lower()
    except UnicodeDecodeError:
        return ""
