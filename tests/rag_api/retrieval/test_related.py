"""Documents found by meaning: nearest first, each once, and none that is known already."""

from __future__ import annotations

from datetime import date

import pytest

from rag_api.container import Container
from rag_api.domain import LOCAL_USER, Filters
from rag_api.retrieval.related import related
from tests.support.world import load

pytestmark = pytest.mark.usefixtures("documents")


def found(container: Container, words: str, *known: str) -> list[str]:
    documents = related(words, LOCAL_USER, Filters(), known, container.expander, container)
    return [one.source for one in documents]


def test_the_nearest_stands_first_and_each_once(container: Container) -> None:
    load(container, "val.pdf", *(f"Na een val {part}. Onderzoek nek en heupen van de patiënt. " for part in range(3)))
    names = found(container, "gevallen patiënt")
    assert set(names[:2]) == {"val.pdf", "falls.pdf"}
    assert len(names) == len(set(names))


def test_what_is_known_makes_room_and_what_lapsed_is_not_found(container: Container) -> None:
    known = load(container, "val.pdf", "Na een val. Onderzoek nek en heupen van de patiënt. ")
    load(container, "oud.pdf", "Na een val, vroeger. Onderzoek nek en heupen. ", valid_until=date(2020, 1, 1))
    names = found(container, "gevallen patiënt", known.id)
    assert "falls.pdf" in names
    assert not {"val.pdf", "oud.pdf"} & set(names)
