"""A second reader that must agree: it lets through what it points to, refuses the rest, and chooses
nothing itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_api.answering.agreement_decision import chosen_again
from rag_api.answering.ask import ask, chosen, new_question
from rag_api.answering.choosing.agreement import (
    FARTHEST,
    MOST,
    NEEDED,
    Agreement,
    ReadPassages,
    agrees,
    chosen_by_both,
    read_again,
)
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import LOCAL_USER, AnswerStatus, Candidate, Chunk, Document, Hit, Nearest
from rag_api.errors import GeneratorUnavailable
from rag_api.qa_readers.adapter import AdapterReader
from rag_api.retrieval.decision.answerability import Rule
from rag_api.retrieval.decision.calibration import FILE, NotFoundModel, WithReader, calibration, write
from rag_api.retrieval.find import Retrieval
from rag_api.retrieval.reader_model.passages import ReadingLine, ReadingPassage
from rag_api.retrieval.reader_model.pointing_reader import PointedReading
from rag_api.retrieval.sentence_scorer import Scored
from rag_api.text.quotable.quotable_spans import Quotable
from rag_api.text.sentence_splitter import LineKind
from rag_api.upkeep import component_checks as parts
from tests.rag_api.retrieval.reader_model.test_pointing_reader import QUESTION, answer_to, pointing
from tests.support.scripted_server import Scripted

QUOTED = "15 mg/kg"
TEXT = "Bel de arts en dien 20 mmol toe."


@pytest.fixture
def settings(settings: Settings, server: Scripted) -> Settings:
    return settings.model_copy(update={"generator_url": server.url, "reader": "agreeing:reader", "risk": "balanced"})


async def test_what_both_point_to_is_quoted(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    pointing(monkeypatch, QUOTED, 1.0)
    answer = await answer_to(container, QUESTION)
    assert answer.status == AnswerStatus.ANSWERED
    assert QUOTED in answer.text
    assert answer.stats["agreement"] == [
        {"points": pytest.approx(1.0, abs=1e-3), "answers": pytest.approx(1.0, abs=1e-3)}
    ]


@pytest.mark.parametrize(("words", "odds"), [("no such words", 5.0), (QUOTED, -4.5)])
async def test_what_the_other_does_not_point_to_or_only_faintly_is_refused_with_its_sources(
    container: Container,
    server: Scripted,
    documents: dict[str, Document],
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    odds: float,
) -> None:
    pointing(monkeypatch, words, odds)
    answer = await answer_to(container, QUESTION)
    assert (answer.status, answer.text) == (AnswerStatus.NOT_FOUND, "")
    assert answer.sources
    assert not server.requests, "nothing is asked to be written"


async def test_where_the_other_is_away_nothing_is_quoted_that_it_has_not_read(
    container: Container, server: Scripted, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> list[PointedReading]:
        raise GeneratorUnavailable("away")

    monkeypatch.setattr(AdapterReader, "point", away)
    answer = await answer_to(container, QUESTION)
    assert answer.status == AnswerStatus.SOURCES_ONLY
    assert [notice.code for notice in answer.notices][-1] == "generator_down"
    assert not server.requests


async def test_what_only_the_other_might_answer_is_not_called_unanswered_while_it_is_away(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> list[PointedReading]:
        raise GeneratorUnavailable("away")

    embedder, reader = container.embedder.name, container.agreeing
    assert reader is not None
    shipped = calibration(embedder)
    assert shipped.not_found is not None
    unsure = replace(shipped.not_found, threshold=1.0, by_risk={})
    both = replace(shipped, not_found=unsure, agreeing={reader.name: WithReader(replace(FITTED, threshold=0.2), 0.0)})
    write(container.settings.data_dir / FILE, embedder, both)
    monkeypatch.setattr(AdapterReader, "point", away)
    answer = await answer_to(container, QUESTION)
    assert answer.status == AnswerStatus.SOURCES_ONLY
    assert [notice.code for notice in answer.notices][-1] == "generator_down"


async def test_a_question_that_is_refused_anyway_and_sources_alone_are_not_read(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def point(self: AdapterReader, question: str, passages: list[ReadingPassage]) -> list[PointedReading]:
        asked.append(question)
        return [PointedReading(-8.0, 0, 0, 0.0) for _ in passages]

    monkeypatch.setattr(AdapterReader, "point", point)
    assert (await answer_to(container, "Wie wint de Ronde van Vlaanderen?")).status == AnswerStatus.NOT_FOUND
    assert asked == []
    await answer_to(container, QUESTION)
    assert asked == [QUESTION]


BOTH = f"{QUESTION} En hoe laat is het restaurant open?"


@pytest.mark.parametrize(
    ("pointed", "said", "left"),
    [("15 mg/kg", "15 mg/kg", "restaurant"), ("11.30", "11.30", "paracetamol"), ("no such words", "", "")],
)
async def test_of_two_things_asked_each_is_agreed_on_by_itself(
    container: Container,
    documents: dict[str, Document],
    monkeypatch: pytest.MonkeyPatch,
    pointed: str,
    said: str,
    left: str,
) -> None:
    pointing(monkeypatch, pointed, 3.0)
    answer = await answer_to(container, BOTH)
    assert answer.status == (AnswerStatus.ANSWERED if said else AnswerStatus.NOT_FOUND)
    assert said in answer.text
    assert sum(one in answer.text for one in ("15 mg/kg", "11.30")) == bool(said)
    lacking = [one.text for one in answer.notices if one.code == "part_not_found"]
    assert [left in text for text in lacking] == ([True] if said else [])
    assert len(answer.stats["agreement"]) == 2


@pytest.mark.parametrize(("threshold", "careful", "quoted"), [(0.2, 0.3, True), (0.2, 0.99, False)])
async def test_half_an_answer_must_be_sure(
    container: Container,
    documents: dict[str, Document],
    monkeypatch: pytest.MonkeyPatch,
    threshold: float,
    careful: float,
    quoted: bool,
) -> None:
    assert container.agreeing is not None
    fitted = replace(FITTED, threshold=threshold, by_risk={"balanced": threshold, "careful": careful})
    own = replace(calibration(container.embedder.name), agreeing={container.agreeing.name: WithReader(fitted, 0.0)})
    write(container.settings.data_dir / FILE, container.embedder.name, own)
    pointing(monkeypatch, QUOTED, 3.0)
    whole = await answer_to(container, QUESTION)
    assert QUOTED in whole.text, whole.stats
    answer = await answer_to(container, BOTH)
    assert (QUOTED in answer.text) is quoted
    assert ("half" in str(answer.stats["agreement"])) is not quoted


@pytest.mark.parametrize(("odds", "sure"), [(3.0, True), (-1.0, False)])
async def test_an_answer_that_is_likelier_wrong_than_right_says_so_and_nothing_of_it_stands_out(
    container: Container,
    documents: dict[str, Document],
    monkeypatch: pytest.MonkeyPatch,
    odds: float,
    sure: bool,
) -> None:
    assert container.agreeing is not None
    own = replace(
        calibration(container.embedder.name),
        agreeing={container.agreeing.name: WithReader(replace(FITTED, threshold=0.05), 0.0)},
    )
    write(container.settings.data_dir / FILE, container.embedder.name, own)
    pointing(monkeypatch, QUOTED, odds)
    answer = await answer_to(container, QUESTION)
    assert QUOTED in answer.text
    assert (answer.stats["agreement"][0]["chance"] >= 0.5) is sure
    assert ("unsure" in {one.code for one in answer.notices}) is not sure
    assert any(piece.asked or piece.pointed for one in answer.citations for piece in one.pieces) is sure


async def test_what_stands_in_the_row_that_is_quoted_for_something_else_is_not_said_to_be_missing(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    pointing(monkeypatch, QUOTED, 3.0)
    answer = await answer_to(container, f"{QUESTION} En hoeveel mg per kg is dat bij een kind?")
    assert QUOTED in answer.text
    assert len(answer.stats["asked_apart"]) == 2
    assert len(answer.stats["agreement"]) == 2
    assert "part_not_found" not in {one.code for one in answer.notices}


async def test_the_sources_stand_before_they_are_read(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []

    def point(self: AdapterReader, question: str, passages: list[ReadingPassage]) -> list[PointedReading]:
        assert shown == ["Stage", "Nearest", "Stage"], "who asked sees the sources while they are read"
        return [PointedReading(-8.0, 0, 0, 0.0) for _ in passages]

    monkeypatch.setattr(AdapterReader, "point", point)
    asked = new_question(LOCAL_USER, container, QUESTION)
    async for event in ask(asked, LOCAL_USER, container):
        shown.append(type(event).__name__)
        if isinstance(event, Nearest):
            assert event.sources[0].document.id == documents["child"].id
    assert shown == ["Stage", "Nearest", "Stage", "Found", "Done"]
    shown.clear()
    async for event in ask(
        new_question(LOCAL_USER, container, "Wie wint de Ronde van Vlaanderen?"), LOCAL_USER, container
    ):
        shown.append(type(event).__name__)
    assert shown == ["Stage", "Found", "Done"], "nothing is read"


async def test_the_doctor_reads_a_line_with_it(container: Container, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GeneratorUnavailable):
        parts.agreeing(container)  # a server that has nothing to score with
    pointing(monkeypatch, "-", 0.0)
    found = parts.agreeing(container)
    assert found is not None
    assert "reader" in found.what


class Sure:
    name = "sure"

    def point(self, question: str, passages: Sequence[ReadingPassage]) -> list[PointedReading]:
        return [PointedReading(2.0, 0, 0, 0.0) for _ in passages]

    def close(self) -> None: ...


@pytest.mark.parametrize("best", range(7))
def test_the_first_passages_are_read_and_wherever_it_stands_that_with_the_best_sentence(best: int) -> None:
    hits = tuple(Hit(Chunk(f"{n}", f"{n}", "A", (1,), 0, len(TEXT), TEXT), 0.9, 0.9, 1.0, n + 1) for n in range(7))
    sentence = Scored(Candidate(f"{best}", 0, len(TEXT), (), TEXT, 0.0, best + 1), (), "A")
    texts = {f"{n}": TEXT for n in range(7)}
    read = read_again(
        "hoeveel?", Retrieval(hits, 0.9, True, may_be_quoted=hits, scored=(sentence,), texts=texts), Sure()
    )
    assert read is not None
    assert [passage.document_id for passage in read.passages] == [f"{n}" for n in sorted({0, 1, 2, best})]


def test_only_what_was_searched_can_be_agreed_on() -> None:
    def of(name: str) -> Retrieval:
        hit = Hit(Chunk(name, name, name, (1,), 0, len(TEXT), TEXT), 0.9, 0.9, 1.0, 1)
        return Retrieval((hit,), 0.9, True, may_be_quoted=(hit,), texts={name: TEXT})

    quoted = [Candidate("kalium", 0, len(TEXT), (), TEXT, 0.0, 1)]

    def told(places: Sequence[Candidate], found: Retrieval) -> Agreement:
        read = read_again("hoeveel?", found, Sure())
        assert read is not None
        return read.of(places, found.texts)

    assert told(quoted, of("kalium")).points == pytest.approx(2.0)
    assert told(quoted, of("natrium")) == Agreement(-FARTHEST, -FARTHEST)
    assert told([], of("kalium")) == Agreement(), "nothing is to be quoted"


# --- Weights that were fitted: how sure the choice was and what the other makes of it, together

FITTED = NotFoundModel({"intercept": -1.0, "confidence": 1.0, "points": 0.5, "answers": 0.5, "crossed": 0.0}, 0.5)


@pytest.mark.parametrize(
    ("confidence", "points", "answers", "quoted"),
    [
        (0.5, 2.0, 2.0, True),
        (0.5, 2.0, -2.0, False),
        (0.05, 4.0, 4.1, True),
        (0.99, -8.0, -8.0, False),
        (0.99, -4.0, 0.0, True),
    ],
)
def test_what_one_is_unsure_of_the_other_may_make_up_for(
    confidence: float, points: float, answers: float, quoted: bool
) -> None:
    found = Retrieval((), confidence, answerable=False)
    assert agrees(Agreement(points, answers), found, FITTED, None) is quoted
    assert not agrees(Agreement(points, answers), replace(found, forbidden=Rule.WITHOUT), FITTED, None), (
        "a rule is against it"
    )
    assert not agrees(Agreement(points, answers), found, FITTED, 0.999), "another threshold"
    assert not agrees(Agreement(points, answers), found, None, None), (
        "nobody measured this reader: the choice is not sure by itself"
    )


def test_of_a_reader_that_nobody_measured_a_faint_pointing_is_none() -> None:
    found = Retrieval((), 0.9, answerable=True)
    assert agrees(Agreement(likeliest=NEEDED), found, None, None)
    assert not agrees(Agreement(8.0, 8.0, NEEDED - 0.1), found, None, None)
    assert agrees(MOST, found, None, None)


async def test_a_choice_below_its_own_threshold_is_quoted_where_the_other_is_sure(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder, reader = container.embedder.name, container.agreeing
    assert reader is not None
    shipped = calibration(embedder)
    assert shipped.not_found is not None
    unsure = replace(shipped, not_found=replace(shipped.not_found, threshold=1.0, by_risk={}))
    write(container.settings.data_dir / FILE, embedder, unsure)
    pointing(monkeypatch, QUOTED, 8.0)
    assert (await answer_to(container, QUESTION)).status == AnswerStatus.NOT_FOUND
    write(
        container.settings.data_dir / FILE,
        embedder,
        replace(unsure, agreeing={reader.name: WithReader(replace(FITTED, threshold=0.2), 0.0)}),
    )
    answer = await answer_to(container, QUESTION)
    assert answer.status == AnswerStatus.ANSWERED
    assert QUOTED in answer.text
    pointing(monkeypatch, QUOTED, -8.0)
    assert (await answer_to(container, QUESTION)).status == AnswerStatus.NOT_FOUND


# --- Both choose


def line(n: int, text: str) -> Candidate:
    return Candidate("kalium", n * 10, n * 10 + 10, (), text, -float(n), 1)


def of_lines(*begins: float) -> ReadPassages:
    """A passage of lines of ten characters, and where an answer begins in it, in shares."""
    texts = [f"{n} mmol...."[:10] for n in range(len(begins))]
    lines = tuple(
        ReadingLine(text, Quotable(n * 10, n * 10 + 10, kind=LineKind.PROSE, block=n)) for n, text in enumerate(texts)
    )
    first = max(range(len(begins)), key=begins.__getitem__)
    told = tuple(math.log(max(1e-9, share)) for share in begins)
    reading = PointedReading(2.0, first, first, told[first] + math.log(0.5), told)
    return ReadPassages((ReadingPassage("kalium", 1, "Kalium", "", lines),), (reading,))


def test_what_the_reader_gives_more_to_is_chosen_and_how_much_it_says_is_weighed() -> None:
    read = of_lines(0.2, 0.75, 0.05)
    found = Retrieval(
        (), 0.5, True, scored=tuple(Scored(line(n, f"{n}"), (), "Kalium") for n in range(3)), texts={"kalium": "x" * 30}
    )
    assert chosen_by_both(found, read, 0.0).sentences == found.sentences, "it has nothing to say"
    assert [one.start for one in chosen_by_both(found, read, 0.3).sentences] == [0, 10, 20], (
        "the sentences' own weighs more"
    )
    assert [one.start for one in chosen_by_both(found, read, 1.0).sentences] == [10, 0, 20]
    told = read.of([line(0, "0")], found.texts)
    assert told.points == pytest.approx(math.log(0.2 / (1 + math.exp(-2.0)) / (1 - 0.2 / (1 + math.exp(-2.0)))))
    assert told.answers == 2.0
    assert told.points > NEEDED, "a share is there"
    assert not agrees(told, found, None, None), "but it points elsewhere, and nobody measured what a share says"
    assert agrees(read.of([line(1, "1")], found.texts), found, None, None)
    assert read.odds_of(replace(line(1, "1"), document_id="natrium")) == -FARTHEST, "nobody read it"


def test_an_answer_that_begins_with_a_header_goes_on_in_its_rows() -> None:
    read = of_lines(0.3, 0.04, 0.06, 0.6)
    (passage,) = read.passages
    rows = [replace(one, introduced_by=(0,) if n in (1, 2) else ()) for n, one in enumerate(passage.lines)]
    table = replace(read, passages=(replace(passage, lines=(replace(rows[0], quote=None), *rows[1:])),))
    row, alone = line(2, ""), read.odds_of(line(2, ""))
    assert alone < table.odds_of(row, introduced=True) == pytest.approx(of_lines(0.4, 0.0, 0.36).odds_of(row))
    assert table.odds_of(row) == table.of([row], {"kalium": "x" * 40}).points == alone, "the decision is on the row"
    assert table.odds_of(line(3, ""), introduced=True) == read.odds_of(line(3, "")), "the header is not above it"
    assert table.odds_of(line(0, "")) == -FARTHEST, "no quote of its own"


@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=8), st.data())
def test_a_place_has_at_least_the_odds_of_each_of_its_lines(shares: list[float], data: st.DataObject) -> None:
    read = of_lines(*(share / sum(shares) for share in shares))
    n = data.draw(st.integers(0, len(shares) - 1))
    own, whole = read.odds_of(line(n, "")), read.odds_of(replace(line(0, ""), end=10 * len(shares)))
    assert -FARTHEST <= own <= whole + 1e-9


def test_what_would_be_quoted_is_chosen_again_by_both(
    container: Container, documents: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = container.agreeing
    assert reader is not None
    pointing(monkeypatch, "zes uur", 4.0)
    for weight, words in ((0.0, QUOTED), (8.0, "zes uur")):
        builder, _ = chosen(new_question(LOCAL_USER, container, QUESTION), LOCAL_USER, container)
        assert chosen_again(builder, reader, weight) is not None
        assert words in builder.asked[0].sentences[0].own
    assert chosen_again(builder, reader, 8.0, lambda _: False) == [None], "nothing is read for what no agreement helps"
