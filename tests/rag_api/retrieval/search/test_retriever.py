"""From a question to hits: who may read what, valid when, and whether there is an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_api.config import Settings
from rag_api.domain import LOCAL_USER, Chunk, Filters, Hit, Metadata, User
from rag_api.retrieval.decision.answerability import decide, match
from rag_api.retrieval.decision.calibration import Calibration, shipped
from rag_api.retrieval.search.retriever import Ranking, retrieve
from rag_api.stores.memory import MemoryStore
from tests.support.questions import analysed

pytestmark = pytest.mark.quick

TODAY = date(2026, 6, 1)


class Axes:
    """Each known word has an axis of its own."""

    name, dim = "axes", 4
    words = ("paracetamol", "heparine", "kind", "infuus")

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.query(t) for t in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        vector = np.array([0.1 + text.lower().count(w) for w in self.words], np.float32)
        return vector / np.linalg.norm(vector)


EMBEDDER = Axes()


def chunk(name: str, text: str, group: str = "everyone", **metadata: Any) -> Chunk:
    return Chunk(name, name, name, (1,), 0, len(text), text, Metadata(title=name, **metadata), (group,))


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore(EMBEDDER.dim)
    chunks = [
        chunk("current", "paracetamol kind dosis"),
        chunk("expired", "paracetamol kind dosis oud", valid_until=date(2025, 12, 31)),
        chunk("future", "paracetamol kind dosis later", valid_from=date(2027, 1, 1)),
        chunk("pharmacy", "paracetamol kind dosis apotheek", group="pharmacy"),
        chunk("other", "heparine infuus"),
    ]
    for c in chunks:
        store.replace_document(c.document_id, [c], EMBEDDER.passages([c.text]))
    return store


def ask(
    store: MemoryStore,
    text: str = "paracetamol kind",
    user: User = LOCAL_USER,
    filters: Filters | None = None,
    **options: Any,
) -> Ranking:
    settings = Settings(store="memory", **options.pop("settings", {}))
    return retrieve(
        analysed(text),
        user,
        filters or Filters(),
        embedder=EMBEDDER,
        store=store,
        settings=settings,
        today=TODAY,
        **options,
    )


def names(ranking: Ranking) -> list[str]:
    return [hit.chunk.document_id for hit in ranking.hits]


def test_only_what_is_valid_today_is_found(store: MemoryStore) -> None:
    assert names(ask(store)) == ["current", "other"]


def test_what_was_or_will_be_valid_is_found_when_asked_for(store: MemoryStore) -> None:
    assert set(names(ask(store, filters=Filters(valid_on=date(2025, 6, 1))))) == {"current", "expired", "other"}


def test_the_users_groups_count_and_not_the_requests(store: MemoryStore) -> None:
    asked = Filters(groups=("everyone", "pharmacy"))
    assert "pharmacy" not in names(ask(store, filters=asked))
    pharmacist = replace(LOCAL_USER, groups=("everyone", "pharmacy"))
    assert "pharmacy" in names(ask(store, user=pharmacist))
    assert names(ask(store, user=replace(LOCAL_USER, groups=()))) == []


def test_superseded_documents_are_left_out(store: MemoryStore) -> None:
    assert names(ask(store, filters=Filters(excluded_document_ids=("current",)))) == ["other"]


def test_no_more_than_the_configured_sources_but_enough_for_the_prompt(store: MemoryStore) -> None:
    assert len(ask(store, settings={"sources": 1, "passages": 1}).hits) == 1
    assert len(ask(store, settings={"sources": 1, "passages": 2}).hits) == 2


def test_nothing_found_is_no_answer(store: MemoryStore) -> None:
    nothing = ask(store, filters=Filters(document_ids=("no such",)))
    assert nothing.hits == ()
    assert not decide(analysed("paracetamol"), nothing.hits, [], None).answerable


def test_a_better_match_is_more_confident(store: MemoryStore) -> None:
    questions = ("paracetamol kind dosis", "paracetamol parkeren", "parkeren")
    best, less, least = (match(analysed(text), ask(store, text).hits) for text in questions)
    assert best > less > least


def test_confidence_does_not_depend_on_the_fusion(store: MemoryStore) -> None:
    fused = [
        ask(store, settings={"fusion": fusion, "alpha": alpha})
        for fusion in ("information", "relative")
        for alpha in (0.2, 0.9)
    ]
    assert len({round(match(analysed("paracetamol kind"), ranking.hits), 6) for ranking in fused}) == 1


def test_alpha_follows_the_embedder_unless_it_is_set(store: MemoryStore) -> None:
    assert ask(store).alpha == Calibration().alpha
    assert ask(store, settings={"alpha": 0.2}).alpha == 0.2
    assert shipped()["all-MiniLM-L6-v2"].alpha != shipped()["multilingual-e5-small-int8+neutral"].alpha


def test_confidence_stays_between_nought_and_one() -> None:
    hit = Hit(chunk("a", "tekst"), 1.0, 1.0, 10_000.0, 1)
    assert match(analysed("paracetamol"), [hit]) == 1.0
    assert match(analysed("de het een"), [hit]) == 1.0
