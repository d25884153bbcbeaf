"""Sentences are embedded before anybody asks: with the real embedder and a real database."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.typing import NDArray
from typer.testing import CliRunner

from rag_api.answering import ask as answer
from rag_api.cli.app import app
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db import sentences as db
from rag_api.db.documents import PgDocuments
from rag_api.domain import LOCAL_USER, Document, Filters, KeptState, Mode, SentencesKept
from rag_api.embed import Cached, Embedder, open_embedder
from rag_api.embed.vector_cache import DbVectorCache, halved, key_of, packed, unpacked
from rag_api.main import create_app
from rag_api.retrieval import find as finding
from rag_api.retrieval import precompute
from rag_api.retrieval.in_flight import InFlight
from rag_api.retrieval.reader_model.passages import passages_of
from rag_api.retrieval.sentence_scorer import lines_of
from tests.parsed import parsed
from tests.support.questions import analysed
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


class World(Container):
    """Container whose embedder counts. Nothing is remembered from one ask to the next."""

    counted: Counted

    def _open_embedder(self) -> Embedder:
        opened = open_embedder(self.settings)
        assert isinstance(opened, Cached)
        self.counted = Counted(opened.inner)
        return Cached(self.counted, 0)


@pytest.fixture
def container(settings: Settings) -> Iterator[World]:
    made = World(settings)
    with made:
        yield made
        empty(made)
        made.db.run("truncate sentence_vectors, sentences_kept")


@pytest.fixture
def hospital(container: World) -> dict[str, Document]:
    loaded = load_hospital(container)
    container.counted.asked.clear()
    return loaded


def always() -> bool:
    return True


def times(n: int) -> precompute.GoOn:
    left = iter([True] * n)
    return lambda: next(left, False)


def vectors(container: Container) -> dict[tuple[str, bytes], bytes]:
    rows = container.db.all("select document_id, key, vector from sentence_vectors")
    return {(row["document_id"], bytes(row["key"])): bytes(row["vector"]) for row in rows}


def find(container: Container) -> Any:
    return finding.find(analysed(DUTCH), LOCAL_USER, Filters(), container)


def test_a_first_question_about_a_passage_embeds_no_sentence_and_decides_the_same(
    container: World, hospital: dict[str, Document]
) -> None:
    before = find(container)
    assert container.counted.asked
    container.counted.asked.clear()
    kept = precompute.make_all(container, always)
    assert kept == SentencesKept(KeptState.COMPLETE, 3, 3, len(vectors(container)))
    assert len(container.counted.asked) == kept.sentences
    container.counted.asked.clear()
    after = find(container)
    assert container.counted.asked == []
    assert [one.text for one in after.sentences] == [one.text for one in before.sentences]
    assert [one.score for one in after.sentences] == pytest.approx([one.score for one in before.sentences], abs=1e-3)
    assert after.answerable == before.answerable


def test_what_was_stopped_goes_on_where_it_was(container: World, hospital: dict[str, Document]) -> None:
    stopped = precompute.make_all(container, times(3))
    assert stopped.state == KeptState.WAITING
    first = list(container.counted.asked)
    assert 0 < len(first) == len(vectors(container))
    precompute.make_all(container, always)
    assert sorted(container.counted.asked) == sorted(set(container.counted.asked))
    container.counted.asked.clear()
    assert precompute.make_all(container, always).state == KeptState.COMPLETE
    assert container.counted.asked == []


def test_a_new_version_embeds_only_the_sentences_that_changed_and_the_old_one_goes(
    container: World, hospital: dict[str, Document]
) -> None:
    precompute.make_all(container, always)
    container.counted.asked.clear()
    old = hospital["kitchen"]
    new = load(
        container, old.source, KITCHEN.replace("aan de kassa", "met de kaart"), title=old.metadata.title, language="nl"
    )
    container.counted.asked.clear()  # the chunk itself
    assert precompute.make_all(container, always).state == KeptState.COMPLETE
    assert container.counted.asked == [f"{old.metadata.title}: Bezoekers betalen met de kaart."]
    assert old.id not in {document_id for document_id, _ in vectors(container)}
    assert len([key for document_id, key in vectors(container) if document_id == new.id]) == len(
        lines_of(old.metadata.title, KITCHEN)
    )


def test_a_new_title_makes_them_again(container: World, hospital: dict[str, Document]) -> None:
    precompute.make_all(container, always)
    count = len(vectors(container))
    container.db.run("update documents set title = 'Kantine' where id = %(id)s", {"id": hospital["kitchen"].id})
    container.counted.asked.clear()
    precompute.make_all(container, always)
    assert container.counted.asked
    assert all(text.startswith("Kantine: ") for text in container.counted.asked)
    assert len(vectors(container)) == count


def test_another_release_s_rules_cost_no_embedding_of_what_they_leave_as_it_was(
    container: World, hospital: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    precompute.make_all(container, always)
    container.counted.asked.clear()
    monkeypatch.setattr(precompute, "made_by", lambda embedder: "the next release")
    assert precompute.make_all(container, times(1)).state == KeptState.WAITING
    assert precompute.make_all(container, always).state == KeptState.COMPLETE
    assert container.counted.asked == []


@pytest.mark.parametrize("file", ["rag_api/text/quotable/quotable_spans.py", *precompute.RULES])
def test_kept_vectors_are_looked_at_anew_when_any_rule_is_written_otherwise(
    file: str, settings: Settings, tmp_path: Path
) -> None:
    shutil.copytree(precompute.ROOT / "rag_api" / "text", tmp_path / "rag_api" / "text")
    for rule in precompute.RULES:
        (tmp_path / rule).parent.mkdir(parents=True)
        shutil.copy(precompute.ROOT / rule, tmp_path / rule)
    embedder = open_embedder(settings)
    assert precompute.made_by(embedder, tmp_path) == precompute.made_by(embedder)
    with (tmp_path / file).open("a") as written:
        written.write("MOST = 7\n")
    assert precompute.made_by(embedder, tmp_path) != precompute.made_by(embedder)


def test_the_rules_of_what_is_embedded_go_by_nothing_else() -> None:
    rules = ("rag_api.text", "rag_api.domain", "services.contract.wire")
    names = {
        name
        for path in (precompute.ROOT / "rag_api" / "text").rglob("*.py")
        for one in parsed(path).imports
        for name in ((f"{one.module}.{name}" for name in one.names) if one.names else [one.module])
    }
    assert [
        name for name in sorted(names) if name.startswith(("rag_api", "services")) and not name.startswith(rules)
    ] == []


def test_a_document_that_is_retired_keeps_none(container: World, hospital: dict[str, Document]) -> None:
    precompute.make_all(container, always)
    PgDocuments(container.db).retire([hospital["child"].source])
    assert precompute.make_all(container, always) == SentencesKept(KeptState.COMPLETE, 2, 2, len(vectors(container)))
    assert hospital["child"].id not in {document_id for document_id, _ in vectors(container)}


def test_no_more_are_kept_than_the_setting_allows(
    container: World, hospital: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    most = len(lines_of(hospital["kitchen"].metadata.title, KITCHEN)) + 1
    container.settings = container.settings.model_copy(update={"sentence_vectors_mb": 1})
    monkeypatch.setattr(db, "ROW_BYTES", 2**20 // most - 2 * container.embedder.dim)
    # the newest document
    assert precompute.make_all(container, always) == SentencesKept(KeptState.FULL, 1, 3, most - 1)
    assert len(vectors(container)) == most - 1
    PgDocuments(container.db).retire([hospital["kitchen"].source])
    assert precompute.make_all(container, always).documents == 1  # another has its place


def test_a_very_long_document_s_sentences_are_those_of_its_chunks(
    container: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (precompute, finding):
        monkeypatch.setattr(module, "LONGEST_TEXT", 10)
    load(container, "boek.pdf", CHILD, FALL, KITCHEN)
    assert precompute.make_all(container, always).state == KeptState.COMPLETE
    container.counted.asked.clear()
    found = find(container)
    assert found.texts == {}
    assert found.sentences
    assert container.counted.asked == []


def test_a_book_is_given_to_its_reader_as_other_documents_are(container: World) -> None:
    book = load(container, "boek.pdf", CHILD, "Hoofdstuk 2." + "\n" * 250_000, FALL)
    found = find(container)
    passages = passages_of(found.may_be_quoted, found.texts, found.structures)
    assert passages[0].document_id == book.id
    assert found.sentences[0].document_id == book.id


def test_one_process_makes_them_for_all(container: World, hospital: dict[str, Document]) -> None:
    with db.only_one(container.db) as mine:
        assert mine
        assert precompute.make_all(container, always).state == KeptState.WAITING
    assert container.counted.asked == []
    assert precompute.make_all(container, always).state == KeptState.COMPLETE


def test_an_ingestion_in_any_process_is_seen(container: World) -> None:
    assert not db.ingesting(container.db)
    with PgDocuments(container.db).lock():
        assert db.ingesting(container.db)
    while db.ingesting(container.db):  # its connection closes a moment later
        threading.Event().wait(0.01)


class Watched(InFlight):
    """Tells when it was asked whether it is quiet."""

    def __init__(self) -> None:
        super().__init__()
        self.looked = threading.Semaphore(0)

    def quiet(self, seconds: float) -> bool:
        found = super().quiet(0.0)
        self.looked.release()
        return found


def test_while_a_question_is_answered_nothing_is_embedded(
    container: World, hospital: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precompute, "FIRST", 0.0)
    monkeypatch.setattr(precompute, "EVERY", 0.01)
    container.in_flight = watched = Watched()
    thread = precompute.Precomputer(container)
    with watched:
        thread.start()
        for _ in range(3):
            assert watched.looked.acquire(timeout=30)
        assert container.counted.asked == []
    try:
        while container.sentences.state != KeptState.COMPLETE:
            assert watched.looked.acquire(timeout=30)
    finally:
        thread.stop()
    assert container.sentences.documents == 3


def test_a_server_does_it_by_itself_and_says_how_far_it_is(
    container: World, hospital: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precompute, "FIRST", 0.0)
    with TestClient(create_app(container.settings, container)) as client:
        for _ in range(600):
            found = client.get("/health").json()["sentences"]
            if found["state"] == "complete":
                break
            threading.Event().wait(0.05)
        metrics = client.get("/metrics").text
    assert found == {"state": "complete", "documents": 3, "of": 3, "sentences": len(vectors(container))}
    assert f"\nbedside_sentences {len(vectors(container))}.0\n" in metrics
    assert '\nbedside_documents{sentences="ahead"} 3.0\n' in metrics
    assert '\nbedside_documents{sentences="outstanding"} 0.0\n' in metrics
    assert not any(thread.name == "precompute sentences" for thread in threading.enumerate())


def test_the_command_embeds_all_and_says_how_many(
    settings: Settings, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BEDSIDE_DATABASE_URL", dsn)
    monkeypatch.setenv("BEDSIDE_DATA_DIR", str(settings.data_dir))
    with World(settings) as container:
        load_hospital(container)
    ran = CliRunner().invoke(app, ["index", "sentences"])
    with World(settings) as container:
        assert f"3 of 3 documents, {len(vectors(container))} sentences" in ran.stderr
        empty(container)
        assert db.sweep(container.db) > 0
    assert ran.exit_code == 0


async def test_an_answer_is_asked_for_from_its_first_event_to_its_last(
    container: World, hospital: dict[str, Document]
) -> None:
    question = answer.new_question(LOCAL_USER, container, DUTCH, mode=Mode.SOURCES)
    quiet = [container.in_flight.quiet(0.0) async for _ in answer.ask(question, LOCAL_USER, container)]
    assert quiet == [False, False, True]
    stopped = answer.ask(answer.new_question(LOCAL_USER, container, DUTCH, mode=Mode.SOURCES), LOCAL_USER, container)
    await anext(stopped)
    await stopped.aclose()  # the reader went away
    assert container.in_flight.quiet(0.0)


def test_nested_answers_are_over_when_the_last_one_is() -> None:
    asking = InFlight()
    assert asking.quiet(1000.0)
    with asking:
        with asking:
            pass
        assert not asking.quiet(0.0)
    assert asking.quiet(0.0)
    assert not asking.quiet(1000.0)


def test_zero_megabytes_embed_nothing_ahead(container: World) -> None:
    container.settings = container.settings.model_copy(update={"sentence_vectors_mb": 0})
    thread = precompute.Precomputer(container)
    thread.start()
    thread.stop()
    assert container.sentences.state == KeptState.OFF


def test_a_kept_vector_is_the_new_one_in_half_precision_and_no_other_embedder_s(container: World) -> None:
    text = "Titel: Geef 15 mg/kg."
    new = container.embedder.passages([text])
    known = {key_of(container.embedder.name, text): packed(new[0])}
    looked = DbVectorCache(container.embedder, lambda keys: {key: known[key] for key in keys if key in known})
    container.counted.asked.clear()
    both = looked.passages([text, "iets anders", text])
    assert container.counted.asked == ["iets anders"]
    assert np.array_equal(both[0], halved(new)[0])
    assert np.array_equal(both[2], unpacked(packed(new[0])))
    assert (
        float(np.abs(halved(new) @ container.embedder.query("gift") - new @ container.embedder.query("gift")).max())
        < 1e-4
    )
    assert key_of("another", text) not in known
    assert looked.passages([]).shape == (0, container.embedder.dim)
