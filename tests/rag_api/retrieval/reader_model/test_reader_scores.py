"""A reader's scores of the hits: log-odds of their sentences and signals for the decision."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import typer

from rag_api.cli.console import read_settings
from rag_api.domain import Candidate, Chunk, Hit
from rag_api.errors import GeneratorUnavailable, InvalidInput
from rag_api.retrieval.reader_model.reader import PassageJudgement, ReaderPassage
from rag_api.retrieval.reader_model.reader_scores import UNREAD, passages_of, read, rescored
from rag_api.retrieval.sentence_scorer import Scored

Captured = pytest.CaptureFixture[str]

pytestmark = pytest.mark.quick

FIRST, SECOND = "Spoel wekelijks. Bel bij koorts.", "Verwijder na 14 dagen."
HITS = [
    Hit(Chunk("a", "d", "PICC", (1,), 100, 132, FIRST), 0.5, 0.5, 1.0, 1),
    Hit(Chunk("b", "e", "Port", (1,), 0, 22, SECOND), 0.5, 0.5, 1.0, 2),
]
SENTENCES = [
    Candidate("e", 0, 22, (), SECOND, 3.0, 2),
    Candidate("d", 100, 116, ((80, 90),), "Kinderen:\nSpoel wekelijks.", 2.0, 1),
    Candidate("d", 117, 140, (), "Bel bij koorts. Dus nu.", 1.0, 1),  # sticks out of its chunk
]


class Scripted:
    name = "scripted"

    def __init__(self, answers: dict[str, float], fails: bool = False) -> None:
        self.answers, self.fails = answers, fails

    def judge(self, question: str, passages: Sequence[ReaderPassage]) -> list[PassageJudgement]:
        if self.fails:
            raise GeneratorUnavailable("silent")
        return [
            PassageJudgement(self.answers[p.title], tuple(-math.log(len(p.spans)) for _ in p.spans)) for p in passages
        ]

    def close(self) -> None: ...


def test_a_passage_is_its_chunk_with_its_sentences_and_what_they_are_read_after() -> None:
    (picc, picc_members), (port, port_members) = passages_of(HITS, SENTENCES)
    assert (picc.title, picc.heading, picc.text, picc.spans) == ("PICC", "Kinderen:", FIRST, ((0, 16), (17, 32)))
    assert (port.spans, port_members, picc_members) == (((0, 22),), (0,), (1, 2))


def test_a_list_of_the_document_that_stands_outside_every_passage_found_is_not_read() -> None:
    outside = [
        *SENTENCES,
        Candidate("d", 0, 90, (), "Meteen doen: spoel.", 0.5, 1),
        Candidate("d", 140, 180, (), "Later.", 0.4, 1),
    ]
    (_, members), _ = passages_of(HITS, outside)
    assert members == (1, 2)
    found = read("vraag", HITS, outside, Scripted({"PICC": 2.0, "Port": -1.0}))
    assert found is not None
    assert found.spans[3:] == (UNREAD, UNREAD)


def test_each_sentence_gets_the_log_odds_that_its_passage_answers_and_that_it_is_where() -> None:
    found = read("vraag", HITS, SENTENCES, Scripted({"PICC": 2.0, "Port": -1.0}))
    assert found is not None
    assert found.answers == 2.0
    assert found.spans == pytest.approx([-1.0, 2.0 + math.log(0.5), 2.0 + math.log(0.5)])


def test_the_readers_weight_may_put_another_sentence_first() -> None:
    found = read("vraag", HITS, SENTENCES, Scripted({"PICC": 5.0, "Port": -5.0}))
    assert found is not None
    scored = [Scored(one, (0.0,) * 4, "t") for one in SENTENCES]
    assert rescored(scored, found, 0.0)[0][0].candidate.document_id == "e"
    best, again = rescored(scored, found, 1.0)
    assert best[0].candidate.text.endswith("Spoel wekelijks.")
    assert again.signals(0) == {"reader": 5.0, "reader_span": again.spans[0]}
    assert again.spans[0] == found.spans[1]


def test_a_reader_that_is_silent_or_has_nothing_to_read_changes_nothing() -> None:
    assert read("vraag", HITS, SENTENCES, Scripted({}, fails=True)) is None
    assert read("vraag", HITS, [], Scripted({})) is None
    very_unlikely = read("vraag", HITS, SENTENCES, Scripted({"PICC": -40.0, "Port": -40.0}))
    assert very_unlikely is not None
    assert min(very_unlikely.spans) == UNREAD


def test_a_span_outside_its_passage_is_refused() -> None:
    with pytest.raises(InvalidInput, match="outside"):
        ReaderPassage("", "", "kort", ((0, 5),))


def test_log_odds_of_spans_compare_across_passages() -> None:
    sure, unsure = PassageJudgement(4.0, (math.log(0.8), math.log(0.2))), PassageJudgement(-2.0, (0.0,))
    assert sure.span_log_odds()[0] > sure.span_log_odds()[1] > unsure.span_log_odds()[0]
    assert unsure.span_log_odds()[0] == pytest.approx(-2.0)


@pytest.mark.parametrize("gone", ["bedside", "/models/reranker", "BAAI/bge-reranker-v2-m3"])
def test_a_reader_that_is_gone_is_told_at_start_in_one_sentence(
    gone: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("BEDSIDE_READER", gone)
    with pytest.raises(typer.Exit):
        read_settings()
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith(f"BEDSIDE_READER: '{gone}' does not read questions")
    assert "leave the setting out" in told
