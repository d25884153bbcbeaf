"""Further queries by a language model: what is asked of it, what becomes of what it says, and that
the question itself decides."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from rag_api.answering.ask import ask, new_question
from rag_api.answering.generator.client import Generator
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import LOCAL_USER, Chunk, Done, Filters, Hit, Mode
from rag_api.retrieval.search.multi_query import OPTIONS, alternatives, merged, options_of, search_all
from tests.support.scripted_server import Scripted, piece
from tests.support.world import empty, load_hospital

pytestmark = pytest.mark.quick

QUESTION = "Hoeveel paracetamol mag een kind en hoe vaak?"


@pytest.fixture
async def generator(scripted: Scripted) -> AsyncIterator[Generator]:
    scripted.requests.clear()
    scripted.status = 200
    scripted.script = by_option
    client = Generator(scripted.url, model="llama", kind="openai", timeout=5)
    yield client
    await client.close()


def by_option(request: dict[str, Any]) -> list[Any]:
    asked = request["messages"][0]["content"]
    said = {
        "Passage:": "Geef kinderen 15 mg/kg\nom de zes uur.",
        "General question:": '"Wat is de dosering van paracetamol bij kinderen?"\nTweede regel.',
        "Questions:": f"1. Hoeveel paracetamol mag een kind?\n- Hoe vaak mag een kind "
        f"paracetamol?\n\n{QUESTION.upper()}\nvierde?",
    }
    text = next(text for label, text in said.items() if asked.endswith("\n" + label))
    return [piece(text), piece(finish="stop"), "data: [DONE]\n\n"]


async def test_each_option_gives_its_queries_once(generator: Generator) -> None:
    assert await alternatives(QUESTION, OPTIONS, generator) == [
        "Geef kinderen 15 mg/kg om de zes uur.",
        "Wat is de dosering van paracetamol bij kinderen?",
        "Hoeveel paracetamol mag een kind?",
        "Hoe vaak mag een kind paracetamol?",
    ]


async def test_without_options_the_model_is_not_asked(scripted: Scripted, generator: Generator) -> None:
    assert await alternatives(QUESTION, (), generator) == []
    assert scripted.requests == []


async def test_a_model_that_is_down_adds_nothing(scripted: Scripted, generator: Generator) -> None:
    scripted.status, scripted.body = 503, "{}"
    assert await alternatives(QUESTION, OPTIONS, generator) == []


def test_the_setting_names_options_and_refuses_others() -> None:
    assert options_of(Settings(multi_query="split,hyde").multi_query) == ("hyde", "split")
    assert options_of(Settings().multi_query) == ()
    with pytest.raises(ValidationError):
        Settings(multi_query="hyde,magic")


def hit(name: str, score: float, rank: int, dense: float = 0.8) -> Hit:
    return Hit(Chunk(name, "d", "t", (1,), 0, 4, "text"), score, dense, 3.0, rank)


def test_what_both_queries_find_comes_before_what_one_finds() -> None:
    own = [hit("a", 0.9, 1), hit("b", 0.6, 2), hit("c", 0.5, 3)]
    other = [hit("b", 0.9, 1), hit("d", 0.8, 2), hit("e", 0.3, 3)]
    found = merged([own, other], 3)
    assert [(h.chunk.id, h.rank) for h in found] == [("b", 1), ("d", 2), ("a", 3)]
    assert found[0].score == pytest.approx((0.6 + 0.9) / 2)
    assert found[2].score == pytest.approx((0.9 + 0.3) / 2)


def test_the_scores_that_decide_stay_the_questions_own() -> None:
    own, other = [hit("a", 0.9, 1, dense=0.7)], [hit("a", 0.9, 1, dense=0.99), hit("d", 0.9, 2, dense=0.99)]
    found = {h.chunk.id: h for h in merged([own, other], 2)}
    assert (found["a"].dense_score, found["a"].bm25_score) == (0.7, 3.0)
    assert (found["d"].dense_score, found["d"].bm25_score) == (0.7, 0.0)


def test_nothing_changes_without_another_query() -> None:
    own = [hit("a", 0.9, 1), hit("b", 0.6, 2)]
    assert merged([own], 2) == own


async def test_an_answer_searches_for_what_the_model_wrote_and_says_so(
    dsn: str, scripted: Scripted, tmp_path: Any
) -> None:
    scripted.status, scripted.script = 200, by_option
    settings = Settings(
        data_dir=tmp_path, database_url=dsn, store="memory", generator_url=scripted.url, multi_query="step_back"
    )
    with Container(settings) as container:
        load_hospital(container)
        question = new_question(LOCAL_USER, container, QUESTION, mode=Mode.SOURCES)
        (answer,) = [event.answer async for event in ask(question, LOCAL_USER, container) if isinstance(event, Done)]
        await container.generator.close()
        assert answer.stats["searched_also"] == ["Wat is de dosering van paracetamol bij kinderen?"]
        assert answer.query == QUESTION
        assert answer.sources[0].document.source == "paracetamol-kind.pdf"
        vector = container.embedder.query(QUESTION)

        def search(text: str) -> list[Hit]:
            return container.store.search(text, container.embedder.query(text), 3, Filters(), 0.65, "information")

        found = search_all(search, QUESTION, ["Wanneer is het restaurant open?"], 3)
        assert {h.chunk.title for h in found} >= {"Openingsuren van het restaurant"}
        assert np.isclose(
            max(h.dense_score for h in found),
            max(h.dense_score for h in container.store.search(QUESTION, vector, 3, Filters(), 0.65)),
        )
        empty(container)
