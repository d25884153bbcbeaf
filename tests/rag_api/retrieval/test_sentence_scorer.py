"""Candidate sentences: which stand in the prompt's passages, once each, and the best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_api.domain import Candidate, Chunk, Hit
from rag_api.retrieval import sentence_scorer as evidence
from rag_api.retrieval.decision.calibration import SentenceWeights
from rag_api.text.word_match import coverage, sought_words
from tests.support.questions import analysed

pytestmark = pytest.mark.quick


class WordEmbedder:
    """Texts as bags of words on a few axes: similarity by shared words, computed by hand."""

    name, dim = "words", 64

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.query(t) for t in texts]) if texts else np.empty((0, self.dim), np.float32)

    def query(self, text: str) -> NDArray[np.float32]:
        vector = np.full(self.dim, 0.01, np.float32)
        for word in text.lower().replace(".", " ").replace(":", " ").split():
            vector[sum(map(ord, word)) % self.dim] += 1
        return vector / np.linalg.norm(vector)


EMBEDDER = WordEmbedder()


def candidates(
    question: str, hits: list[Hit], embedder: WordEmbedder, limit: int = 8, texts: dict[str, str] | None = None
) -> list[Candidate]:
    ranked = [replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)]
    return [
        s.candidate
        for s in evidence.scored_sentences(analysed(question), ranked, embedder, SentenceWeights(30, 40, 2.5, 1), texts)
    ][:limit]


def hit(text: str, start: int = 0, document: str = "d", score: float = 1.0, title: str = "Titel") -> Hit:
    return Hit(Chunk(f"{document}:{start}", document, title, (1,), start, start + len(text), text), score, 0.9, 1.0, 1)


TEXT = "2. Dosering\nGeef paracetamol 15 mg/kg aan een kind. Spoel de leiding na. Noteer de gift in het dossier.\n"


def test_the_sentence_that_shares_the_questions_words_comes_first() -> None:
    found = candidates("paracetamol kind", [hit(TEXT)], EMBEDDER)
    assert found[0].text == "Geef paracetamol 15 mg/kg aan een kind. "
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)


def test_every_candidate_is_a_span_of_its_passage() -> None:
    hits = [hit(TEXT), hit("Bewaar koel. Niet invriezen.\n", document="e")]
    for c in candidates("paracetamol bewaren", hits, EMBEDDER):
        assert hits[c.rank - 1].chunk.document_id == c.document_id
        assert hits[c.rank - 1].chunk.text[c.start : c.end] == c.text


def test_headings_answer_nothing() -> None:
    assert all("Dosering\n" not in c.text for c in candidates("dosering", [hit(TEXT)], EMBEDDER))


def test_text_shared_by_overlapping_chunks_counts_once_in_the_better_hit() -> None:
    text = "Een eerste zin hier. Een gedeelde zin daar. Een laatste zin nog.\n"
    begin = text.index("Een gedeelde")
    middle = text.index("Een laatste")
    hits = [hit(text[begin:], begin), hit(text[:middle])]
    found = candidates("gedeelde zin", hits, EMBEDDER)
    assert sorted((c.text.strip(), c.rank) for c in found) == [
        ("Een eerste zin hier.", 2),
        ("Een gedeelde zin daar.", 1),
        ("Een laatste zin nog.", 1),
    ]


def test_a_sentence_that_the_chunks_border_cuts_is_no_candidate() -> None:
    text = "Geef dit nooit aan kinderen onder twaalf jaar. Spoel na.\n"
    border = text.index("kinderen")
    cut = hit(text[border:], border)
    assert [c.text for c in candidates("kinderen", [cut], EMBEDDER)] == ["Spoel na.\n"]


def test_a_sentence_that_stands_mostly_in_the_chunk_is_taken_whole_from_the_document() -> None:
    text = "Geef dit nooit aan Kinderen onder twaalf jaar. Spoel na.\n"
    late, early = text.index("Kinderen"), text.index("dit")
    assert [c.text for c in candidates("kinderen", [hit(text[early:], early)], EMBEDDER, texts={"d": text})] == [
        "Geef dit nooit aan Kinderen onder twaalf jaar. ",
        "Spoel na.\n",
    ]
    assert [c.text for c in candidates("kinderen", [hit(text[late + 9 :], late + 9)], EMBEDDER, texts={"d": text})] == [
        "Spoel na.\n"
    ]


def test_a_lead_may_stand_before_the_passage() -> None:
    text = "Niet geven bij:\n- koorts boven 39 graden\n- ernstige leverinsufficientie\n"
    border = text.index("- ernstige")
    (found,) = candidates("leverinsufficientie", [hit(text[border:], border)], EMBEDDER, texts={"d": text})
    assert found.text == "Niet geven bij:\n- ernstige leverinsufficientie\n"
    assert (text[found.start : found.end], found.lead) == ("- ernstige leverinsufficientie\n", ((0, 16),))


def test_a_row_whose_range_holds_for_the_questions_number_is_better() -> None:
    rows = [hit(f"Kind van {low} tot {low + 9} jaar\t{low} mg\n", document=str(low)) for low in (1, 10, 20)]
    ranked = [replace(hit, rank=rank) for rank, hit in enumerate(rows, 1)]
    found = evidence.scored_sentences(analysed("dosis kind 12 jaar"), ranked, EMBEDDER, SentenceWeights(0, 0, 1, 0))
    assert [(s.candidate.document_id, s.candidate.score) for s in found] == [("10", 1), ("1", -1), ("20", -1)]


def test_the_title_of_the_document_is_no_sentence_of_it() -> None:
    text = "Paracetamol intraveneus bij volwassenen op de afdeling spoed en de PAZA\nGeef 1 g.\n"
    title = text.splitlines()[0]
    assert [c.text for c in candidates("paracetamol", [hit(text, title=title)], EMBEDDER)] == ["Geef 1 g.\n"]


def test_words_of_the_title_tell_no_sentence_from_another() -> None:
    sought = sought_words("hoeveel paracetamol per gift?", lambda word: [])
    assert coverage(sought, "Paracetamol", "Geef 1 g per gift.") == 1.0 > coverage(sought, "", "Geef 1 g per gift.")
    assert coverage(sought, "Paracetamol", "Spoel de leiding.") < 0.5
    assert coverage([], "Paracetamol", "Geef 1 g.") == 0.0
    brand, typed = sought_words("dafalgan", lambda word: ["paracetamol IV"]), sought_words("dafalgan", lambda word: [])
    assert coverage(brand, "Pijn", "Geef paracetamol IV.") == 1.0 > coverage(typed, "Pijn", "Geef paracetamol IV.")


def test_a_cut_sentence_is_better_than_none() -> None:
    cut = hit("kinderen onder twaalf jaar krijgen dit nooit zonder", 10)
    assert [c.text for c in candidates("kinderen", [cut], EMBEDDER)] == [cut.chunk.text]


def test_the_better_passage_wins_between_equal_sentences() -> None:
    hits = [hit("Geef 1 g.\n", document="a", score=0.2), hit("Geef 1 g.\n", document="b", score=0.9)]
    assert [c.document_id for c in candidates("geef 1 g", hits, EMBEDDER)] == ["b", "a"]


def test_no_more_than_the_limit_and_nothing_from_nothing() -> None:
    many = hit("".join(f"Zin nummer {n} staat hier. " for n in range(30)))
    assert len(candidates("zin", [many], EMBEDDER, limit=8)) == 8
    assert candidates("zin", [], EMBEDDER) == []


@pytest.mark.parametrize("question", ["", "***", "\ud800", "💊"])
def test_odd_questions_still_get_candidates(question: str) -> None:
    assert candidates(question, [hit(TEXT)], EMBEDDER)


ACCIDENT = (
    "1. Meteen doen\n1. Spoel de wonde vijf minuten.\n2. Ontsmet en dek af.\n\n"
    "2. Voorkomen\nSteek een gebruikte naald nooit terug. Vervang de container.\n"
)


@pytest.mark.parametrize(
    ("question", "there"), [("geprikt aan een naald, wat nu", True), ("hoe vaak de container vervangen", False)]
)
def test_what_is_done_at_once_is_among_the_sentences_wherever_the_best_document_says_it(
    question: str, there: bool
) -> None:
    at = ACCIDENT.index("2. Voorkomen")
    found = candidates(question, [hit(ACCIDENT[at:], at)], EMBEDDER, texts={"d": ACCIDENT})
    assert any("Ontsmet" in c.text for c in found) is there


def test_what_another_document_says_is_done_at_once_is_not() -> None:
    at = ACCIDENT.index("2. Voorkomen")
    other = hit("Een naald ligt in de container.\n", document="e")
    found = candidates(
        "geprikt aan een naald, wat nu", [other, hit(ACCIDENT[at:], at)], EMBEDDER, texts={"d": ACCIDENT}
    )
    assert not any("Ontsmet" in c.text for c in found)
