"""Tokens of a vocabulary that are one word, written otherwise (" The", "the" and "The"), and what
each begins, goes on with or closes.

For drafters, which look for where words agree.
"""

from __future__ import annotations

import numpy as np
from tokenizers import Tokenizer

from services.generator.native.text import BLANK, CAPITAL, CLOSING, INSIDE, OTHER, SMALL, TokenKinds
from services.generator.text.codec import is_byte_level, piece_bytes

MARKS = frozenset(",.;:!?")


def token_kinds(tokenizer: Tokenizer) -> TokenKinds:
    """Return the kinds of its tokens: what they say in small letters, without the spaces before.

    Control tokens, spaces and parts of characters are each their own kind.
    """
    pieces, byte_level = tokenizer.get_vocab(with_added_tokens=True), is_byte_level(tokenizer)
    size = 1 + max(pieces.values())
    kind, form, first = np.arange(size, dtype=np.int32), np.full(size, OTHER, np.int8), dict[str, int]()
    added = tokenizer.get_added_tokens_decoder()
    for piece, token in sorted(pieces.items(), key=lambda each: each[1]):
        said = "" if token in added else _said(piece_bytes(piece, byte_level))
        if word := said.lstrip(" ").lower():
            kind[token] = first.setdefault(word, token)
        form[token] = _form(said)
    return TokenKinds(kind, form)


def _said(piece: bytes) -> str:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return ""


def _form(said: str) -> int:
    word = said.lstrip(" ")
    if not word.strip():
        return BLANK if said else OTHER
    if MARKS.issuperset(word):
        return CLOSING
    if said[0].isalnum():
        return INSIDE
    return CAPITAL if word[0].isupper() else SMALL if word[0].isalpha() else OTHER
