"""Sentences are embedded before anybody asks: with the real embedder and a real database."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.typing import NDArray
from typer.testing import CliRunner

from rag_api.answering import ask as answer
from rag_api.cli.app import app
from rag_api.config import Settings
from rag_api.container import Parts
from rag_api.db import sentences as db
from rag_api.db.documents import PgDocuments
from rag_api.domain import LOCAL_USER, Document, Filters, KeptState, Mode, SentencesKept
from rag_api.embed import Cached, Embedder, open_embedder
from rag_api.embed.kept import Kept, halved, key_of, packed, unpacked
from rag_api.main import create_app
from rag_api.retrieval import precompute as ahead
from rag_api.retrieval.in_flight import Asking
from rag_api.retrieval.sentence_scorer import lines_of
from tests.support.world import CHILD, FALL, KITCHEN, empty, load, load_hospital

DUTCH = "Hoeveel paracetamol mag een kind van 12 kg?"


class Counted:
    """The real embedder; remembers what it was asked for."""

    def __init__(self, inner: Embedder) -> None:
        self.inner, self.name, self.dim = inner, inner.name, inner.dim
        self.asked: list[str] = []

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return self.inner.passages(texts)

    def query(self, text: str) -> NDArray[np.float32]:
        return self.inner.query(text)


class World(Parts):
    """Parts whose embedder counts. Nothing is remembered from one ask to the next."""

    counted: Counted

    def _open_embedder(self) -> Embedder:
        opened = open_embedder(self.settings)
        assert isinstance(opened, Cached)
        self.counted = Counted(opened.inner)
        return Cached(self.counted, 0)


@pytest.fixture
def parts(settings: Settings) -> Iterator[World]:
    made = World(settings)
    with made:
        yield made
        empty(made)
        made.db.run("truncate sentence_vectors, sentences_kept")


@pytest.fixture
def hospital(parts: World) -> dict[str, Document]:
    loaded = load_hospital(parts)
    parts.counted.asked.clear()
    return loaded


def always() -> bool:
    return True


def times(n: int) -> ahead.GoOn:
    left = iter([True] * n)
    return lambda: next(left, False)


def vectors(parts: Parts) -> dict[tuple[str, bytes], bytes]:
    rows = parts.db.all("select document_id, key, vector from sentence_vectors")
    return {(row["document_id"], bytes(row["key"])): bytes(row["vector"]) for row in rows}


def find(parts: Parts) -> Any:
    return answer.find(DUTCH, LOCAL_USER, Filters(), parts)


def test_a_first_question_about_a_passage_embeds_no_sentence_and_decides_the_same(parts: World, hospital: dict[str, Document]) -> None:
    before = find(parts)
    assert parts.counted.asked
    parts.counted.asked.clear()
    kept = ahead.make_all(parts, always)
    assert kept == SentencesKept(KeptState.COMPLETE, 3, 3, len(vectors(parts)))
    assert len(parts.counted.asked) == kept.sentences
    parts.counted.asked.clear()
    after = find(parts)
    assert parts.counted.asked == []
    assert [one.text for one in after.sentences] == [one.text for one in before.sentences]
    assert [one.score for one in after.sentences] == pytest.approx([one.score for one in before.sentences], abs=1e-3)
    assert after.answerable == before.answerable


def test_what_was_stopped_goes_on_where_it_was(parts: World, hospital: dict[str, Document]) -> None:
    stopped = ahead.make_all(parts, times(3))
    assert stopped.state == KeptState.WAITING
    first = list(parts.counted.asked)
    assert 0 < len(first) == len(vectors(parts))
    ahead.make_all(parts, always)
    assert sorted(parts.counted.asked) == sorted(set(parts.counted.asked))
    parts.counted.asked.clear()
    assert ahead.make_all(parts, always).state == KeptState.COMPLETE
    assert parts.counted.asked == []


def test_a_new_version_embeds_only_the_sentences_that_changed_and_the_old_one_goes(parts: World, hospital: dict[str, Document]) -> None:
    ahead.make_all(parts, always)
    parts.counted.asked.clear()
    old = hospital["kitchen"]
    new = load(parts, old.source, KITCHEN.replace("aan de kassa", "met de kaart"), title=old.metadata.title, language="nl")
    parts.counted.asked.clear()  # the chunk itself
    assert ahead.make_all(parts, always).state == KeptState.COMPLETE
    assert parts.counted.asked == [f"{old.metadata.title}: Bezoekers betalen met de kaart."]
    assert old.id not in {document_id for document_id, _ in vectors(parts)}
    assert len([key for document_id, key in vectors(parts) if document_id == new.id]) == len(lines_of(old.metadata.title, KITCHEN))


def test_a_new_title_makes_them_again(parts: World, hospital: dict[str, Document]) -> None:
    ahead.make_all(parts, always)
    count = len(vectors(parts))
    parts.db.run("update documents set title = 'Kantine' where id = %(id)s", {"id": hospital["kitchen"].id})
    parts.counted.asked.clear()
    ahead.make_all(parts, always)
    assert parts.counted.asked
    assert all(text.startswith("Kantine: ") for text in parts.counted.asked)
    assert len(vectors(parts)) == count


def test_another_release_s_rules_cost_no_embedding_of_what_they_leave_as_it_was(
    parts: World, hospital: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead.make_all(parts, always)
    parts.counted.asked.clear()
    monkeypatch.setattr(ahead, "made_by", lambda embedder: "the next release")
    assert ahead.make_all(parts, times(1)).state == KeptState.WAITING
    assert ahead.make_all(parts, always).state == KeptState.COMPLETE
    assert parts.counted.asked == []


def test_a_document_that_is_retired_keeps_none(parts: World, hospital: dict[str, Document]) -> None:
    ahead.make_all(parts, always)
    PgDocuments(parts.db).retire([hospital["child"].source])
    assert ahead.make_all(parts, always) == SentencesKept(KeptState.COMPLETE, 2, 2, len(vectors(parts)))
    assert hospital["child"].id not in {document_id for document_id, _ in vectors(parts)}


def test_no_more_are_kept_than_the_setting_allows(parts: World, hospital: dict[str, Document], monkeypatch: pytest.MonkeyPatch) -> None:
    most = len(lines_of(hospital["kitchen"].metadata.title, KITCHEN)) + 1
    parts.settings = parts.settings.model_copy(update={"sentence_vectors_mb": 1})
    monkeypatch.setattr(db, "ROW_BYTES", 2**20 // most - 2 * parts.embedder.dim)
    assert ahead.make_all(parts, always) == SentencesKept(KeptState.FULL, 1, 3, most - 1)  # the newest document
    assert len(vectors(parts)) == most - 1
    PgDocuments(parts.db).retire([hospital["kitchen"].source])
    assert ahead.make_all(parts, always).documents == 1  # another has its place


def test_a_very_long_document_s_sentences_are_those_of_its_chunks(parts: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (ahead, answer):
        monkeypatch.setattr(module, "LONGEST_TEXT", 10)
    load(parts, "boek.pdf", CHILD, FALL, KITCHEN)
    assert ahead.make_all(parts, always).state == KeptState.COMPLETE
    parts.counted.asked.clear()
    found = find(parts)
    assert found.texts == {}
    assert found.sentences
    assert parts.counted.asked == []


def test_one_process_makes_them_for_all(parts: World, hospital: dict[str, Document]) -> None:
    with db.only_one(parts.db) as mine:
        assert mine
        assert ahead.make_all(parts, always).state == KeptState.WAITING
    assert parts.counted.asked == []
    assert ahead.make_all(parts, always).state == KeptState.COMPLETE


def test_an_ingestion_in_any_process_is_seen(parts: World) -> None:
    assert not db.ingesting(parts.db)
    with PgDocuments(parts.db).lock():
        assert db.ingesting(parts.db)
    while db.ingesting(parts.db):  # its connection closes a moment later
        threading.Event().wait(0.01)


class Watched(Asking):
    """Tells when it was asked whether it is quiet."""

    def __init__(self) -> None:
        super().__init__()
        self.looked = threading.Semaphore(0)

    def quiet(self, seconds: float) -> bool:
        found = super().quiet(0.0)
        self.looked.release()
        return found


def test_while_a_question_is_answered_nothing_is_embedded(
    parts: World, hospital: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "FIRST", 0.0)
    monkeypatch.setattr(ahead, "EVERY", 0.01)
    parts.asking = watched = Watched()
    thread = ahead.Ahead(parts)
    with watched:
        thread.start()
        for _ in range(3):
            assert watched.looked.acquire(timeout=30)
        assert parts.counted.asked == []
    try:
        while parts.sentences.state != KeptState.COMPLETE:
            assert watched.looked.acquire(timeout=30)
    finally:
        thread.stop()
    assert parts.sentences.documents == 3


def test_a_server_does_it_by_itself_and_says_how_far_it_is(
    parts: World, hospital: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "FIRST", 0.0)
    with TestClient(create_app(parts.settings, parts)) as client:
        for _ in range(600):
            found = client.get("/health").json()["sentences"]
            if found["state"] == "complete":
                break
            threading.Event().wait(0.05)
        metrics = client.get("/metrics").text
    assert found == {"state": "complete", "documents": 3, "of": 3, "sentences": len(vectors(parts))}
    assert f"\nbedside_sentences {len(vectors(parts))}.0\n" in metrics
    assert '\nbedside_documents{sentences="ahead"} 3.0\n' in metrics
    assert '\nbedside_documents{sentences="outstanding"} 0.0\n' in metrics
    assert not any(thread.name == "sentences ahead" for thread in threading.enumerate())


def test_the_command_embeds_all_and_says_how_many(settings: Settings, dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEDSIDE_DATABASE_URL", dsn)
    monkeypatch.setenv("BEDSIDE_DATA_DIR", str(settings.data_dir))
    with World(settings) as parts:
        load_hospital(parts)
    ran = CliRunner().invoke(app, ["index", "sentences"])
    with World(settings) as parts:
        assert f"3 of 3 documents, {len(vectors(parts))} sentences" in ran.stderr
        empty(parts)
        assert db.sweep(parts.db) > 0
    assert ran.exit_code == 0


async def test_an_answer_is_asked_for_from_its_first_event_to_its_last(parts: World, hospital: dict[str, Document]) -> None:
    question = answer.new_question(LOCAL_USER, parts, DUTCH, mode=Mode.SOURCES)
    quiet = [parts.asking.quiet(0.0) async for _ in answer.ask(question, LOCAL_USER, parts)]
    assert quiet == [False, False, True]
    stopped = answer.ask(answer.new_question(LOCAL_USER, parts, DUTCH, mode=Mode.SOURCES), LOCAL_USER, parts)
    await anext(stopped)
    await stopped.aclose()  # the reader went away
    assert parts.asking.quiet(0.0)


def test_nested_answers_are_over_when_the_last_one_is() -> None:
    asking = Asking()
    assert asking.quiet(1000.0)
    with asking:
        with asking:
            pass
        assert not asking.quiet(0.0)
    assert asking.quiet(0.0)
    assert not asking.quiet(1000.0)


def test_zero_megabytes_embed_nothing_ahead(parts: World) -> None:
    parts.settings = parts.settings.model_copy(update={"sentence_vectors_mb": 0})
    thread = ahead.Ahead(parts)
    thread.start()
    thread.stop()
    assert parts.sentences.state == KeptState.OFF


def test_a_kept_vector_is_the_new_one_in_half_precision_and_no_other_embedder_s(parts: World) -> None:
    text = "Titel: Geef 15 mg/kg."
    new = parts.embedder.passages([text])
    known = {key_of(parts.embedder.name, text): packed(new[0])}
    looked = Kept(parts.embedder, lambda keys: {key: known[key] for key in keys if key in known})
    parts.counted.asked.clear()
    both = looked.passages([text, "iets anders", text])
    assert parts.counted.asked == ["iets anders"]
    assert np.array_equal(both[0], halved(new)[0])
    assert np.array_equal(both[2], unpacked(packed(new[0])))
    assert float(np.abs(halved(new) @ parts.embedder.query("gift") - new @ parts.embedder.query("gift")).max()) < 1e-4
    assert key_of("another", text) not in known
    assert looked.passages([]).shape == (0, parts.embedder.dim)
