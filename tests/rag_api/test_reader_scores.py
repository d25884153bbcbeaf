"""What a reader makes of the hits: log-odds of their sentences and signals for the decision; the numbers of a Hugging Face reader."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from rag_api.domain import Candidate, Chunk, Hit
from rag_api.errors import ConfigurationError, GeneratorUnavailable
from rag_api.readers.hugging_face import UNREAD as BEYOND
from rag_api.readers.hugging_face import judgement_of, open_hugging_face
from rag_api.retrieval.reader import Judgement, Passage
from rag_api.retrieval.reader_scores import UNREAD, passages_of, read, rescored
from rag_api.retrieval.sentence_scorer import Scored

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

    def judge(self, question: str, passages: Sequence[Passage]) -> list[Judgement]:
        if self.fails:
            raise GeneratorUnavailable("silent")
        return [Judgement(self.answers[p.title], tuple(-math.log(len(p.spans)) for _ in p.spans)) for p in passages]

    def close(self) -> None: ...


def test_a_passage_is_its_chunk_with_its_sentences_and_what_they_are_read_after() -> None:
    (picc, picc_members), (port, port_members) = passages_of(HITS, SENTENCES)
    assert (picc.title, picc.heading, picc.text, picc.spans) == ("PICC", "Kinderen:", FIRST, ((0, 16), (17, 32)))
    assert (port.spans, port_members, picc_members) == (((0, 22),), (0,), (1, 2))


def test_a_list_of_the_document_that_stands_outside_every_passage_found_is_not_read() -> None:
    outside = [*SENTENCES, Candidate("d", 0, 90, (), "Meteen doen: spoel.", 0.5, 1), Candidate("d", 140, 180, (), "Later.", 0.4, 1)]
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


def test_a_span_is_worth_its_best_start_and_later_end_and_no_answer_is_the_first_token() -> None:
    offsets = np.array([[0, 0], [0, 3], [4, 7], [8, 11], [12, 15]])
    second = np.array([False, True, True, True, True])
    starts, ends = np.array([1.0, 0, 3, 0, 2], np.float32), np.array([1.0, 9, 0, 1, 2], np.float32)
    passage = Passage("t", "", "een twee drie vier", ((4, 11), (12, 15), (16, 18)))
    judged = judgement_of(passage, 0, starts, ends, offsets, second)
    assert judged.answers == pytest.approx(9.0 - 2.0)  # the first word alone: 0 + 9
    values = [3.0 + 1.0, 2.0 + 2.0, BEYOND]
    assert judged.spans[:2] == pytest.approx([math.log(0.5)] * 2)
    assert judged.spans[2] < values[2] + 10


def test_a_model_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigurationError, match="could not be loaded"):
        open_hugging_face("/nowhere/at/all")
