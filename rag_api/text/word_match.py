"""Does a text hold a question's words? Spelling is forgiven by common runs of three characters, and
a word may have other names.

Knows no document, no embedder and no lists: what else a word is called is told by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from rag_api.text.bm25_analyzer import STOP_WORDS, words

ALIKE = 0.6  # overlap of their runs of three characters from which two words are taken for one: "trombo's", "kathter"
_STOP = STOP_WORDS["nl"] | STOP_WORDS["en"]

Expand = Callable[[str], Sequence[str]]
Called = tuple[tuple[str, ...], ...]  # the names of a word, each of one or more words; the first is the word itself


def content_words(question: str) -> list[str]:
    """Return its words but for the small ones, each once, in order."""
    return [word for word in dict.fromkeys(words(question)) if word not in _STOP]


def sought_words(question: str, expand: Expand) -> list[Called]:
    """Return the question's content words, each with what else it is called."""
    return [
        ((word,), *(tuple(other) for name in expand(word) if (other := content_words(name))))
        for word in content_words(question)
    ]


def coverage(sought: Sequence[Called], title: str, text: str) -> float:
    """Return how well the text holds the words that its title does not, in [0, 1]: all of a
    document's sentences share the title."""
    own = [called for called in sought if held(called, title) < ALIKE]
    return sum(held(called, text) for called in own) / len(own) if own else 0.0


def held(called: Called, text: str) -> float:
    """Return how surely the text has the word, by any of its names, in [0, 1]."""
    return max(sum(likeness(word, text) for word in name) / len(name) for name in called)


def likeness(word: str, text: str) -> float:
    """Return the common runs of three characters with the text's word that is most like it, in [0,
    1]."""
    runs = _runs(word)
    return max((2 * len(runs & other) / (len(runs) + len(other)) for other in _all_runs(text)), default=0.0)


@lru_cache(maxsize=4096)
def _all_runs(text: str) -> tuple[frozenset[str], ...]:
    return tuple(_runs(word) for word in set(words(text)))


@lru_cache(maxsize=100_000)
def _runs(word: str) -> frozenset[str]:
    marked = f"^{word}$"
    return frozenset(marked[i : i + 3] for i in range(max(1, len(marked) - 2)))
