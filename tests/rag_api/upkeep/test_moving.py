"""An index moves between real stores, and beside itself for another embedder, while questions are
answered."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.questions.judged import save_questions
from rag_api.domain import LOCAL_USER, Filters
from rag_api.embed import Embedder
from rag_api.errors import ConfigurationError, Conflict, InvalidInput
from rag_api.query.analysis import analyse
from rag_api.retrieval.find import find
from rag_api.stores.active_index import in_force, put_in_force
from rag_api.upkeep.moving import move, switch, target_of
from tests.rag_api.upkeep.conftest import Install
from tests.rag_api.upkeep.test_backup import JUDGED, furnish, outcomes
from tests.support.waiting import until
from tests.support.world import load_hospital


@pytest.fixture
def settings(install: Install) -> Settings:
    """Of an installation with a database and LanceDB's index."""
    return install(ready=True)


class Letters:
    """Another embedder: how often letters come."""

    name, dim = "letters", 26

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = np.array([[text.lower().count(chr(97 + n)) + 0.1 for n in range(26)] for text in texts], np.float32)
        unit: NDArray[np.float32] = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return unit

    def query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.passages([text])[0]
        return vector


def test_from_lancedb_to_weaviate_and_back_and_the_judged_questions_find_the_same(
    install: Install, settings: Settings
) -> None:
    weaviate = install("weaviate")
    at_weaviate = settings.model_copy(
        update={
            "weaviate_url": weaviate.weaviate_url,
            "weaviate_collection": weaviate.weaviate_collection,
            "store": "weaviate",
        }
    )
    told: list[int] = []
    with Container(settings) as container:
        furnish(container)
        found, hits = outcomes(container)
        moved = move(
            container, target_of(at_weaviate.model_copy(update={"store": "lance"}), "weaviate", None, None), told.append
        )
        assert (moved.copied.documents, moved.copied.before) == (15, 0)
        assert told == [15, *range(1, 16)]
        assert moved.asked == moved.alike == 16  # one of each document, and the judged one
    with Container(at_weaviate) as container:
        assert [(one.rank, one.first) for one in outcomes(container)[0]] == [(one.rank, one.first) for one in found]
        move(container, target_of(at_weaviate, "lance", "back", None), told.append)
    with Container(settings.model_copy(update={"index": "back"})) as container:
        assert outcomes(container) == (found, hits)


def test_another_embedder_fills_an_index_beside_the_old_one(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_api.upkeep.moving.open_embedder", lambda _: Letters())
    with Container(settings) as container:
        load_hospital(container)
        target = target_of(settings, "lance", "letters", "letters")
        moved = move(container, target, lambda _: None)
        assert (moved.copied.documents, moved.asked) == (3, 0)
        asked = find(
            analyse("paracetamol kind", container.expander, "paracetamol kind"), LOCAL_USER, Filters(), container
        )
        assert asked.hits[0].chunk.title.startswith("Paracetamol")  # the old one answers as before
    monkeypatch.setattr("rag_api.embed.open_embedder", lambda _: Letters())
    with Container(target) as container:
        assert container.store.count() == 3
        assert container.store.search("restaurant", Letters().query("restaurant"), 1, Filters(), 0.0)[
            0
        ].chunk.title.startswith("Openingsuren")


def opened_by_name(settings: Settings, real: Embedder) -> Embedder:
    return Letters() if settings.embedder == "letters" else real


def test_questions_are_answered_all_the_while_an_index_is_filled_and_switched(
    settings: Settings, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each by one index and its embedder; the service is the same one before and after."""
    for where in ("rag_api.upkeep.moving.open_embedder", "rag_api.embed.open_embedder"):
        monkeypatch.setattr(where, lambda said: opened_by_name(said, embedder))
    answered: list[str] = []
    over = threading.Event()

    def ask(container: Container) -> None:
        while not over.is_set():
            pinned = container.pinned()
            hits = find(
                analyse("paracetamol kind", pinned.expander, "paracetamol kind"), LOCAL_USER, Filters(), pinned
            ).hits
            answered.append(f"{pinned.embedder.name} {len(hits)} {pinned.settings.index}")

    with Container(settings) as container:
        load_hospital(container)
        asking = threading.Thread(target=ask, args=(container,))
        asking.start()
        target = target_of(settings, "lance", "letters", "letters")
        move(container, target, lambda _: None, then_switch=True)
        assert container.pinned(wait=True).settings.index == "letters"  # who writes now writes there
        seen = len(answered)
        until(lambda: len(answered) > seen + 1)
        over.set()
        asking.join()
        assert container.store.count() == 3
    before, after = f"{embedder.name} 3 ", "letters 3 letters"
    assert answered == [before] * answered.count(before) + [after] * answered.count(after)
    assert answered.count(before) > 0 < answered.count(after)
    assert in_force(settings).embedder == "letters"  # for every command from now on


def test_an_index_that_lacks_documents_is_not_put_in_force(settings: Settings) -> None:
    with Container(settings) as container:
        load_hospital(container)
        target = target_of(settings, "lance", "other", None)
        with pytest.raises(Conflict, match="lacks 3 of 3 documents"):
            switch(container, target)
        assert in_force(settings) == settings
        move(container, target, lambda _: None)
        assert switch(container, target) == 3
        assert in_force(settings).index == "other"


def test_an_index_that_cannot_be_opened_leaves_the_old_one_answering(settings: Settings) -> None:
    with Container(settings) as container:
        load_hospital(container)
        put_in_force(settings.model_copy(update={"store": "weaviate", "weaviate_url": "http://127.0.0.1:1"}))
        assert container.pinned(wait=True).store.count() == 3
    (settings.data_dir / "index.json").write_text("{")
    with pytest.raises(ConfigurationError, match="cannot be used"):
        in_force(settings)


def test_a_copy_that_ranks_otherwise_is_refused(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag_api.upkeep.moving.ranked_alike", lambda *_: [True, False])
    with Container(settings) as container:
        load_hospital(container)
        with pytest.raises(Conflict, match="1 of 2 questions otherwise"):
            move(container, target_of(settings, "lance", "other", None), lambda _: None)


@pytest.mark.parametrize(
    ("store", "index", "why"),
    [("lance", None, "made from"), ("memory", "x", "made from"), ("weaviate", None, "URL"), ("milvus", None, "store")],
)
def test_a_copy_into_itself_or_into_nothing_known_is_refused(
    settings: Settings, store: str, index: str | None, why: str
) -> None:
    with pytest.raises(InvalidInput, match=why):
        target_of(settings, store, index, None)


def test_questions_come_from_the_judged_sets_too(settings: Settings) -> None:
    from rag_api.upkeep.moving import comparison_queries

    with Container(settings) as container:
        load_hospital(container)
        save_questions(container.db, LOCAL_USER, "own", JUDGED[:2])
        asked = list(comparison_queries(container, container.store))
    assert [one.text for one in asked][:2] == [judged.question for judged in JUDGED[:2]]
