"""Losses of a rendering against its file. A program that turns a file into pages may leave
something out."""

from __future__ import annotations

import re
import unicodedata

from rag_api.ingest.common.notes import note

_MARK = re.compile(r"\[\d+\]")  # of a note: ours
_NAMED = 12


def lost_words(said: str, shown: str) -> tuple[str, ...]:
    """Return the words of `said` that `shown` does not hold, however it breaks lines and words;
    each once, in order."""
    letters = _letters(shown)
    known = {_letters(word) for word in shown.split()}
    wanted = dict.fromkeys(word.strip(".,:;()[]“”‘’\"'") for word in _MARK.sub(" ", said).split())
    return tuple(
        word
        for word in wanted
        if (bare := _letters(word)) and not (bare in known or (len(bare) > 2 and bare in letters))
    )


def told_lost(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a warning about lost words, or none."""
    if not words:
        return ()
    more = f" … (+{len(words) - _NAMED})" if len(words) > _NAMED else ""
    return (note("lost_words", words=" ".join(words[:_NAMED]) + more),)


def _letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
