"""Questions as retrieval gets them: analysed, without a hospital's lists unless a test has some."""

from __future__ import annotations

from collections.abc import Iterable

from rag_api.query.analysis import Analysis, analyse
from rag_api.query.synonyms import Expander, Pair


def analysed(text: str, pairs: Iterable[Pair] = ()) -> Analysis:
    return analyse(text, Expander(pairs))
