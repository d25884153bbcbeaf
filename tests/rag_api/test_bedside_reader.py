"""Our own reader: what it promises to whoever asks it, whatever it is asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_api.config import Settings
from rag_api.embed import Cached
from rag_api.embed.e5.encoder import E5Encoder
from rag_api.embed.e5.layers import Layers, States
from rag_api.embed.neutral import neutral
from rag_api.errors import ConfigurationError, InvalidInput
from rag_api.readers.bedside import NOTHING, BedsideReader
from rag_api.readers.network import PLACES
from rag_api.readers.opening import open_reader
from rag_api.readers.text import MOST_PASSAGE, MOST_QUESTION, leads, passage_tokens, question_tokens, segments
from rag_api.retrieval.reader import Judgement, Passage
from tests.support.reader_weights import weights


@pytest.fixture(scope="module")
def encoder() -> E5Encoder:
    return E5Encoder()


@pytest.fixture(scope="module")
def reader(encoder: E5Encoder) -> BedsideReader:
    return BedsideReader(encoder, weights=weights(encoder.name))


HOSTILE = [
    Passage("", "", "", ()),
    Passage("", "", "", ((0, 0), (0, 0))),
    Passage("titel " * 3000, "kop " * 3000, "De dosis is 5 mg.", ((0, 17),)),
    Passage("Lang", "", "woord " * 10_000 + "einde.", ((0, 60_000), (60_000, 60_006))),
    Passage("Overlap", "", "Eerst spoelen. Dan melden.", ((0, 26), (0, 14), (15, 26))),
    Passage("\ud800\0", "\t\n", "\ud800 \0 \u200b 💉", ((0, 3), (3, 7))),
]


@pytest.mark.parametrize("question", ["", "  ", "\ud800\0", "hoe lang? " * 2000, "💉"])
def test_it_judges_whatever_it_is_asked(reader: BedsideReader, question: str) -> None:
    judged = reader.judge(question, HOSTILE)
    assert len(judged) == len(HOSTILE)
    for passage, judgement in zip(HOSTILE, judged, strict=True):
        assert len(judgement.spans) == len(judgement.block or ()) == len(passage.spans)
        assert all(map(math.isfinite, (judgement.answers, *judgement.spans, *(judgement.block or ()))))
        if passage.spans:
            assert sum(map(math.exp, judgement.spans)) == pytest.approx(1)
        else:
            assert judgement.answers == NOTHING


def test_no_passages_no_judgements(reader: BedsideReader) -> None:
    assert reader.judge("hoe lang?", []) == []


def test_a_passage_is_judged_alike_alone_and_among_others(reader: BedsideReader) -> None:
    assert reader.judge("wat eerst?", HOSTILE)[4] == reader.judge("wat eerst?", [HOSTILE[4]])[0]


def test_the_order_of_spans_changes_nothing(reader: BedsideReader) -> None:
    spans = ((0, 14), (15, 26), (27, 40))
    passage = Passage("Titel", "", "Eerst spoelen. Dan melden. Nooit wachten.", spans)
    turned = Passage("Titel", "", passage.text, (spans[2], spans[0], spans[1]))
    one, other = (reader.judge("wat eerst?", [p])[0] for p in (passage, turned))
    assert other.spans == (one.spans[2], one.spans[0], one.spans[1])


def test_a_passage_is_computed_once(encoder: E5Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    own = BedsideReader(encoder, weights=weights(encoder.name))
    own.judge("wat eerst?", HOSTILE)
    computed: list[Sequence[int]] = []
    states_of = encoder.states_of

    def counted(ids: Sequence[Sequence[int]], layers: Layers) -> list[States]:
        computed.extend(ids)
        return states_of(ids, layers)

    monkeypatch.setattr(encoder, "states_of", counted)
    own.judge("en dan?", HOSTILE)
    assert len(computed) == 1  # the question


def test_weights_for_another_encoder_are_refused(encoder: E5Encoder) -> None:
    with pytest.raises(ConfigurationError, match="another encoder"):
        BedsideReader(encoder, weights=weights("bge-m3"))


def test_weights_of_an_earlier_network_are_refused(encoder: E5Encoder) -> None:
    with pytest.raises(ConfigurationError, match="do not fit"):
        BedsideReader(encoder, weights=weights(encoder.name, places=PLACES - 1))


@pytest.mark.parametrize("spoiled", [b"", b"no zip", b"PK\x03\x04"])
def test_a_file_that_holds_no_weights_is_refused(encoder: E5Encoder, spoiled: bytes) -> None:
    with pytest.raises(ConfigurationError, match=r"reader\.npz"):
        BedsideReader(encoder, weights=spoiled)


def test_a_hospitals_own_weights_are_read(tmp_path: Path) -> None:
    (tmp_path / "reader.npz").write_bytes(weights(E5Encoder.name))
    reader = open_reader(Settings(data_dir=tmp_path, reader="bedside"), lambda: "")
    assert reader is not None
    assert reader.judge("wat eerst?", HOSTILE[4:5])[0].spans


class Other:
    """An embedder that is not ours."""

    name, dim = "other", 1

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 1), np.float32)

    def query(self, text: str) -> NDArray[np.float32]:
        return np.ones(1, np.float32)


def test_it_reads_with_the_encoder_that_embeds(tmp_path: Path, encoder: E5Encoder) -> None:
    (tmp_path / "reader.npz").write_bytes(weights(E5Encoder.name))
    reader = open_reader(Settings(data_dir=tmp_path, reader="bedside"), lambda: "", lambda: Cached(neutral(encoder)))
    assert isinstance(reader, BedsideReader)
    assert reader.encoder is encoder


def test_where_another_embeds_it_reads_with_an_encoder_of_its_own(tmp_path: Path, encoder: E5Encoder) -> None:
    (tmp_path / "reader.npz").write_bytes(weights(E5Encoder.name))
    reader = open_reader(Settings(data_dir=tmp_path, reader="bedside"), lambda: "", lambda: Cached(Other()))
    assert isinstance(reader, BedsideReader)
    assert reader.encoder is not encoder
    assert open_reader(Settings(data_dir=tmp_path), lambda: "", lambda: Cached(encoder)) is None


def test_without_weights_there_is_no_reader_of_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag_api.readers.bedside.files", lambda package: tmp_path)
    with pytest.raises(ConfigurationError, match=r"services\.reader\.train"):
        open_reader(Settings(data_dir=tmp_path, reader="bedside"), lambda: "")


def test_other_weights_are_another_reader(encoder: E5Encoder) -> None:
    names = {BedsideReader(encoder, weights=weights(encoder.name, seed)).name for seed in (0, 0, 1)}
    assert len(names) == 2


@pytest.mark.quick
def test_a_span_outside_its_passage_is_refused() -> None:
    with pytest.raises(InvalidInput, match="outside"):
        Passage("", "", "kort", ((0, 5),))


@pytest.mark.quick
def test_log_odds_of_spans_compare_across_passages() -> None:
    sure, unsure = Judgement(4.0, (math.log(0.8), math.log(0.2))), Judgement(-2.0, (0.0,))
    assert sure.span_log_odds()[0] > sure.span_log_odds()[1] > unsure.span_log_odds()[0]
    assert unsure.span_log_odds()[0] == pytest.approx(-2.0)


def test_every_token_of_a_span_is_known_for_it(encoder: E5Encoder) -> None:
    passage = Passage("Titel", "Kop", "Eerst spoelen.\n- Dan melden.\tDienst", ((0, 15), (15, 35)))
    read = passage_tokens(passage, encoder.tokens)
    pieces = [read.ids[first:after] for first, after in read.spans]
    assert pieces == [tuple(encoder.tokens("Eerst spoelen.")), tuple(encoder.tokens("- Dan melden. | Dienst"))]
    assert segments(read, 2).tolist().count(2) == len(encoder.tokens("passage: Titel . Kop ."))


def test_what_is_too_long_is_cut(encoder: E5Encoder) -> None:
    assert len(passage_tokens(HOSTILE[3], encoder.tokens).ids) == MOST_PASSAGE - 2
    assert len(question_tokens("hoe lang? " * 2000, encoder.tokens).ids) == MOST_QUESTION - 2


def test_a_span_stands_below_the_last_words_that_are_of_none(encoder: E5Encoder) -> None:
    text = "Vooraf\nNuchter blijven. Bellen.\nNadien\nRusten. Drinken."
    spans = tuple((text.index(said), text.index(said) + len(said)) for said in ("Nuchter blijven.", "Bellen.", "Rusten.", "Drinken."))
    found = passage_tokens(Passage("Titel", "", text, spans), encoder.tokens)
    assert leads(found, 4) == [4, 4, 4 + 2 + 2, 4 + 2 + 2]
    of = segments(found, 4)
    assert [found.ids[n - 1] for n in np.flatnonzero(of == 4 + 2 + 2)] == encoder.tokens("Nadien")
