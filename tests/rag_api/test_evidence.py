"""Candidate sentences: which stand in the prompt's passages, once each, and the best first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_api.evidence import candidates
from rag_api.types import Chunk, Hit


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
        assert hits[c.passage].chunk.text[c.start : c.end] == c.text


def test_headings_answer_nothing() -> None:
    assert all("Dosering\n" not in c.text for c in candidates("dosering", [hit(TEXT)], EMBEDDER))


def test_text_shared_by_overlapping_chunks_counts_once_in_the_better_hit() -> None:
    text = "Een eerste zin hier. Een gedeelde zin daar. Een laatste zin nog.\n"
    begin = text.index("Een gedeelde")
    middle = text.index("Een laatste")
    hits = [hit(text[begin:], begin), hit(text[:middle])]
    found = candidates("gedeelde zin", hits, EMBEDDER)
    assert sorted((c.text.strip(), c.passage) for c in found) == [
        ("Een eerste zin hier.", 1),
        ("Een gedeelde zin daar.", 0),
        ("Een laatste zin nog.", 0),
    ]


def test_a_sentence_that_the_chunks_border_cuts_is_no_candidate() -> None:
    text = "Geef dit nooit aan kinderen onder twaalf jaar. Spoel na.\n"
    border = text.index("kinderen")
    cut = hit(text[border:], border)
    assert [c.text for c in candidates("kinderen", [cut], EMBEDDER)] == ["Spoel na.\n"]
    # With a capital the cut cannot be seen in the chunk: the document's text tells.
    capital = text.replace("kinderen", "Kinderen")
    cut = hit(capital[border:], border)
    assert [c.text for c in candidates("kinderen", [cut], EMBEDDER, texts={"d": capital})] == ["Spoel na.\n"]


def test_a_cut_sentence_is_better_than_none() -> None:
    cut = hit("kinderen onder twaalf jaar krijgen dit nooit zonder", 10)
    assert [c.text for c in candidates("kinderen", [cut], EMBEDDER)] == [cut.chunk.text]


def test_the_better_passage_wins_between_equal_sentences() -> None:
    hits = [hit("Geef 1 g.\n", document="a", score=0.2), hit("Geef 1 g.\n", document="b", score=0.9)]
    assert [c.passage for c in candidates("geef 1 g", hits, EMBEDDER)] == [1, 0]


def test_no_more_than_the_limit_and_nothing_from_nothing() -> None:
    many = hit("".join(f"Zin nummer {n} staat hier. " for n in range(30)))
    assert len(candidates("zin", [many], EMBEDDER, limit=8)) == 8
    assert candidates("zin", [], EMBEDDER) == []


@pytest.mark.parametrize("question", ["", "***", "\ud800", "💊"])
def test_odd_questions_still_get_candidates(question: str) -> None:
    assert candidates(question, [hit(TEXT)], EMBEDDER)
